//! Circuits of gadgets.

use blstrs::Scalar as Fr;
use cuzk_circuits::{
    AddManyCircuit, Blend, BlendCircuit, EnforceEqualCircuit, LookupCircuit, MultipackCircuit,
    Sha256Circuit,
};

use crate::common::{agrees, agrees_with};

#[test]
fn sha256() {
    let recording = agrees(Sha256Circuit::blank(2), Sha256Circuit::from_seed(1, 2));
    agrees_with(&recording, Sha256Circuit::from_seed(2, 2));
}

#[test]
fn gadgets() {
    let lookup = LookupCircuit::<Fr>::from_seed;
    agrees(lookup(1, 50), lookup(2, 50));
    agrees(
        MultipackCircuit::from_seed(1, 30),
        MultipackCircuit::from_seed(2, 30),
    );
    agrees(
        AddManyCircuit::from_seed(1, 30),
        AddManyCircuit::from_seed(2, 30),
    );
    agrees(
        EnforceEqualCircuit::from_seed(1, 300),
        EnforceEqualCircuit::from_seed(2, 300),
    );
}

/// Circuits of the proportions of real ones, in which most values, or some, are no bits.
#[test]
fn blends() {
    for blend in [Blend::Porep, Blend::Post, Blend::Stress] {
        let circuit = |seed| BlendCircuit::from_seed(blend, seed, 0, 10).expect("is large enough");
        let recording = agrees(circuit(1), circuit(1));
        agrees_with(&recording, circuit(2));
    }
}
