//! Records the constraints of one partition of a 32 GiB proof of replication, and says what there is: the counts behind the
//! estimate in docs/synthesis.md. Takes about a minute and 100 MB.
//!
//!     cargo run --release -p cuzk-core --features filecoin --example record_porep_32g

use std::error::Error;
use std::time::Instant;

use cuzk_core::filecoin::{RegisteredSeal, SectorShapeSub8, SectorSize};
use cuzk_core::recorded::Recorder;
use filecoin_proofs::DefaultPieceHasher;
use filecoin_proofs::parameters::public_params;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_porep::stacked::{StackedCompound, StackedDrg};

type Tree = SectorShapeSub8;
type Compound = StackedCompound<Tree, DefaultPieceHasher>;
type Drg<'a> = StackedDrg<'a, Tree, DefaultPieceHasher>;

fn main() -> Result<(), Box<dyn Error>> {
    let config = RegisteredSeal::interactive(SectorSize::Gib32).config();
    let params = public_params::<Tree>(&config)?;
    let circuit = <Compound as CompoundProof<'_, Drg<'_>, _>>::blank_circuit(&params);
    println!("recording; this takes a while");
    let start = Instant::now();
    let recording = Recorder::record(circuit)?;
    let seconds = start.elapsed().as_secs_f64();

    let (shape, bytes) = (recording.shape(), recording.bytes());
    let nonzeros: u64 = shape.nonzeros.iter().sum();
    println!("{shape}");
    println!(
        "{nonzeros} non-zeros, {:.3} a constraint; {bytes} bytes, {:.3} a non-zero; recorded in {seconds:.1} s",
        nonzeros as f64 / shape.constraints as f64,
        bytes as f64 / nonzeros as f64,
    );
    Ok(())
}
