//! NVRTC, the CUDA run-time compiler: found at run time, versions 11 to 13.
//!
//! Entry: [`compile`] and [`compiler`]. Nothing is linked: a machine without NVRTC gets an error that says where it was looked for.
//! Not by cudarc: it opens NVRTC by name alone, of the CUDA version it is built for, panics without one, and returns PTX, not CUBIN.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::OnceLock;

use albireo_kernels::Kernel;
use libloading::Library;

use super::nvrtc_places::{candidates, entries, folders, loaded_from, name_starts};
use crate::error::CudaError;

/// Options of every compilation. Contraction is off: the sources write fused operations where they mean them.
pub(crate) const OPTIONS: [&str; 3] = ["--std=c++17", "--fmad=false", "-default-device"];

type Program = *mut c_void;

/// How far kernels are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Product {
    MachineCode,
    Ptx,
}

/// The functions used, with the library that keeps them alive.
struct Nvrtc {
    version: String,
    /// Whether it can be asked to take little time over PTX.
    checks_fast: bool,
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
            checks_fast: (major, minor) >= (12, 9),
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

    /// Compiles for compute capability `arch` and returns the machine code; of PTX nothing.
    fn compile(&self, kernel: Kernel, arch: u32, product: Product) -> Result<Vec<u8>, String> {
        let text = |text: &str| CString::new(text).unwrap_or_default();
        let ((file, source), _) = kernel.source();
        let (file, source) = (text(file), text(source));
        let headers: Vec<[CString; 2]> = albireo_kernels::headers()
            .iter()
            .map(|(name, source)| [text(name), text(source)])
            .collect();
        let names: Vec<*const c_char> = headers.iter().map(|header| header[0].as_ptr()).collect();
        let sources: Vec<*const c_char> = headers.iter().map(|header| header[1].as_ptr()).collect();
        let mut options: Vec<CString> = OPTIONS.iter().map(|option| text(option)).collect();
        let name = match product {
            Product::MachineCode => "sm",
            Product::Ptx => "compute",
        };
        options.push(text(&format!("--gpu-architecture={name}_{arch}")));
        if product == Product::Ptx && self.checks_fast {
            // Nobody runs it: only whether the source is right matters.
            options.push(text("--Ofast-compile=max"));
        }
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
            let result = if status == 0 && product == Product::Ptx {
                Ok(Vec::new())
            } else if status == 0 {
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
    // SAFETY: by contract; the buffer has the size that was asked for.
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

/// Compiles `kernel` to machine code for compute capability `arch`, such as 90.
///
/// # Errors
/// No compiler, or one that refuses; the error carries its log.
pub fn compile(kernel: Kernel, arch: u32) -> Result<Vec<u8>, CudaError> {
    made(kernel, arch, Product::MachineCode)
}

/// Compiles `kernel` for compute capability `arch` as far as PTX, in less than half the time: whether its source is right.
///
/// # Errors
/// As [`compile`].
pub fn check(kernel: Kernel, arch: u32) -> Result<(), CudaError> {
    made(kernel, arch, Product::Ptx).map(|_| ())
}

fn made(kernel: Kernel, arch: u32, product: Product) -> Result<Vec<u8>, CudaError> {
    let nvrtc = nvrtc()?;
    let version = || nvrtc.version.clone();
    nvrtc.compile(kernel, arch, product).map_err(|log| {
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
