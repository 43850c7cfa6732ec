//! Compiled kernels on disk, named by a hash of their source, macros and device architecture.
//!
//! Entry: [`cubin`]. What was needed once stays in memory too. A cache that cannot be read or written costs time, never a run.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use albireo_kernels::Kernel;
use sha2::{Digest, Sha256};

use super::nvrtc;
use crate::error::CudaError;

/// `ALBIREO_CACHE`, or `albireo` in the user's cache folder.
fn folder() -> Option<PathBuf> {
    let variable = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    variable("ALBIREO_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("albireo")))
        .or_else(|| variable("HOME").map(|home| home.join(".cache/albireo")))
}

/// The name of a kernel's machine code: a hash of all that it is made from, and the architecture.
pub fn name(kernel: Kernel, arch: u32) -> String {
    let mut hash = Sha256::new();
    let mut field = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    let ((file, text), entry) = kernel.source();
    field(file);
    field(text);
    field(entry);
    for (file, text) in albireo_kernels::headers() {
        field(file);
        field(text);
    }
    for name in kernel.macros() {
        field(&name);
    }
    for option in nvrtc::OPTIONS {
        field(option);
    }
    let digest = hash
        .finalize()
        .iter()
        .take(16)
        .fold(0u128, |digest, &byte| digest << 8 | u128::from(byte));
    format!("{digest:032x}.sm_{arch}.cubin")
}

type Code = Arc<OnceLock<Result<Arc<[u8]>, CudaError>>>;

/// The machine code of `kernel` for compute capability `arch`; devices that ask at the same time wait for one compilation.
///
/// # Errors
/// No compiler, or one that refuses.
pub(crate) fn cubin(kernel: Kernel, arch: u32) -> Result<Arc<[u8]>, CudaError> {
    static CODES: Mutex<BTreeMap<String, Code>> = Mutex::new(BTreeMap::new());
    let name = name(kernel, arch);
    let code = {
        let mut codes = CODES.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(codes.entry(name.clone()).or_default())
    };
    code.get_or_init(|| from_disk_or_source(&name, kernel, arch).map(Arc::from))
        .clone()
}

fn from_disk_or_source(name: &str, kernel: Kernel, arch: u32) -> Result<Vec<u8>, CudaError> {
    let path = folder().map(|folder| folder.join(name));
    if let Some(code) = path.as_ref().and_then(|path| std::fs::read(path).ok())
        && code.starts_with(b"\x7fELF")
    {
        return Ok(code);
    }
    let code = nvrtc::compile(kernel, arch)?;
    if let Some(path) = path {
        // Without a cache the next run compiles again.
        drop(store(&path, &code));
    }
    Ok(code)
}

/// Writes under another name and renames, so that no reader sees a part.
fn store(path: &std::path::Path, code: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)?;
    let partial = path.with_extension(format!(
        "{}.{:?}.partial",
        std::process::id(),
        std::thread::current().id()
    ));
    let mut file = std::fs::File::create(&partial)?;
    file.write_all(code)?;
    drop(file);
    std::fs::rename(&partial, path)
}
