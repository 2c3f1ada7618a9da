//! Recordings as files.
//!
//! ```text
//! header   magic, version; counts of the shape and of the sections, 8 bytes each; circuit id; digest; checksum of all that
//! content  dictionary: 32 bytes a coefficient, in Montgomery form
//!          chunks: rows, words in A, in B and in C, 4 bytes each; what they know of the dictionary of each, 2 bytes each, and
//!          2 of zeros; where their blocks end in each, 8 bytes each
//!          densities: private in A, inputs in B, private in B, packed
//!          dictionaries of A, B and C; their blocks
//! ```
//!
//! All numbers are little-endian. The digest, BLAKE2b-256, is of the counts and the content: it names what was recorded,
//! whatever the circuit is called, as this version of the program packs it.
//!
//! A file is written beside its place and renamed, so there is a whole one or none. It is read into memory, not mapped:
//! products take indices unchecked that were looked at once, and a mapped file can change after that, or end. A recording is
//! small enough.

mod header;
mod transfer;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use bellperson::Circuit;
use blstrs::Scalar as Fr;

use self::header::Header;
use super::{RecordedError, RecordedShape, Recorder, Recording};

pub use self::header::VERSION;

/// Which recording is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The caller's name of the circuit, with everything that its constraints depend on; at most 4096 bytes.
    pub circuit_id: &'a str,
    /// The shape that it must have, where it is known.
    pub shape: Option<RecordedShape>,
}

/// A recording, and where it comes from.
#[derive(Debug)]
pub struct Loaded {
    /// The recording.
    pub recording: Recording,
    /// Where it comes from.
    pub origin: Origin,
}

/// What the header of a file says of the recording in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedHeader {
    /// Its size.
    pub shape: RecordedShape,
    /// Bytes of memory that it takes once it is read, as [`Recording::bytes`].
    pub bytes: u64,
}

/// Where a recording comes from.
#[derive(Debug)]
pub enum Origin {
    /// From the file.
    File,
    /// It was made now.
    Recorded {
        /// What was wrong with the file; `None` where there was none.
        instead_of: Option<Box<RecordedError>>,
        /// Why it could not be stored, if so: it will be made again next time.
        not_stored: Option<Box<RecordedError>>,
    },
}

impl Recording {
    /// Stores it under `circuit_id` in the file `path`, which is replaced.
    ///
    /// # Errors
    ///
    /// [`RecordedError::Io`]; [`RecordedError::TooLarge`] for a circuit id of more than 4096 bytes.
    pub fn store(&self, path: &Path, circuit_id: &str) -> Result<(), RecordedError> {
        let header = Header::of(self, circuit_id)?;
        let part = part(path);
        let written = write(&part, &header, self).and_then(|()| fs::rename(&part, path));
        written.map_err(|source| {
            // What was written is of no use to anybody; if it cannot be removed either, the error says enough.
            let _ = fs::remove_file(&part);
            io_error("write", path, source)
        })
    }

    /// Reads a recording from the file `path`.
    ///
    /// # Errors
    ///
    /// [`RecordedError::Io`], [`RecordedError::Foreign`] for another format or version, [`RecordedError::DamagedFile`],
    /// [`RecordedError::OtherCircuit`] and [`RecordedError::OtherShape`] for another recording than the wanted one.
    pub fn load(path: &Path, wanted: &Wanted<'_>) -> Result<Self, RecordedError> {
        let file = File::open(path).map_err(|source| io_error("open", path, source))?;
        transfer::read(file, path, wanted)
    }

    /// What the header of the file `path` says. The content is as long as that says, and not looked at.
    ///
    /// # Errors
    ///
    /// Those of [`load`](Self::load), as far as a header can tell.
    pub fn peek(path: &Path, wanted: &Wanted<'_>) -> Result<RecordedHeader, RecordedError> {
        let mut file = File::open(path).map_err(|source| io_error("open", path, source))?;
        let (header, content) = transfer::header(&mut file, path, wanted)?;
        Ok(RecordedHeader {
            shape: header.shape,
            // Sections take in memory what they take in the file.
            bytes: content,
        })
    }

    /// The recording in the file `path`, or, where there is none that can be used, one that is made of `circuit` and stored
    /// there. A file that cannot be used is not an error: [`Origin`] says what was wrong.
    ///
    /// # Errors
    ///
    /// Those of [`Recorder::record`], and [`RecordedError::OtherShape`] where the circuit has another shape than the wanted
    /// one.
    pub fn load_or_record<C: Circuit<Fr>>(
        path: &Path,
        wanted: &Wanted<'_>,
        circuit: impl FnOnce() -> C,
    ) -> Result<Loaded, RecordedError> {
        let instead_of = match Self::load(path, wanted) {
            Ok(recording) => {
                let origin = Origin::File;
                return Ok(Loaded { recording, origin });
            }
            Err(RecordedError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                None
            }
            Err(error) => Some(Box::new(error)),
        };
        let recording = Recorder::record(circuit())?;
        check_shape(path, &recording.shape(), wanted)?;
        let not_stored = recording.store(path, wanted.circuit_id).err().map(Box::new);
        Ok(Loaded {
            recording,
            origin: Origin::Recorded {
                instead_of,
                not_stored,
            },
        })
    }

    /// BLAKE2b-256 of its counts and all of its content.
    pub fn digest(&self) -> [u8; 32] {
        transfer::digest(self)
    }
}

fn check_shape(
    path: &Path,
    found: &RecordedShape,
    wanted: &Wanted<'_>,
) -> Result<(), RecordedError> {
    match wanted.shape {
        Some(shape) if shape != *found => Err(RecordedError::OtherShape {
            path: path.to_owned(),
            found: *found,
            wanted: shape,
        }),
        _ => Ok(()),
    }
}

fn write(part: &Path, header: &Header, recording: &Recording) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(part)?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    out.write_all(&header.bytes())?;
    transfer::content(recording, |bytes| out.write_all(bytes))?;
    out.into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .sync_all()
}

/// A name beside `path` that nobody else takes.
fn part(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.subsec_nanos());
    let mut name = std::ffi::OsString::from(".part-");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!("~{}-{count}-{nanos}", std::process::id()));
    path.with_file_name(name)
}

fn io_error(action: &'static str, path: &Path, source: io::Error) -> RecordedError {
    RecordedError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}
