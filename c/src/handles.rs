//! What callers hold: numbers that stand for objects here, so that a wrong one is found and never followed.
//!
//! Entry: [`keep`], [`particles`], [`prepared`], [`counts`], [`free`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::counts::Counted;
use super::failure::{Failure, Result};
use super::ready::Ready;
use super::sample::Sample;

/// What a handle stands for.
#[derive(Debug, Clone)]
pub(crate) enum Object {
    Particles(Arc<Sample>),
    Prepared(Arc<Ready>),
    Counts(Arc<Counted>),
}

impl Object {
    fn name(&self) -> &'static str {
        match self {
            Self::Particles(_) => "particles",
            Self::Prepared(_) => "a prepared sample",
            Self::Counts(_) => "counts",
        }
    }
}

/// All objects by their handles; a handle is given out once.
#[derive(Default)]
struct Kept {
    objects: Option<HashMap<usize, Object>>,
    given: usize,
}

static KEPT: Mutex<Kept> = Mutex::new(Kept {
    objects: None,
    given: 0,
});

fn kept() -> MutexGuard<'static, Kept> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps an object until it is freed, and gives its handle.
pub(crate) fn keep(object: Object) -> usize {
    let mut kept = kept();
    kept.given += 1;
    // Neither small integers nor addresses of most programs.
    let handle = (kept.given << 4) | 0xa;
    let objects = kept.objects.get_or_insert_default();
    objects.insert(handle, object);
    handle
}

fn find(handle: usize, name: &str, expected: &'static str) -> Result<Object> {
    if handle == 0 {
        return Err(Failure::null(name));
    }
    let found = kept()
        .objects
        .as_ref()
        .and_then(|all| all.get(&handle).cloned());
    found.ok_or_else(|| {
        Failure::handle(
            name,
            expected,
            "none that is in use: it was freed, or never given out",
        )
    })
}

/// The particles of a handle.
pub(crate) fn particles(handle: usize, name: &str) -> Result<Arc<Sample>> {
    match find(handle, name, "particles")? {
        Object::Particles(particles) => Ok(particles),
        other => Err(Failure::handle(name, "particles", other.name())),
    }
}

/// The sorted sample of a handle.
pub(crate) fn prepared(handle: usize, name: &str) -> Result<Arc<Ready>> {
    match find(handle, name, "a prepared sample")? {
        Object::Prepared(ready) => Ok(ready),
        other => Err(Failure::handle(name, "a prepared sample", other.name())),
    }
}

/// The counts of a handle.
pub(crate) fn counts(handle: usize) -> Result<Arc<Counted>> {
    match find(handle, "counts", "counts")? {
        Object::Counts(counts) => Ok(counts),
        other => Err(Failure::handle("counts", "counts", other.name())),
    }
}

/// Frees what a handle of this kind stands for; 0 stands for nothing, and nothing is done.
pub(crate) fn free(handle: usize, kind: &'static str) -> Result<()> {
    if handle == 0 {
        return Ok(());
    }
    let found = find(handle, kind, kind)?.name();
    if found != kind {
        return Err(Failure::handle(kind, kind, found));
    }
    drop_quietly(handle);
    Ok(())
}

/// Frees a handle, which may be none.
pub(crate) fn drop_quietly(handle: usize) {
    let gone = kept().objects.as_mut().and_then(|all| all.remove(&handle));
    // Outside of the lock: a large sample takes its time.
    drop(gone);
}
