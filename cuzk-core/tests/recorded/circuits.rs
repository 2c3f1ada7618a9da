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
