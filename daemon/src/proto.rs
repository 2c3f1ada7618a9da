//! The contract, as `proto/cuzk/v1/proving.proto` has it.

#[allow(missing_docs)]
mod generated {
    tonic::include_proto!("cuzk.v1");
}

pub use generated::*;

/// The contract as a `FileDescriptorSet`, for those who read contracts.
pub const CONTRACT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/contract.bin"));

/// The largest message that is taken and given, in bytes: what clients allow.
pub const MESSAGE_BYTES: usize = 256 << 20;
