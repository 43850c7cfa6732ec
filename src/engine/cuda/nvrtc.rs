//! NVRTC, the CUDA run-time compiler: found at run time, versions 11 to 13.
//!
//! Entry: [`compile`] and [`compiler`]. Nothing is linked: a machine without NVRTC gets an error that says where it was looked for.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::OnceLock;

use libloading::Library;

use super::device::Kernel;
use super::error::CudaError;

/// Options of every compilation. Contraction is off: the sources write fused operations where they mean them.
pub(super) const OPTIONS: [&str; 3] = ["--std=c++17", "--fmad=false", "-default-device"];

const SUFFIXES: [&str; 7] = ["13", "12", "11.8", "11.7", "11.6", "11.5", "11.2"];

type Program = *mut c_void;

/// The functions used, with the library that keeps them alive.
struct Nvrtc {
    version: String,
    path: PathBuf,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut Program) -> c_int,
    cubin_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    cubin: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    log_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    log: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    _libraries: Vec<Library>,
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// The folders in `folder`, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    entries
}

fn name_starts(path: &Path, start: &str) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| name.starts_with(start))
}

/// `lib` folders of the CUDA wheels of every Python under `lib`.
fn wheels(lib: &Path) -> Vec<PathBuf> {
    entries(lib)
        .into_iter()
        .filter(|path| name_starts(path, "python3"))
        .flat_map(|python| {
            [
                python.join("site-packages/nvidia"),
                python.join("dist-packages/nvidia"),
            ]
        })
        .flat_map(|nvidia| entries(&nvidia))
        .map(|package| package.join("lib"))
        .collect()
}

/// Folders that may hold NVRTC, best first.
fn folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for name in ["CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"] {
        if let Some(root) = variable(name) {
            folders.extend(["lib64", "lib"].map(|lib| root.join(lib)));
        }
    }
    let toolkits = entries(Path::new("/usr/local"))
        .into_iter()
        .filter(|path| name_starts(path, "cuda"));
    folders.extend(toolkits.map(|toolkit| toolkit.join("lib64")));
    folders
        .extend(["/opt/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64"].map(PathBuf::from));
    let mut roots: Vec<PathBuf> = [
        variable("VIRTUAL_ENV"),
        variable("CONDA_PREFIX"),
        variable("HOME").map(|home| home.join(".local")),
    ]
    .into_iter()
    .flatten()
    .collect();
    // The Pythons on the path, through their links.
    for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        let python = folder.join("python3");
        let real = python.canonicalize().ok();
        for python in [python.exists().then_some(python), real]
            .into_iter()
            .flatten()
        {
            roots.extend(
                python
                    .parent()
                    .and_then(Path::parent)
                    .map(Path::to_path_buf),
            );
        }
    }
    roots.extend(["/usr", "/usr/local"].map(PathBuf::from));
    let mut seen = Vec::new();
    for root in roots {
        if !seen.contains(&root) {
            folders.extend(wheels(&root.join("lib")));
            seen.push(root);
        }
    }
    folders
}

/// Files and names to try, best first.
fn candidates() -> Vec<PathBuf> {
    let names = || {
        SUFFIXES
            .iter()
            .map(|suffix| format!("libnvrtc.so.{suffix}"))
            .chain(["libnvrtc.so".to_owned()])
    };
    let mut candidates = Vec::new();
    if let Some(given) = variable("ALBIREO_NVRTC") {
        if given.is_dir() {
            candidates.extend(names().map(|name| given.join(name)));
        } else {
            candidates.push(given);
        }
    }
    // By bare name the loader looks in LD_LIBRARY_PATH and the system's folders.
    candidates.extend(names().map(PathBuf::from));
    for folder in folders() {
        candidates.extend(
            names()
                .map(|name| folder.join(name))
                .filter(|path| path.exists()),
        );
    }
    candidates
}

impl Nvrtc {
    fn open(path: &Path) -> Option<Self> {
        let mut libraries = Vec::new();
        // NVRTC loads its builtins by bare name; once loaded they are found wherever they lie.
        for file in path
            .parent()
            .filter(|folder| folder.is_dir())
            .map(entries)
            .into_iter()
            .flatten()
        {
            if name_starts(&file, "libnvrtc-builtins.so") {
                // SAFETY: NVIDIA's library has no load-time effect but its own set-up.
                libraries.extend(unsafe { Library::new(&file) });
            }
        }
        // SAFETY: as above.
        let library = unsafe { Library::new(path) }.ok()?;
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the type written in `Nvrtc` is the one that nvrtc.h declares, unchanged from version 11.2 on.
                *unsafe { library.get($name) }.ok()?
            };
        }
        let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int =
            function!(b"nvrtcVersion\0");
        let (mut major, mut minor) = (0, 0);
        // SAFETY: writes two integers.
        if unsafe { version(&raw mut major, &raw mut minor) } != 0 || major < 11 {
            return None;
        }
        Some(Self {
            version: format!("{major}.{minor}"),
            path: if path.is_absolute() {
                path.to_path_buf()
            } else {
                loaded_from(path)
            },
            create: function!(b"nvrtcCreateProgram\0"),
            compile: function!(b"nvrtcCompileProgram\0"),
            destroy: function!(b"nvrtcDestroyProgram\0"),
            cubin_size: function!(b"nvrtcGetCUBINSize\0"),
            cubin: function!(b"nvrtcGetCUBIN\0"),
            log_size: function!(b"nvrtcGetProgramLogSize\0"),
            log: function!(b"nvrtcGetProgramLog\0"),
            _libraries: {
                libraries.push(library);
                libraries
            },
        })
    }

    /// Compiles to machine code for compute capability `arch`.
    fn compile(&self, kernel: Kernel, arch: u32) -> Result<Vec<u8>, String> {
        let text = |text: &str| CString::new(text).unwrap_or_default();
        let ((file, source), _) = kernel.source();
        let (file, source) = (text(file), text(source));
        let headers: Vec<[CString; 2]> = albireo_kernels::HEADERS
            .iter()
            .map(|(name, source)| [text(name), text(source)])
            .collect();
        let names: Vec<*const c_char> = headers.iter().map(|header| header[0].as_ptr()).collect();
        let sources: Vec<*const c_char> = headers.iter().map(|header| header[1].as_ptr()).collect();
        let mut options: Vec<CString> = OPTIONS.iter().map(|option| text(option)).collect();
        options.push(text(&format!("--gpu-architecture=sm_{arch}")));
        options.extend(
            kernel
                .macros()
                .iter()
                .map(|name| text(&format!("-D{name}"))),
        );
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();

        let mut program: Program = null_mut();
        // SAFETY: all strings end with NUL and outlive the program, which is destroyed below; the counts are the arrays' lengths.
        unsafe {
            let made = (self.create)(
                &raw mut program,
                source.as_ptr(),
                file.as_ptr(),
                headers.len() as c_int,
                sources.as_ptr(),
                names.as_ptr(),
            );
            if made != 0 {
                return Err(format!("nvrtcCreateProgram returned {made}"));
            }
            let status = (self.compile)(program, options.len() as c_int, options.as_ptr());
            let result = if status == 0 {
                read(program, self.cubin_size, self.cubin)
                    .ok_or_else(|| "nvrtcGetCUBIN failed".to_owned())
            } else {
                let log = read(program, self.log_size, self.log).unwrap_or_default();
                let log = CStr::from_bytes_until_nul(&log)
                    .map(CStr::to_string_lossy)
                    .unwrap_or_default();
                Err(format!("status {status}: {log}"))
            };
            (self.destroy)(&raw mut program);
            result
        }
    }
}

/// Reads one of a program's products.
///
/// # Safety
/// `program` is alive, and the two functions are a pair of size and content.
unsafe fn read(
    program: Program,
    size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    content: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
) -> Option<Vec<u8>> {
    let mut bytes = 0;
    // SAFETY: by contract; the buffer has the size that was told.
    unsafe {
        if size(program, &raw mut bytes) != 0 {
            return None;
        }
        let mut buffer = vec![0u8; bytes];
        (content(program, buffer.as_mut_ptr().cast()) == 0).then_some(buffer)
    }
}

fn nvrtc() -> Result<&'static Nvrtc, CudaError> {
    static FOUND: OnceLock<Result<Nvrtc, String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let opened = candidates().iter().find_map(|path| Nvrtc::open(path));
        opened.ok_or_else(|| {
            let mut looked = vec!["the library path".to_owned()];
            looked.extend(folders().iter().map(|folder| folder.display().to_string()));
            looked.dedup();
            looked.join(", ")
        })
    });
    found.as_ref().map_err(|looked| CudaError::NoCompiler {
        looked: looked.clone(),
    })
}

/// The run-time compiler that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompilerDescription {
    /// Its version, such as `12.9`.
    pub version: String,
    /// Where it lies.
    pub path: PathBuf,
}

/// The run-time compiler that kernels are compiled with.
///
/// # Errors
/// None found; the error says where it was looked for and how to get it.
pub fn compiler() -> Result<CompilerDescription, CudaError> {
    nvrtc().map(|nvrtc| CompilerDescription {
        version: nvrtc.version.clone(),
        path: nvrtc.path.clone(),
    })
}

/// Where the loader found a library that was opened by its bare name.
fn loaded_from(name: &Path) -> PathBuf {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mut paths = maps.lines().filter_map(|line| {
        let path = Path::new(line.get(line.find('/')?..)?);
        name_starts(path, "libnvrtc.so").then(|| path.to_path_buf())
    });
    paths.next().unwrap_or_else(|| name.to_path_buf())
}

/// Compiles `kernel` to machine code for compute capability `arch`, such as 90.
///
/// # Errors
/// No compiler, or one that refuses; the error carries its log.
pub(super) fn compile(kernel: Kernel, arch: u32) -> Result<Vec<u8>, CudaError> {
    let nvrtc = nvrtc()?;
    let version = || nvrtc.version.clone();
    nvrtc.compile(kernel, arch).map_err(|log| {
        if log.contains("--gpu-architecture") {
            return CudaError::Architecture {
                version: version(),
                arch,
            };
        }
        CudaError::Compile {
            version: version(),
            source_name: kernel.source().0.0.to_owned(),
            arch,
            log,
        }
    })
}

#[cfg(test)]
#[allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a skipped test says so; a failed unwrap is a failed test"
)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::engine::cuda::kernel_cache;

    /// Compute capabilities that some version of NVRTC knows.
    const ARCHS: [u32; 9] = [70, 75, 80, 86, 89, 90, 100, 103, 120];

    /// Those that this version knows.
    fn known(version: &str) -> Vec<u32> {
        let known = match &version[..2] {
            "11" => 70..=86,
            "12" => 70..=120,
            _ => 75..=120,
        };
        ARCHS
            .into_iter()
            .filter(|arch| known.contains(arch))
            .collect()
    }

    /// Kernels known to compile: the folder where they are marked, kept between runs.
    fn marks() -> PathBuf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/compiled-kernels");
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// Compiles what no earlier run has, on all cores; how many that were.
    fn compile_all(jobs: &[(Kernel, u32)], version: &str) -> usize {
        let folder = marks();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut compiled = 0;
            while let Some(&(kernel, arch)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let name = kernel_cache::name(kernel, arch);
                let mark = folder.join(format!("{name}.{version}"));
                if !mark.exists() {
                    let code = compile(kernel, arch);
                    assert!(code.is_ok(), "{kernel:?}: {code:?}");
                    assert!(
                        code.is_ok_and(|code| code.starts_with(b"\x7fELF")),
                        "{kernel:?}"
                    );
                    std::fs::write(mark, []).unwrap();
                    compiled += 1;
                }
            }
            compiled
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|t| t.join().unwrap()).sum()
        })
    }

    #[test]
    fn every_kernel_compiles_for_every_device_generation() {
        let Ok(CompilerDescription { version, path }) = compiler() else {
            eprintln!("skipped: no NVRTC");
            return;
        };
        assert!(path.is_file(), "{}", path.display());
        let archs = known(&version);
        // Machine code of every kernel, in turn for each generation; for all of them where the whole matrix is asked for.
        let whole = std::env::var_os("ALBIREO_TEST_FULL").is_some();
        let variants = albireo_kernels::every_variant();
        let mut jobs: Vec<(Kernel, u32)> = Vec::new();
        for (k, &variant) in variants.iter().enumerate() {
            // One further each round, so that no generation gets every kernel of a kind.
            let turn = (k + k / archs.len()) % archs.len();
            let wanted = if whole {
                &archs[..]
            } else {
                &archs[turn..=turn]
            };
            jobs.extend(wanted.iter().map(|&arch| (Kernel::Count(variant), arch)));
        }
        let sort = Kernel::Sort("albireo_sort_count");
        jobs.extend(archs.iter().map(|&arch| (sort, arch)));
        let compiled = compile_all(&jobs, &version);
        eprintln!(
            "NVRTC {version}: {} kernels, {} times to machine code of sm_{archs:?}; {compiled} compiled now",
            variants.len() + 1,
            jobs.len()
        );
    }

    #[test]
    fn an_architecture_that_the_compiler_does_not_know_is_named() {
        if compiler().is_ok() {
            let error = compile(Kernel::Sort("albireo_sort_count"), 1).err();
            assert!(
                matches!(error, Some(CudaError::Architecture { arch: 1, .. })),
                "{error:?}"
            );
        }
    }
}
