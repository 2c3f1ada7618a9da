//! How much of the GPUs' memory is taken.
//!
//! The driver's management library says that of a whole GPU, whoever took it: contexts, kernels and pools included. So the
//! difference of two readings is a prover's only where nobody else comes or goes on its GPU.

use std::ffi::{CString, c_char, c_int, c_void};
use std::mem::transmute;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::driver::Driver;
use super::library::Library;

/// Between two readings of a watch.
const STEP: Duration = Duration::from_millis(2);

/// What is taken of the memory of all GPUs that this process may see, in bytes. `None` where the system does not say.
pub fn used_memory() -> Option<u64> {
    let management = Management::load()?;
    management
        .gpus
        .iter()
        .map(|gpu| management.used(*gpu))
        .sum()
}

/// Looks at [`used_memory`] every few milliseconds, on a thread of its own.
pub struct MemoryWatch {
    stop: Sender<()>,
    thread: JoinHandle<Option<u64>>,
}

impl MemoryWatch {
    /// Begins to watch. `None` where the system does not say what is taken.
    pub fn start() -> Option<Self> {
        let mut peak = used_memory()?;
        let (stop, stopped) = channel();
        let watch = move || {
            // The other end says a word, or is gone.
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(STEP) {
                peak = peak.max(used_memory()?);
            }
            Some(peak.max(used_memory()?))
        };
        let thread = thread::Builder::new().name("gpu-memory".to_owned());
        let thread = thread.spawn(watch).ok()?;
        Some(Self { stop, thread })
    }

    /// The most that was seen.
    pub fn stop(self) -> Option<u64> {
        drop(self.stop);
        self.thread.join().ok().flatten()
    }
}

type Init = unsafe extern "C" fn() -> c_int;
type ByBus = unsafe extern "C" fn(*const c_char, *mut *mut c_void) -> c_int;
type Info = unsafe extern "C" fn(*mut c_void, *mut MemoryInfo) -> c_int;

/// nvmlMemory_t.
#[derive(Default)]
#[repr(C)]
struct MemoryInfo {
    total: u64,
    free: u64,
    used: u64,
}

/// A GPU's handle: an address that only the library looks at.
#[derive(Clone, Copy)]
struct Gpu(usize);

/// The management library, initialised, with the GPUs that this process may see.
struct Management {
    info: Info,
    gpus: Vec<Gpu>,
}

impl Management {
    /// Loads it once a process; where that fails, it is not tried again.
    fn load() -> Option<&'static Self> {
        static LOADED: OnceLock<Option<Management>> = OnceLock::new();
        LOADED.get_or_init(Self::open).as_ref()
    }

    fn open() -> Option<Self> {
        let library = Library::open(c"libnvidia-ml.so.1").ok()?;
        let symbol = |name| library.symbol(name).ok();
        // SAFETY: the types are those of nvml.h, whose functions keep theirs: a new form gets a new name.
        let (init, by_bus, info) = unsafe {
            (
                transmute::<*mut c_void, Init>(symbol(c"nvmlInit_v2")?),
                transmute::<*mut c_void, ByBus>(symbol(c"nvmlDeviceGetHandleByPciBusId_v2")?),
                transmute::<*mut c_void, Info>(symbol(c"nvmlDeviceGetMemoryInfo")?),
            )
        };
        // SAFETY: it takes nothing, and may be called by anybody at any time.
        if unsafe { init() } != 0 {
            return None;
        }
        let driver = Driver::load().ok()?;
        let gpu = |index| {
            let bus = driver.bus(driver.device(index).ok()?).ok()?;
            let bus = CString::new(bus).ok()?;
            let mut handle = std::ptr::null_mut();
            // SAFETY: the name is a C string, and the handle outlives the call.
            let code = unsafe { by_bus(bus.as_ptr(), &mut handle) };
            (code == 0).then_some(Gpu(handle as usize))
        };
        let gpus = (0..driver.count().ok()?).map(gpu).collect::<Option<_>>()?;
        Some(Self { info, gpus })
    }

    fn used(&self, gpu: Gpu) -> Option<u64> {
        let mut memory = MemoryInfo::default();
        // SAFETY: the handle is the library's own, and `memory` outlives the call.
        let code = unsafe { (self.info)(gpu.0 as *mut c_void, &mut memory) };
        (code == 0).then_some(memory.used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where there is a GPU, something of it is taken by the driver itself or by others, and a watch sees no less.
    #[test]
    fn a_watch_sees_what_is_taken() {
        let before = used_memory();
        let watched = MemoryWatch::start().map(|watch| watch.stop().expect("read before"));
        assert_eq!(before.is_some(), watched.is_some());
    }
}
