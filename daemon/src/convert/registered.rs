//! The network's numbers of proof types. Each kind counts its own from 0, by version and then by size.

use cuzk_core::filecoin::{CircuitId, ProofKind, RegisteredSeal, SealVersion, SectorSize};

use super::error::Wrong;

/// Checks that a number is one of this circuit's kind and size; of a PoRep it says the seal.
pub(super) fn check(circuit: CircuitId, number: u64) -> Result<Option<RegisteredSeal>, Wrong> {
    let (kind, hint) = match circuit.kind {
        ProofKind::Porep => ("PoRep", "they are 0 to 14"),
        ProofKind::Winning => ("WinningPoSt", "they are 0 to 4"),
        ProofKind::Window => ("WindowPoSt", "they are 10 to 14"),
        ProofKind::Snap => ("SnapDeals", "they are 0 to 4"),
    };
    let unregistered = Wrong::Unregistered { kind, number, hint };
    let mut seal = None;
    let registered = match circuit.kind {
        ProofKind::Porep => {
            let found = RegisteredSeal::all().find(|seal| seal.number() == number);
            let found = found.ok_or(unregistered)?;
            if found.version == SealVersion::NonInteractive {
                return Err(Wrong::NonInteractive { registered: found });
            }
            seal = Some(found);
            found.size
        }
        ProofKind::Winning | ProofKind::Snap => size(number, 0).ok_or(unregistered)?,
        ProofKind::Window => match size(number, 5) {
            Some(_) => return Err(Wrong::FirstWindow { number }),
            None => size(number, 10).ok_or(unregistered)?,
        },
    };
    match registered == circuit.size {
        true => Ok(seal),
        false => Err(Wrong::OtherSize {
            number,
            registered,
            size: circuit.size,
        }),
    }
}

/// The number that most proofs of this circuit have.
pub fn usual(circuit: CircuitId) -> u64 {
    let first = match circuit.kind {
        ProofKind::Porep => return RegisteredSeal::interactive(circuit.size).number(),
        ProofKind::Winning | ProofKind::Snap => 0,
        ProofKind::Window => 10,
    };
    let index = SectorSize::ALL
        .iter()
        .position(|size| *size == circuit.size);
    first + index.unwrap_or_default() as u64
}

/// The size of a number, where the numbers of a version begin at `first`.
fn size(number: u64, first: u64) -> Option<SectorSize> {
    let index = usize::try_from(number.checked_sub(first)?).ok()?;
    SectorSize::ALL.get(index).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_circuit_has_its_numbers() {
        for (name, numbers) in [
            ("porep-2k", vec![0, 5, 10]),
            ("porep-32g", vec![3, 8, 13]),
            ("winning-32g", vec![3]),
            ("wpost-64g", vec![14]),
            ("snap-8m", vec![1]),
        ] {
            let circuit: CircuitId = name.parse().expect("an id");
            let good = |number: &u64| check(circuit, *number).is_ok();
            let found: Vec<u64> = (0..100).filter(good).collect();
            assert_eq!(found, numbers, "{name}");
        }
        for circuit in CircuitId::all() {
            assert!(check(circuit, usual(circuit)).is_ok(), "{circuit}");
            assert!(check(circuit, u64::MAX).is_err(), "{circuit}");
        }
    }
}
