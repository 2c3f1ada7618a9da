//! What is to be proven.

use std::error::Error;
use std::sync::Arc;

use bellperson::groth16::Proof;
use blstrs::Bls12;

use crate::backend::Backend;
use crate::budget::{Footprint, Sizes};
use crate::recorded::Recording;
use crate::srs::Srs;
use crate::synthesis::Synthesis;

/// Whatever a request or its work reports. Its source chain is kept.
pub type WorkError = Box<dyn Error + Send + Sync + 'static>;

/// Something that becomes work once it has been looked at: that is done by a thread of the engine, so that submitting is
/// quick.
pub trait Request: Send + 'static {
    /// The name of the circuit, as in `porep-32g`: known before anything is read.
    fn circuit(&self) -> String;

    /// What the request itself holds on to, in bytes, until it has been prepared and proven.
    fn bytes(&self) -> u64 {
        0
    }

    /// Looks at it.
    ///
    /// # Errors
    ///
    /// What is wrong with it. The job ends with [`JobError::Invalid`](super::JobError::Invalid).
    fn prepare(self: Box<Self>) -> Result<Prepared, WorkError>;
}

/// A request that was found good.
pub struct Prepared {
    /// The work.
    pub work: Arc<dyn Work>,
    /// The parameters that its proofs are made with.
    pub srs: Arc<dyn Srs>,
    /// Counts of one partition; all are equal. Memory is reserved by them.
    pub sizes: Sizes,
    /// Where the recording of its circuit comes from; `None`: synthesis is plain.
    pub recording: Option<RecordingSource>,
}

/// Partitions to be proven.
pub trait Work: Send + Sync + 'static {
    /// How many there are, at least one.
    fn partitions(&self) -> usize;

    /// Synthesises one of them: one circuit. It is asked again where a proof has to be made again.
    ///
    /// # Errors
    ///
    /// What is wrong with it. The job ends with [`JobError::Synthesis`](super::JobError::Synthesis).
    fn synthesize(&self, partition: usize, tools: &Tools<'_>) -> Result<Synthesis, WorkError>;

    /// The bytes that the caller gets for the proofs of all partitions: one proof after another.
    fn encode(&self, proofs: &[Proof<Bls12>]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(proofs.len() * Proof::<Bls12>::size());
        for proof in proofs {
            proof
                .write(&mut bytes)
                .expect("writing to memory does not fail");
        }
        bytes
    }
}

/// What a synthesis may use.
pub struct Tools<'a> {
    /// The recording of the circuit, where there is one.
    pub recording: Option<&'a Recording>,
    /// Whether the job has been cancelled, so that nobody wants the result any more.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// Makes or reads a recording. It is kept beside the parameters and evicted as they are.
#[derive(Clone)]
pub struct RecordingSource {
    /// Names the circuit, with everything that its constraints depend on.
    pub id: String,
    /// What is reserved for it, in bytes; a recording that is larger is not used.
    pub bytes: u64,
    /// Reads or makes it. Where it fails, synthesis is plain.
    #[allow(clippy::type_complexity)]
    pub load: Arc<dyn Fn() -> Result<Recording, WorkError> + Send + Sync>,
}

impl Prepared {
    /// What a partition takes on a backend, synthesised from a recording or plainly.
    pub(crate) fn footprint(&self, backend: Backend, recorded: bool) -> Footprint {
        let footprint = Footprint::of(&self.sizes, backend);
        match recorded {
            true => footprint,
            false => Footprint {
                synthesis: 0,
                ..footprint
            },
        }
    }
}
