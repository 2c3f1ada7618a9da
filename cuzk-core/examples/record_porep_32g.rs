//! Records the constraints of one partition of a 32 GiB proof of replication, and says what there is: the counts behind the
//! estimate in docs/synthesis.md. Takes about a minute and 100 MB. Another circuit can be named, as in `winning-32g`.
//!
//!     cargo run --release -p cuzk-core --features filecoin --example record_porep_32g

use std::error::Error;
use std::time::Instant;

use cuzk_core::filecoin::CircuitId;

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1);
    let circuit: CircuitId = name.as_deref().unwrap_or("porep-32g").parse()?;
    println!("recording {circuit}; this takes a while");
    let start = Instant::now();
    let recording = circuit.record()?;
    let seconds = start.elapsed().as_secs_f64();

    let (shape, bytes) = (recording.shape(), recording.bytes());
    let nonzeros: u64 = shape.nonzeros.iter().sum();
    println!("{shape}");
    println!(
        "{nonzeros} non-zeros, {:.3} a constraint; {bytes} bytes, {:.3} a non-zero, {:.3} a constraint; recorded in {seconds:.1} s",
        nonzeros as f64 / shape.constraints as f64,
        bytes as f64 / nonzeros as f64,
        bytes as f64 / shape.constraints as f64,
    );
    Ok(())
}
