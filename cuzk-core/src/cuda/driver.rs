//! The part of the driver's library that says which GPUs there are.
//!
//! It makes no context on any GPU: asking costs no memory there.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::sync::OnceLock;

use super::error::CudaError;
use super::library::Library;

type Init = unsafe extern "C" fn(c_uint) -> c_int;
type Count = unsafe extern "C" fn(*mut c_int) -> c_int;
type Get = unsafe extern "C" fn(*mut c_int, c_int) -> c_int;
type Text = unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int;
type Memory = unsafe extern "C" fn(*mut usize, c_int) -> c_int;
type Attribute = unsafe extern "C" fn(*mut c_int, c_int, c_int) -> c_int;

/// The library, loaded and initialised.
pub(super) struct Driver {
    count: Count,
    get: Get,
    name: Text,
    bus: Text,
    memory: Memory,
    attribute: Attribute,
}

/// A handle of the driver's.
#[derive(Clone, Copy)]
pub(super) struct Handle(c_int);

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
        let missing = |reason| CudaError::NoDriver { reason };
        let library = Library::open(c"libcuda.so.1").map_err(missing)?;
        let symbol = |name| library.symbol(name).map_err(missing);
        // SAFETY: the types are those of cuda.h, whose functions keep theirs for good: a new form gets a new name.
        unsafe {
            let init = transmute::<*mut c_void, Init>(symbol(c"cuInit")?);
            done("cuInit", init(0))?;
            Ok(Self {
                count: transmute::<*mut c_void, Count>(symbol(c"cuDeviceGetCount")?),
                get: transmute::<*mut c_void, Get>(symbol(c"cuDeviceGet")?),
                name: transmute::<*mut c_void, Text>(symbol(c"cuDeviceGetName")?),
                bus: transmute::<*mut c_void, Text>(symbol(c"cuDeviceGetPCIBusId")?),
                memory: transmute::<*mut c_void, Memory>(symbol(c"cuDeviceTotalMem_v2")?),
                attribute: transmute::<*mut c_void, Attribute>(symbol(c"cuDeviceGetAttribute")?),
            })
        }
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
        Self::text("cuDeviceGetName", self.name, device)
    }

    /// Where it is on the PCI bus, as NVIDIA's other libraries name it.
    pub fn bus(&self, device: Handle) -> Result<String, CudaError> {
        Self::text("cuDeviceGetPCIBusId", self.bus, device)
    }

    fn text(call: &'static str, function: Text, device: Handle) -> Result<String, CudaError> {
        let mut text = [0u8; 256];
        let (start, len) = (text.as_mut_ptr().cast(), text.len() as c_int);
        // SAFETY: at most `len` bytes are written, a zero behind the text included.
        done(call, unsafe { function(start, len, device.0) })?;
        let text = CStr::from_bytes_until_nul(&text).unwrap_or_default();
        Ok(text.to_string_lossy().into_owned())
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

fn done(call: &'static str, code: c_int) -> Result<(), CudaError> {
    match code {
        0 => Ok(()),
        code => Err(CudaError::Driver { call, code }),
    }
}
