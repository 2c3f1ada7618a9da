//! Whether two syntheses are the same.

use bellperson::groth16::ProvingAssignment;
use blstrs::Scalar as Fr;

use super::RecordedError;

/// Fails at the first difference between batches.
pub(super) fn differs(
    recorded: &[ProvingAssignment<Fr>],
    plain: &[ProvingAssignment<Fr>],
) -> Result<(), RecordedError> {
    for (index, (recorded, plain)) in recorded.iter().zip(plain).enumerate() {
        let error = |vector, position| RecordedError::Differs {
            index,
            vector,
            position,
        };
        type Vector = fn(&ProvingAssignment<Fr>) -> &[Fr];
        let vectors: [(&'static str, Vector); 5] = [
            ("the input assignment", ProvingAssignment::input_assignment),
            ("the private assignment", ProvingAssignment::aux_assignment),
            ("a", ProvingAssignment::a),
            ("b", ProvingAssignment::b),
            ("c", ProvingAssignment::c),
        ];
        for (name, vector) in vectors {
            let (ours, theirs) = (vector(recorded), vector(plain));
            if ours.len() != theirs.len() {
                return Err(error(name, None));
            }
            if let Some(position) = ours
                .iter()
                .zip(theirs)
                .position(|(ours, theirs)| ours != theirs)
            {
                return Err(error(name, Some(position)));
            }
        }
        let densities = [
            (
                "the density of A",
                recorded.a_aux_density() == plain.a_aux_density(),
            ),
            (
                "the input density of B",
                recorded.b_input_density() == plain.b_input_density(),
            ),
            (
                "the density of B",
                recorded.b_aux_density() == plain.b_aux_density(),
            ),
        ];
        if let Some((name, _)) = densities.iter().find(|(_, same)| !same) {
            return Err(error(name, None));
        }
    }
    Ok(())
}
