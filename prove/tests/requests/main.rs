//! What clients send, from bytes to one synthesised partition.

mod common;
mod encodings;
#[path = "../isolated/mod.rs"]
mod isolated;
mod partitions;
mod recordings;
mod statements;
