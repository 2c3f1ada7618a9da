//! The part of the driver's library that says which GPUs there are.
//!
//! It is loaded when it is first asked, never linked, so that a program with the GPU's prover in it starts everywhere. What
//! is asked here makes no context on any GPU, and costs no memory there.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use super::error::CudaError;

const LIBRARY: &CStr = c"libcuda.so.1";

type Count = unsafe extern "C" fn(*mut c_int) -> c_int;
type Get = unsafe extern "C" fn(*mut c_int, c_int) -> c_int;
type Name = unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int;
type Memory = unsafe extern "C" fn(*mut usize, c_int) -> c_int;
type Attribute = unsafe extern "C" fn(*mut c_int, c_int, c_int) -> c_int;

/// The library, loaded and initialised.
pub(super) struct Driver {
    library: Library,
    count: Count,
    get: Get,
    name: Name,
    memory: Memory,
    attribute: Attribute,
}

/// What dlopen returned.
struct Library(*mut c_void);

// SAFETY: dlsym may be called from every thread, and the library is never closed.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// A handle of the driver's.
#[derive(Clone, Copy)]
pub(super) struct Handle(pub(super) c_int);

/// Numbers of attributes, from NVIDIA's documentation of CUdevice_attribute.
#[derive(Clone, Copy)]
#[repr(i32)]
pub(super) enum Attr {
    Multiprocessors = 16,
    ComputeMajor = 75,
    ComputeMinor = 76,
}

impl Driver {
    /// Loads it once a process. That it is not there is found anew each time, and is cheap.
    pub fn load() -> Result<&'static Self, CudaError> {
        static LOADED: OnceLock<Driver> = OnceLock::new();
        if let Some(driver) = LOADED.get() {
            return Ok(driver);
        }
        let driver = Self::open()?;
        Ok(LOADED.get_or_init(|| driver))
    }

    fn open() -> Result<Self, CudaError> {
        // SAFETY: the name is a C string. The library's constructors are NVIDIA's; it is never closed again.
        let library = unsafe { libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            return Err(CudaError::NoDriver { reason: reason() });
        }
        // SAFETY: the types are those of cuda.h, whose functions keep theirs for good: a new form gets a new name.
        let driver = unsafe {
            let init: unsafe extern "C" fn(c_uint) -> c_int =
                std::mem::transmute(symbol(library, c"cuInit")?);
            done("cuInit", init(0))?;
            Self {
                library: Library(library),
                count: std::mem::transmute::<*mut c_void, Count>(symbol(
                    library,
                    c"cuDeviceGetCount",
                )?),
                get: std::mem::transmute::<*mut c_void, Get>(symbol(library, c"cuDeviceGet")?),
                name: std::mem::transmute::<*mut c_void, Name>(symbol(
                    library,
                    c"cuDeviceGetName",
                )?),
                memory: std::mem::transmute::<*mut c_void, Memory>(symbol(
                    library,
                    c"cuDeviceTotalMem_v2",
                )?),
                attribute: std::mem::transmute::<*mut c_void, Attribute>(symbol(
                    library,
                    c"cuDeviceGetAttribute",
                )?),
            }
        };
        Ok(driver)
    }

    /// The address of a function, which must be called with its type in cuda.h.
    pub fn symbol(&self, name: &CStr) -> Result<*mut c_void, CudaError> {
        // SAFETY: dlopen returned it, and it was not null.
        unsafe { symbol(self.library.0, name) }
    }

    /// The number of GPUs that this process may see.
    pub fn count(&self) -> Result<u32, CudaError> {
        let mut count = 0;
        // SAFETY: `count` outlives the call.
        done("cuDeviceGetCount", unsafe { (self.count)(&mut count) })?;
        Ok(u32::try_from(count).unwrap_or(0))
    }

    /// The GPU of a number.
    pub fn device(&self, index: u32) -> Result<Handle, CudaError> {
        let mut handle = 0;
        // SAFETY: `handle` outlives the call; a number that there is not is refused.
        done("cuDeviceGet", unsafe {
            (self.get)(&mut handle, index as c_int)
        })?;
        Ok(Handle(handle))
    }

    /// What NVIDIA calls it.
    pub fn name(&self, device: Handle) -> Result<String, CudaError> {
        let mut name = [0u8; 256];
        let (start, len) = (name.as_mut_ptr().cast(), name.len() as c_int);
        // SAFETY: at most `len` bytes are written, a zero behind the name included.
        done("cuDeviceGetName", unsafe {
            (self.name)(start, len, device.0)
        })?;
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
        Ok(name.to_string_lossy().into_owned())
    }

    /// All of its memory, in bytes.
    pub fn memory(&self, device: Handle) -> Result<u64, CudaError> {
        let mut bytes = 0usize;
        // SAFETY: `bytes` outlives the call.
        done("cuDeviceTotalMem", unsafe {
            (self.memory)(&mut bytes, device.0)
        })?;
        Ok(bytes as u64)
    }

    /// A number that says something about it.
    pub fn attribute(&self, device: Handle, attribute: Attr) -> Result<u32, CudaError> {
        let mut value = 0;
        // SAFETY: `value` outlives the call.
        done("cuDeviceGetAttribute", unsafe {
            (self.attribute)(&mut value, attribute as c_int, device.0)
        })?;
        Ok(u32::try_from(value).unwrap_or(0))
    }
}

pub(super) fn done(call: &'static str, code: c_int) -> Result<(), CudaError> {
    match code {
        0 => Ok(()),
        code => Err(CudaError::Driver { call, code }),
    }
}

/// The address of a function.
///
/// # Safety
///
/// `library` comes from dlopen.
unsafe fn symbol(library: *mut c_void, name: &CStr) -> Result<*mut c_void, CudaError> {
    // SAFETY: the caller vouches for the library.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    match address.is_null() {
        false => Ok(address),
        true => Err(CudaError::NoDriver { reason: reason() }),
    }
}

/// What dlopen or dlsym said last on this thread.
fn reason() -> String {
    // SAFETY: the text belongs to the C library until its next call on this thread.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return format!("{} cannot be used", LIBRARY.to_string_lossy());
    }
    // SAFETY: not null, so a C string.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}
