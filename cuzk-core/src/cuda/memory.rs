//! How much of a GPU's memory is in use.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::driver::{Driver, Handle, done};
use super::error::CudaError;

type Retain = unsafe extern "C" fn(*mut *mut c_void, c_int) -> c_int;
type Release = unsafe extern "C" fn(c_int) -> c_int;
type Push = unsafe extern "C" fn(*mut c_void) -> c_int;
type Pop = unsafe extern "C" fn(*mut *mut c_void) -> c_int;
type Info = unsafe extern "C" fn(*mut usize, *mut usize) -> c_int;

/// The functions that say it: they want a context, and the prover's own is taken.
struct Functions {
    retain: Retain,
    release: Release,
    push: Push,
    pop: Pop,
    info: Info,
}

impl Functions {
    fn load(driver: &Driver) -> Result<Self, CudaError> {
        // SAFETY: the types are those of cuda.h, whose functions keep theirs for good: a new form gets a new name.
        unsafe {
            Ok(Self {
                retain: std::mem::transmute::<*mut c_void, Retain>(
                    driver.symbol(c"cuDevicePrimaryCtxRetain")?,
                ),
                release: std::mem::transmute::<*mut c_void, Release>(
                    driver.symbol(c"cuDevicePrimaryCtxRelease_v2")?,
                ),
                push: std::mem::transmute::<*mut c_void, Push>(
                    driver.symbol(c"cuCtxPushCurrent_v2")?,
                ),
                pop: std::mem::transmute::<*mut c_void, Pop>(
                    driver.symbol(c"cuCtxPopCurrent_v2")?,
                ),
                info: std::mem::transmute::<*mut c_void, Info>(driver.symbol(c"cuMemGetInfo_v2")?),
            })
        }
    }
}

/// The primary context of a GPU, current on this thread for as long as this lives.
struct Context {
    functions: Functions,
    device: Handle,
}

impl Context {
    fn enter(index: u32) -> Result<Self, CudaError> {
        let driver = Driver::load()?;
        let device = driver.device(index)?;
        let functions = Functions::load(driver)?;
        let mut context = ptr::null_mut();
        // SAFETY: `context` outlives the call. The context is given back where this is dropped.
        done("cuDevicePrimaryCtxRetain", unsafe {
            (functions.retain)(&mut context, device.0)
        })?;
        // SAFETY: the context is one, and is not given back before it was taken off this thread again.
        let pushed = done("cuCtxPushCurrent", unsafe { (functions.push)(context) });
        if let Err(error) = pushed {
            // SAFETY: taken above, and used no more.
            unsafe { (functions.release)(device.0) };
            return Err(error);
        }
        Ok(Self { functions, device })
    }

    /// Bytes that all processes together use.
    fn in_use(&self) -> Result<u64, CudaError> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: both outlive the call, and a context is current on this thread.
        done("cuMemGetInfo", unsafe {
            (self.functions.info)(&mut free, &mut total)
        })?;
        Ok(total.saturating_sub(free) as u64)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let mut context = ptr::null_mut();
        // SAFETY: what `enter` has done, backwards; `context` outlives the call.
        unsafe {
            (self.functions.pop)(&mut context);
            (self.functions.release)(self.device.0);
        }
    }
}

/// Bytes of a GPU's memory that are in use now, by all processes together. Makes the context that the prover has, where
/// there is none yet: it takes some hundred MiB itself, which are in the answer.
///
/// # Errors
///
/// [`CudaError::NoDriver`] and [`CudaError::Driver`].
pub fn memory_in_use(device: u32) -> Result<u64, CudaError> {
    Context::enter(device)?.in_use()
}

/// Looks at a GPU's memory again and again, on a thread of its own, for the most that is in use at a time.
pub struct MemoryWatch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<u64, CudaError>>,
}

/// Between two looks. What is allocated for a shorter time may be missed.
const STEP: Duration = Duration::from_micros(300);

impl MemoryWatch {
    /// Begins; has looked once when it returns.
    ///
    /// # Errors
    ///
    /// As [`memory_in_use`].
    pub fn start(device: u32) -> Result<Self, CudaError> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let (looked, first) = mpsc::channel();
        let thread = thread::spawn(move || {
            let context = Context::enter(device)?;
            let mut most = context.in_use()?;
            let _ = looked.send(());
            while !stopped.load(Ordering::Relaxed) {
                thread::sleep(STEP);
                most = most.max(context.in_use()?);
            }
            Ok(most)
        });
        if first.recv().is_err() {
            // It ended before it had looked.
            ended(thread)?;
            return Err(CudaError::Driver {
                call: "cuMemGetInfo",
                code: 999,
            });
        }
        Ok(Self { stop, thread })
    }

    /// Ends, and returns the most bytes that were in use, by all processes together.
    ///
    /// # Errors
    ///
    /// As [`memory_in_use`].
    pub fn stop(self) -> Result<u64, CudaError> {
        self.stop.store(true, Ordering::Relaxed);
        ended(self.thread)
    }
}

fn ended(thread: JoinHandle<Result<u64, CudaError>>) -> Result<u64, CudaError> {
    match thread.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::devices;

    /// On a machine with a GPU something of it is in use; on one without, there is an error and no hang.
    #[test]
    fn memory_is_in_use_or_there_is_no_gpu() {
        let watched = MemoryWatch::start(0).and_then(MemoryWatch::stop);
        match devices() {
            Ok(_) => {
                let most = watched.expect("a driver");
                assert!(most > 0 && memory_in_use(0).expect("a driver") > 0);
            }
            Err(_) => assert!(watched.is_err() && memory_in_use(0).is_err()),
        }
    }
}
