//! Operations on linear combinations.
fn main() {}
