//! The cases: their names, which stay, and what each is about.

use crate::batch::{self, Batch};
use crate::circuit::InB;
use crate::damage::Damage;
use crate::setting::{self, SETTINGS, Setting};

/// One row of the table.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name. Patterns of `--only` are parts of it.
    pub name: String,
    /// Cases of one lane run one after another in one process, as long as it lives.
    pub lane: String,
    /// What it does.
    pub what: What,
}

/// What a case does.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// The proofs of a batch are the CPU's.
    Equal(Batch, Setting),
    /// Two threads prove at the same time, and each has the CPU's proofs.
    Threads(Setting),
    /// The same parameters, taken back and loaded again, in another order each time.
    Reload,
    /// Parameters are damaged: an error when they are loaded or used.
    Damaged(Damage, Reader),
    /// The circuits are of another shape than the parameters.
    OtherShape(Batch, Reader),
    /// Every allocation on the device fails once.
    Alloc(Setting, Batch),
    /// A thread of the prover throws, in one of its places.
    Worker(u64, Setting),
    /// A GPU is asked for that there is not.
    Device,
    /// The GPU's memory may be used for next to nothing.
    LittleMemory(Setting),
    /// A batch of two shapes.
    Unequal,
    /// A batch of nothing.
    NoCircuits,
    /// Fewer random scalars than circuits.
    NoRandomness,
    /// A witness that does not satisfy the circuit.
    Falsified(Setting),
    /// The process may see no GPU, or not the one that there is.
    NoGpu(&'static str, Reader),
    /// A large proof within so many MiB of the GPU's memory; 0: as it likes.
    Cap(u64, Setting),
}

/// Who looks at parameters before the prover gets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// cuzk-core, as for everybody.
    Checked,
    /// Nobody: the prover's own loader and checks have to do.
    Raw,
}

impl Reader {
    const BOTH: [Self; 2] = [Self::Checked, Self::Raw];

    fn name(self) -> &'static str {
        match self {
            Self::Checked => "checked",
            Self::Raw => "raw",
        }
    }
}

/// Circuits that look like the one that parameters are for.
pub const OTHERS: [(&str, Batch); 5] = {
    let of = batch::NEXT.shape;
    const fn other(rows: usize, inputs: usize, in_b: InB) -> Batch {
        let mut other = batch::NEXT;
        other.shape.rows = rows;
        other.shape.inputs = inputs;
        other.shape.in_b = in_b;
        other
    }
    [
        ("one-row-more", other(of.rows + 1, of.inputs, of.in_b)),
        ("one-row-less", other(of.rows - 1, of.inputs, of.in_b)),
        ("one-input-more", other(of.rows, of.inputs + 1, of.in_b)),
        ("b-full", other(of.rows, of.inputs, InB::Full)),
        ("b-empty", other(of.rows, of.inputs, InB::Empty)),
    ]
};

/// Where a thread of the prover can be made to throw.
const PLACES: [(u64, &str); 4] = [
    (1, "preparation"),
    (2, "pool"),
    (3, "host-memory"),
    (4, "gpu-thread"),
];

/// All cases, in the order of the table.
pub fn all() -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |name: String, lane: String, what| all.push(Case { name, lane, what });
    for setting in SETTINGS {
        for batch in batch::equal() {
            let name = format!("equal/{setting}/{batch}");
            add(
                name,
                format!("equal/{setting}"),
                What::Equal(batch, setting),
            );
        }
        let name = format!("equal/{setting}/two-threads");
        add(name, format!("equal/{setting}"), What::Threads(setting));
    }
    add("equal/reload".into(), "equal/reload".into(), What::Reload);

    for reader in Reader::BOTH {
        let lane = format!("errors/parameters-{}", reader.name());
        for damage in Damage::all() {
            let name = format!("{lane}/{}", damage.name());
            add(name, lane.clone(), What::Damaged(damage, reader));
        }
        let lane = format!("errors/shape-{}", reader.name());
        for (name, batch) in OTHERS {
            add(
                format!("{lane}/{name}"),
                lane.clone(),
                What::OtherShape(batch, reader),
            );
        }
    }
    let tried = [
        "default",
        "off",
        "on",
        "on+stream+raw",
        "on+multiples-12",
        "off+b-g2-gpu",
    ];
    for setting in tried.into_iter().filter_map(setting::of) {
        let lane = format!("errors/alloc/{setting}");
        for circuits in [1, 3] {
            let batch = Batch {
                circuits,
                ..batch::NEXT
            };
            let name = format!("{lane}/x{circuits}");
            // A process of its own each: what is allocated once is allocated in its first proof.
            add(name.clone(), name, What::Alloc(setting, batch));
        }
    }
    for setting in ["default", "off", "on"].into_iter().filter_map(setting::of) {
        for (place, shown) in PLACES {
            let lane = format!("errors/throws/{setting}");
            add(
                format!("{lane}/{shown}"),
                lane,
                What::Worker(place, setting),
            );
        }
    }
    let mut request = |name: &str, what| {
        let lane = "errors/request".to_owned();
        add(format!("{lane}/{name}"), lane, what);
    };
    request("no-such-device", What::Device);
    request("unequal-circuits", What::Unequal);
    request("no-circuits", What::NoCircuits);
    request("no-randomness", What::NoRandomness);
    for setting in ["default", "off", "on"].into_iter().filter_map(setting::of) {
        request(
            &format!("false-witness-{setting}"),
            What::Falsified(setting),
        );
    }
    for setting in ["on", "on+stream+raw"].into_iter().filter_map(setting::of) {
        request(
            &format!("little-memory-{setting}"),
            What::LittleMemory(setting),
        );
    }
    for reader in Reader::BOTH {
        for (visible, shown) in [("", "none"), ("9", "9"), ("1", "1")] {
            let name = format!("errors/visible-devices-{}/{shown}", reader.name());
            add(name.clone(), name, What::NoGpu(visible, reader));
        }
    }
    let capped = [
        ("default", 0),
        ("on", 0),
        ("on", 1024),
        ("on", 512),
        ("on+stream+raw", 512),
        ("on+multiples-12", 512),
    ];
    for (name, mib) in capped {
        if let Some(setting) = setting::of(name) {
            let name = format!("cap/{setting}/{mib}-mib");
            add(name.clone(), name, What::Cap(mib, setting));
        }
    }
    all
}

impl Case {
    /// The batches whose parameters and proofs it needs.
    pub fn batches(&self) -> Vec<Batch> {
        match &self.what {
            What::Equal(batch, _) | What::Alloc(_, batch) => vec![*batch, batch::NEXT],
            What::Cap(..) => vec![batch::NEXT, batch::LARGE],
            What::Threads(_) | What::Reload => [vec![batch::NEXT], batch::threads()].concat(),
            _ => vec![batch::NEXT],
        }
    }

    /// Whether nothing else may use the GPU at the same time.
    pub fn is_alone(&self) -> bool {
        matches!(self.what, What::Cap(..))
    }

    /// What `CUDA_VISIBLE_DEVICES` has to be for it; `None` where it stays as it is.
    pub fn visible(&self) -> Option<&'static str> {
        match self.what {
            What::NoGpu(visible, _) => Some(visible),
            _ => None,
        }
    }
}

/// Whether a case is wanted: all are where there is no pattern.
pub fn is_wanted(name: &str, only: &[String]) -> bool {
    only.is_empty() || only.iter().any(|pattern| name.contains(pattern.as_str()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A case that is dropped, or gets another name, is seen in the change. `gpu-suite --cases` prints the list.
    #[test]
    fn names_are_those_of_the_committed_list() {
        let names: Vec<String> = all().into_iter().map(|case| case.name).collect();
        let unique: BTreeSet<&String> = names.iter().collect();
        assert_eq!(unique.len(), names.len());
        let committed: Vec<&str> = include_str!("../cases.txt").lines().collect();
        assert!(
            names == committed,
            "tests/gpu/cases.txt is not what `gpu-suite --cases` prints: {} names, {} committed",
            names.len(),
            committed.len()
        );
    }

    #[test]
    fn patterns_are_parts_of_names() {
        let only = vec!["raw/".to_owned(), "cap".to_owned()];
        assert!(is_wanted("cap/on/512-mib", &only) && is_wanted("x-raw/y", &only));
        assert!(!is_wanted("equal/on+raw-x", &only) && is_wanted("any", &[]));
    }

    #[test]
    fn other_shapes_are_others() {
        for (name, other) in OTHERS {
            assert_ne!(other.shape, batch::NEXT.shape, "{name}");
        }
    }
}
