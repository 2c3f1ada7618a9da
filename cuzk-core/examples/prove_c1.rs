//! Proves the replication of a sector from its C1 output, through an engine, as it goes on.
//!
//!     cargo run --release -p cuzk-core --features filecoin --example prove_c1 -- c1.json 8 /var/tmp/filecoin-proof-parameters 300GiB
//!
//! The arguments are the file, the registered proof by number or name, the folder of parameters, and what the process may take.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use cuzk_core::backend::Backend;
use cuzk_core::budget::Bytes;
use cuzk_core::engine::{Engine, EngineConfig, Submission};
use cuzk_core::filecoin::c1::{self, Expected};
use cuzk_core::filecoin::{ProofRequest, RecordingFolder, Sources, SrsFolder};
use cuzk_core::parameters::Store;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |what: &str| arguments.next().ok_or_else(|| format!("{what} is missing"));
    let (file, registered) = (
        PathBuf::from(next("the C1 output")?),
        next("the registered proof")?,
    );
    let folder = PathBuf::from(next("the folder of parameters")?);
    let budget: Bytes = next("the budget")?.parse()?;

    let sources = Sources {
        parameters: Arc::new(SrsFolder {
            unverified: None,
            store: Store::at(folder.join("cuzk")),
            folder: Some(folder.clone()),
        }),
        recordings: Some(RecordingFolder::at(folder.join("cuzk/recordings"))),
    };
    let expected = Expected {
        registered: Some(registered.parse()?),
        ..Expected::default()
    };
    let request = ProofRequest::porep(c1::read_file(&file)?, expected, &sources)?;

    let engine = Engine::start(EngineConfig::new(Backend::Cpu, budget.0))?;
    let job = engine
        .submit(Submission::new("sector", Box::new(request)))?
        .handle;
    for event in job.events() {
        println!("{event:?}");
    }
    let ended = job.wait();
    let proof = ended.result.as_ref().map_err(|error| error.chain())?;
    println!(
        "{} bytes in {:.1} s, verified",
        proof.len(),
        ended.report.total.as_secs_f64()
    );
    Ok(())
}
