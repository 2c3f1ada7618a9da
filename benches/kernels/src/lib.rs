//! Inputs that the benches of this package share.
