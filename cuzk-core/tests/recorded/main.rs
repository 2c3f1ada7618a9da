//! Synthesis from a recording is plain synthesis, bit for bit.

mod circuits;
mod common;
mod random;
mod store;
mod synthesis;
