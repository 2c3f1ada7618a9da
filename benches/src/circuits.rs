//! From a request to the circuit that it is about.

use anyhow::{Result, bail};
use bellperson::Circuit;
use blstrs::Scalar as Fr;
use cuzk_circuits::{
    AddManyCircuit, EnforceEqualCircuit, LookupCircuit, MultipackCircuit, Sha256Circuit,
};
use cuzk_harness::Request;

use crate::workloads::{CircuitKind, Kind};
use crate::{blend, porep, sectors};

/// Something to do with a circuit, whatever its type.
pub trait Task {
    /// What comes out.
    type Output;

    /// Does it. `inputs` are the public inputs that the circuit should have, the constant one left out; they are
    /// computed by other code than the circuit's.
    fn with<C>(self, circuit: C, inputs: Vec<Fr>) -> Result<Self::Output>
    where
        C: Circuit<Fr> + Clone + Send;
}

/// Constraints and inputs of a circuit of Filecoin's, the constant input among them and the prover's constraints not; of
/// other circuits nothing is known.
pub fn known_shape(request: &Request) -> Option<(usize, usize)> {
    match Kind::of(request.workload) {
        Kind::Synth(CircuitKind::Porep) => Some(porep::SHAPE),
        Kind::Synth(CircuitKind::Window) => {
            let (constraints, inputs) = sectors::WINDOW_SHAPE;
            let sectors = usize::try_from(request.size?).ok()?;
            Some((constraints * sectors, 1 + inputs * sectors))
        }
        Kind::Synth(CircuitKind::Snap) => Some(sectors::SNAP_SHAPE),
        Kind::Synth(CircuitKind::Winning) => Some(sectors::WINNING_SHAPE),
        _ => None,
    }
}

/// Makes the circuit of a request and hands it to a task.
pub fn with_circuit<T: Task>(request: &Request, task: T) -> Result<T::Output> {
    let seed = request.seed;
    let size = usize::try_from(request.size.unwrap_or(0))?;
    let kind = match Kind::of(request.workload) {
        Kind::Synth(kind) | Kind::Prove(kind) | Kind::Engine(kind) => kind,
        Kind::Params(_) | Kind::Teardown => {
            bail!("{} synthesises nothing here", request.workload.name)
        }
    };
    match kind {
        CircuitKind::Porep => {
            let (circuit, inputs) = porep::circuit(seed)?;
            task.with(circuit, inputs)
        }
        CircuitKind::Window => {
            let (circuit, inputs) = sectors::window(seed, size)?;
            task.with(circuit, inputs)
        }
        CircuitKind::Winning => {
            let (circuit, inputs) = sectors::winning(seed)?;
            task.with(circuit, inputs)
        }
        CircuitKind::Snap => {
            let (circuit, inputs) = sectors::snap(seed)?;
            task.with(circuit, inputs)
        }
        CircuitKind::Blend(kind) => {
            let circuit = blend::circuits(kind, seed, request.size, 1)?.remove(0);
            let inputs = circuit.public_inputs();
            task.with(circuit, inputs)
        }
        CircuitKind::Sha256 => {
            let circuit = Sha256Circuit::from_seed(seed, size);
            let inputs = circuit.public_inputs().unwrap_or_default();
            task.with(circuit, inputs)
        }
        CircuitKind::AddMany => {
            let circuit = AddManyCircuit::from_seed(seed, size);
            let inputs = circuit.public_inputs();
            task.with(circuit, inputs)
        }
        CircuitKind::Multipack => {
            let circuit = MultipackCircuit::from_seed(seed, size);
            let inputs = circuit.public_inputs();
            task.with(circuit, inputs)
        }
        CircuitKind::Lookup => {
            let circuit = LookupCircuit::<Fr>::from_seed(seed, size);
            let inputs = circuit.public_inputs();
            task.with(circuit, inputs)
        }
        CircuitKind::EnforceEqual => {
            let circuit = EnforceEqualCircuit::from_seed(seed, size);
            let inputs = circuit.public_inputs();
            task.with(circuit, inputs)
        }
    }
}
