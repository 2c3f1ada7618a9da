//! Nothing but tests, in `tests/`: what crosses the crates of this workspace.
