//! Written by the other half.
