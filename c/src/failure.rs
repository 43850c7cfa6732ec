//! What is wrong, as a code and a text; nothing unwinds beyond here.
//!
//! Entry: [`Failure`], [`guarded`].

use std::cell::RefCell;
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

use albireo::error::EngineError;

/// The codes of the header.
pub(crate) mod code {
    pub(crate) const OK: i32 = 0;
    pub(crate) const NULL: i32 = 1;
    pub(crate) const STRUCT_SIZE: i32 = 2;
    pub(crate) const HANDLE: i32 = 3;
    pub(crate) const ARGUMENT: i32 = 4;
    pub(crate) const STOPPED: i32 = 5;
    pub(crate) const DEVICE: i32 = 6;
    pub(crate) const LENGTH: i32 = 7;
    pub(crate) const NOT_COUNTED: i32 = 8;
    pub(crate) const INTERNAL: i32 = 9;
}

/// What functions behind the interface hand back.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why a call did nothing.
#[derive(Debug)]
pub(crate) struct Failure {
    code: i32,
    text: String,
}

impl Failure {
    fn new(code: i32, text: String) -> Self {
        Self { code, text }
    }

    pub(crate) fn null(name: &str) -> Self {
        Self::new(
            code::NULL,
            format!("{name}: expected a pointer, found NULL"),
        )
    }

    pub(crate) fn struct_size(name: &str, expected: usize, found: usize) -> Self {
        let text = format!(
            "{name}: expected a struct_size of {expected} bytes, found {found}: set it to sizeof, with the header of this library"
        );
        Self::new(code::STRUCT_SIZE, text)
    }

    pub(crate) fn handle(name: &str, expected: &str, found: &str) -> Self {
        Self::new(
            code::HANDLE,
            format!("{name}: expected {expected}, found {found}"),
        )
    }

    pub(crate) fn argument(name: &str, error: impl std::fmt::Display) -> Self {
        Self::new(code::ARGUMENT, format!("{name}: {error}"))
    }

    pub(crate) fn length(expected: usize, found: usize) -> Self {
        Self::new(
            code::LENGTH,
            format!("len: expected room for {expected} values, found {found}"),
        )
    }

    pub(crate) fn not_counted(what: &str) -> Self {
        Self::new(code::NOT_COUNTED, format!("these counts hold no {what}"))
    }

    pub(crate) fn pair_class(found: usize, number: usize) -> Self {
        Self::new(
            code::ARGUMENT,
            format!("pair_class: expected one below {number}, found {found}"),
        )
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let code = match &error {
            EngineError::Interrupted => code::STOPPED,
            EngineError::Job(_) | EngineError::TooManyThreads { .. } | EngineError::Isa { .. } => {
                code::ARGUMENT
            }
            _ => code::DEVICE,
        };
        Self::new(code, error.to_string())
    }
}

impl From<albireo::error::JobError> for Failure {
    fn from(error: albireo::error::JobError) -> Self {
        Self::new(code::ARGUMENT, error.to_string())
    }
}

/// Bytes of the text of an error, the closing zero among them.
const ROOM: usize = 512;

thread_local! {
    static LAST: RefCell<[u8; ROOM]> = const { RefCell::new([0; ROOM]) };
}

/// The text of the last error of this thread: where it lies does not change.
pub(crate) fn last() -> *const c_char {
    LAST.with(|last| last.as_ptr().cast())
}

/// Keeps as much of a text as there is room for, whole characters.
fn tell(text: &str) {
    let mut end = text.len().min(ROOM - 1);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // A caller has the address: nothing but this thread writes to it, and only here.
    let _ = LAST.try_with(|last| {
        let mut last = last.borrow_mut();
        last.fill(0);
        for (to, from) in last.iter_mut().zip(text[..end].bytes()) {
            *to = if from == 0 { b'?' } else { from };
        }
    });
}

/// Carries out a call: its code, 0 where it went well.
pub(crate) fn guarded(call: impl FnOnce() -> Result<(), Failure>) -> i32 {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => code::OK,
        Ok(Err(Failure { code, text })) => {
            tell(&text);
            code
        }
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            let text = text.unwrap_or("no reason is known");
            tell(&format!(
                "internal error of albireo, please report it: {text}"
            ));
            // What a panic carries may panic itself when it is dropped.
            std::mem::forget(panic);
            code::INTERNAL
        }
    }
}
