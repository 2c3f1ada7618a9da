//! Memory for assignments before there is anything to put into it: how much, and on which pages.

use anyhow::Result;
use bellperson::Circuit;
use blstrs::Scalar as Fr;
use cuzk_circuits::Shape;
use cuzk_core::synthesis::Capacity;
use cuzk_harness::Request;
use cuzk_harness::registry::OptionSpec;

use crate::pages::{self, Wish};

/// How much.
pub const CAPACITY: OptionSpec = OptionSpec {
    key: "capacity",
    values: &["exact", "over"],
    help: "reserve the vectors of the assignment beforehand: at their exact size, or at twice that",
};

/// On which pages.
pub const PAGES: OptionSpec = OptionSpec {
    key: "pages",
    values: &["own", "huge", "touched", "huge-touched"],
    help: "large blocks of memory as mappings of their own: as they are; in huge pages; touched when they are reserved; both",
};

/// What to reserve. The sizes come from a count that allocates nothing, so that it leaves no pages warm.
pub fn capacity<C: Circuit<Fr> + Clone>(
    request: &Request,
    circuit: &C,
) -> Result<Option<Capacity>> {
    let factor = match request.options.get("capacity").copied() {
        None => return Ok(None),
        Some("over") => 2,
        Some(_) => 1,
    };
    let shape = Shape::of(circuit.clone())?;
    Ok(Some(Capacity {
        constraints: factor * shape.constraints,
        inputs: factor * shape.inputs,
        aux: factor * shape.aux,
    }))
}

/// Has large blocks served as the request's option says from now on, if it has it.
///
/// # Safety
///
/// That of [`pages::take_large_blocks`].
pub unsafe fn take_pages(request: &Request) {
    let (huge, touched) = match request.options.get("pages").copied() {
        None => return,
        Some("huge") => (true, false),
        Some("touched") => (false, true),
        Some("huge-touched") => (true, true),
        Some(_) => (false, false),
    };
    // SAFETY: the caller's duties are those of this call.
    unsafe { pages::take_large_blocks(Wish { huge, touched }) };
}
