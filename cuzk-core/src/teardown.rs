//! Freeing what a proof leaves behind.

/// Gives up `value`, which holds about `bytes` bytes. Stacks with `async-dealloc` free it on another thread, within a
/// bound; the others do it here and now.
pub fn release<T: Send + 'static>(bytes: usize, value: T) {
    bellperson::dealloc::defer(bytes, value);
}

/// Bytes that may wait to be freed besides one value that is larger: zero where [`release`] frees at once.
pub fn bound() -> usize {
    bellperson::dealloc::bound()
}

/// Returns when all that was given up has been freed, by [`release`] and, with the feature `cuda`, by the GPU's prover of
/// what its finished proofs held on the host. Memory that it keeps for the next proof stays. Call it before measuring memory,
/// and before unloading a library whose destructors may still be due.
pub fn drain() {
    #[cfg(feature = "cuda")]
    supraseal_c2::drain();
    bellperson::dealloc::drain();
}
