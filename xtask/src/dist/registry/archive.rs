//! `.crate` files: packed so that the same tree always gives the same bytes, and looked into.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tar::{Archive, Builder, EntryType, Header};

use crate::patch::Mode;
use crate::stack::tree::Tree;

/// The time of every file: one that no tool takes for "none".
const TIME: u64 = 1;

/// A release as cargo unpacks it: `NAME-VERSION/` and the files of the tree below it, in order.
pub fn pack(name: &str, version: &str, tree: &Tree) -> io::Result<Vec<u8>> {
    // No name and no time in the header of gzip: the encoder writes neither unless it is told to.
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for (path, file) in &tree.files {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(file.bytes.len() as u64);
        header.set_mode(match file.mode {
            Mode::Plain => 0o644,
            Mode::Executable => 0o755,
        });
        header.set_mtime(TIME);
        header.set_uid(0);
        header.set_gid(0);
        archive.append_data(
            &mut header,
            format!("{name}-{version}/{path}"),
            &file.bytes[..],
        )?;
    }
    let mut gzip = archive.into_inner()?;
    gzip.flush()?;
    gzip.finish()
}

/// The manifest of a packed release.
pub fn manifest(archive: impl Read, name: &str, version: &str) -> io::Result<String> {
    let wanted = format!("{name}-{version}/Cargo.toml");
    for entry in Archive::new(GzDecoder::new(archive)).entries()? {
        let mut entry = entry?;
        if *entry.path_bytes() == *wanted.as_bytes() {
            let mut text = String::new();
            entry.read_to_string(&mut text)?;
            return Ok(text);
        }
    }
    let text = format!("there is no {wanted} in it");
    Err(io::Error::new(io::ErrorKind::InvalidData, text))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::stack::tree::tests::tree;

    fn sample() -> Tree {
        let long = format!("src/{}x.rs", "deep/".repeat(30));
        let mut tree = tree(&[
            ("Cargo.toml", "[package]\n"),
            ("a b.txt", "\r\n"),
            (&long, "1"),
        ]);
        if let Some(file) = tree.files.get_mut("a b.txt") {
            file.mode = Mode::Executable;
        }
        tree
    }

    #[test]
    fn the_same_tree_gives_the_same_bytes_and_comes_back_whole() {
        let bytes = pack("made", "1.0.0", &sample()).expect("packed");
        assert_eq!(bytes, pack("made", "1.0.0", &sample()).expect("packed"));
        let folder = tempfile::tempdir().expect("a folder");
        Archive::new(GzDecoder::new(&bytes[..]))
            .unpack(folder.path())
            .expect("unpacked");
        let back = Tree::read(&folder.path().join("made-1.0.0"), &[]).expect("read");
        assert_eq!(back, sample());
    }

    #[test]
    fn nothing_of_this_machine_is_in_it() {
        let bytes = pack("made", "1.0.0", &sample()).expect("packed");
        // Flags and time of gzip's header (RFC 1952).
        assert_eq!(bytes[3..8], [0, 0, 0, 0, 0]);
        for entry in Archive::new(GzDecoder::new(&bytes[..]))
            .entries()
            .expect("entries")
        {
            let entry = entry.expect("an entry");
            let header = entry.header();
            assert_eq!(header.mtime().ok(), Some(TIME));
            assert_eq!((header.uid().ok(), header.gid().ok()), (Some(0), Some(0)));
            assert_eq!(header.username().ok().flatten(), Some(""));
        }
    }

    #[test]
    fn a_manifest_is_found_or_missed() {
        let bytes = pack("made", "1.0.0", &sample()).expect("packed");
        assert_eq!(
            manifest(&bytes[..], "made", "1.0.0").expect("found"),
            "[package]\n"
        );
        let error = manifest(&bytes[..], "made", "2.0.0").expect_err("not there");
        assert!(error.to_string().contains("made-2.0.0/Cargo.toml"));
        assert!(manifest(&b"no gzip"[..], "made", "1.0.0").is_err());
    }
}
