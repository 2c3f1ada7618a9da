//! Libraries that come with NVIDIA's driver. They are loaded when they are first asked, never linked, so that a program
//! with the GPU's prover in it starts everywhere.

use std::ffi::{CStr, c_void};

/// A library, which stays loaded.
pub(super) struct Library(*mut c_void);

impl Library {
    /// Loads it, or says why not.
    pub fn open(name: &CStr) -> Result<Self, String> {
        // SAFETY: the name is a C string. The library's constructors are NVIDIA's; it is never closed again.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        match library.is_null() {
            true => Err(reason(name)),
            false => Ok(Self(library)),
        }
    }

    /// The address of a function.
    pub fn symbol(&self, name: &CStr) -> Result<*mut c_void, String> {
        // SAFETY: the library came from dlopen and is open.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        match address.is_null() {
            true => Err(reason(name)),
            false => Ok(address),
        }
    }
}

/// What dlopen or dlsym said last on this thread.
fn reason(name: &CStr) -> String {
    // SAFETY: the text belongs to the C library until its next call on this thread.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return format!("{} cannot be used", name.to_string_lossy());
    }
    // SAFETY: not null, so a C string.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}
