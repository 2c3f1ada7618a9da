//! What cases are made of, once for all processes: files of parameters, and the proofs that the CPU makes with them.

use std::collections::BTreeSet;
use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bellperson::groth16::Proof;
use blstrs::Bls12;
use cuzk_core::backend::prove_verified;
use cuzk_core::parameters::{self, Trust};
use cuzk_core::synthesis::synthesize;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::batch::Batch;
use crate::circuit::{Chains, Dense, Shape};

/// The file of a shape's parameters.
pub fn parameters_of(folder: &Path, shape: Shape) -> PathBuf {
    folder.join(format!("{shape}.params"))
}

/// The proofs that a batch has to have.
pub fn expected(folder: &Path, batch: &Batch) -> Result<Vec<u8>> {
    let path = expected_file(folder, batch);
    fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
}

fn expected_file(folder: &Path, batch: &Batch) -> PathBuf {
    folder.join(format!("{batch}.proofs"))
}

/// The bytes of proofs, one after another.
pub fn bytes(proofs: &[Proof<Bls12>]) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(proofs.len() * Proof::<Bls12>::size());
    for proof in proofs {
        proof.write(&mut bytes)?;
    }
    Ok(bytes)
}

/// Generates the parameters of a shape. Their seed is public: they are for tests.
pub fn generate(shape: Shape, path: &Path) -> Result<()> {
    let mut rng = ChaCha20Rng::seed_from_u64(0x6770_7500);
    let blank = || Chains::new(shape, Dense::None, 0);
    let made = parameters::generate(blank, &mut rng, &())
        .with_context(|| format!("parameters of {shape}"))?;
    let write = || {
        let mut file = BufWriter::new(fs::File::create(path)?);
        made.write(&mut file)?;
        std::io::Write::flush(&mut file)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Makes the parameters of all shapes, and the proofs of all batches, where they are not there. Proofs are verified.
pub fn prepare(folder: &Path, batches: &BTreeSet<Batch>) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let shapes: BTreeSet<Shape> = batches.iter().map(|batch| batch.shape).collect();
    for shape in shapes {
        let path = parameters_of(folder, shape);
        if !path.is_file() {
            let part = path.with_extension("part");
            generate(shape, &part)?;
            fs::rename(&part, &path).context("cannot rename what was generated")?;
        }
        let of_shape = batches.iter().filter(|batch| batch.shape == shape);
        let missing: Vec<&Batch> = of_shape
            .filter(|batch| !expected_file(folder, batch).is_file())
            .collect();
        if missing.is_empty() {
            continue;
        }
        let parameters = parameters::read(&path, Trust::Unverified, &())?;
        for batch in missing {
            let synthesis = synthesize(batch.circuits(), &Default::default())?;
            let proved = prove_verified(synthesis, &parameters, &batch.randomness())
                .with_context(|| format!("the CPU's proof of {batch}"))?;
            let file = expected_file(folder, batch);
            fs::write(&file, bytes(&proved.proofs)?)
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{LARGE, equal};

    /// The CPU's prover takes every circuit of the suite, and what it proves verifies.
    #[test]
    fn the_cpu_proves_every_batch() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let batches = equal().into_iter().filter(|batch| batch.shape.rows < 2100);
        let batches: BTreeSet<Batch> = batches.collect();
        prepare(folder.path(), &batches).expect("prepared");
        for batch in &batches {
            let proofs = expected(folder.path(), batch).expect("there");
            assert_eq!(proofs.len(), 192 * batch.circuits, "{batch}");
        }
        assert_eq!(LARGE.shape.rows.next_power_of_two(), 1 << 20);
    }
}
