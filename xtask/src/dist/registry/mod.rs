//! A registry in a folder, as cargo's `local-registry` source wants it: archives, and an index with a line a release.

pub mod archive;
pub mod closure;
pub mod index;
