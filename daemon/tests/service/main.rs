//! The daemon in one process: a real server and real clients on a unix socket, an engine with a small circuit, and a prover
//! that waits until it is let go.

mod calls;
mod common;
mod ending;
mod joining;
mod leaving;
mod limits;
