//! What can go wrong between a circuit, its recording and a synthesis from it.

use std::path::PathBuf;

use bellperson::SynthesisError;

use super::RecordedShape;

/// An error of a recording, or of a synthesis from one.
#[derive(Debug, thiserror::Error)]
pub enum RecordedError {
    /// The circuit reports an error, while it was recorded or while its witness was computed.
    #[error("the circuit could not be run")]
    Circuit(#[source] SynthesisError),

    /// Parts are appended in a way that a recording cannot follow.
    #[error(
        "the circuit appends parts of itself in a way that cannot be recorded: {why}. Synthesise it plainly"
    )]
    NotExtensible {
        /// What it does.
        why: &'static str,
    },

    /// More than the format can hold.
    #[error("the circuit has more {what} than a recording can hold. Synthesise it plainly")]
    TooLarge {
        /// Of what.
        what: &'static str,
    },

    /// The circuit is another one than was recorded.
    #[error(
        "the recording is of another circuit: it has {expected_inputs} inputs and {expected_aux} private variables, this one \
         {inputs} and {aux}. Record this one"
    )]
    WrongCircuit {
        /// Inputs of the recording.
        expected_inputs: usize,
        /// Private variables of the recording.
        expected_aux: usize,
        /// Inputs of this circuit.
        inputs: usize,
        /// Private variables of this circuit.
        aux: usize,
    },

    /// The first input of an assignment is not one, as all constraints take for granted.
    #[error("the first input of the assignment is not the constant one")]
    NoOne,

    /// Memory for values is not of the size that is needed.
    #[error("a, b and c have {needed} values: there is room for {given:?}")]
    WrongLength {
        /// Number of constraints.
        needed: usize,
        /// Lengths of what was given for a, b and c.
        given: [usize; 3],
    },

    /// Not as many buffers as assignments.
    #[error("{assignments} assignments need as many buffers: {outputs} were given")]
    WrongCount {
        /// Number of assignments.
        assignments: usize,
        /// Number of buffers.
        outputs: usize,
    },

    /// Circuits that were needed once more did not come again.
    #[error("{count} circuits were needed once more: there were {again}")]
    NotAgain {
        /// How many were needed.
        count: usize,
        /// How many came.
        again: usize,
    },

    /// The self-check found a difference from plain synthesis.
    #[error("circuit {index}: {vector} of the recorded synthesis differs from that of plain synthesis{}", at(*.position))]
    Differs {
        /// Position of the circuit in its batch.
        index: usize,
        /// What differs.
        vector: &'static str,
        /// The first position that does, unless the lengths differ.
        position: Option<usize>,
    },

    /// Plain synthesis, which was asked for or fallen back to, failed.
    #[error(transparent)]
    Plain(#[from] crate::Error),

    /// The content of a recording contradicts itself.
    #[error("the recording is damaged: {what}. Record the circuit again")]
    Damaged {
        /// What was found.
        what: String,
    },

    /// A file could not be read or written.
    #[error("cannot {action} {path}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },

    /// A file is no recording, or one of another version of the format.
    #[error("{path} is no recording that this version reads: {what}. Record the circuit again")]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it has.
        what: String,
    },

    /// A file is shorter or longer than it says, or its content is not what was written.
    #[error("{path} is damaged: {what}. Record the circuit again")]
    DamagedFile {
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },

    /// A file is the recording of another circuit.
    #[error("{path} is a recording of {found}, not of {wanted}")]
    OtherCircuit {
        /// The file.
        path: PathBuf,
        /// The circuit id in it.
        found: String,
        /// The circuit id that was asked for.
        wanted: String,
    },

    /// A file is a recording of another shape than was asked for.
    #[error("{path} is a recording of another shape: {found} instead of {wanted}")]
    OtherShape {
        /// The file.
        path: PathBuf,
        /// Its shape.
        found: RecordedShape,
        /// The shape that was asked for.
        wanted: RecordedShape,
    },
}

impl RecordedError {
    /// Whether it says that a circuit cannot be synthesised from this recording, and not that something failed.
    pub fn is_mismatch(&self) -> bool {
        matches!(
            self,
            Self::WrongCircuit { .. }
                | Self::NoOne
                | Self::NotExtensible { .. }
                | Self::TooLarge { .. }
        )
    }
}

fn at(position: Option<usize>) -> String {
    position.map_or_else(String::new, |position| format!(" at {position}"))
}

/// What a constraint system remembers of a fault until it is asked for its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    NotExtensible(&'static str),
    TooLarge(&'static str),
}

impl From<Fault> for RecordedError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NotExtensible(why) => Self::NotExtensible { why },
            Fault::TooLarge(what) => Self::TooLarge { what },
        }
    }
}
