//! Bytes that are damaged.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use cuzk_core::filecoin::c1::C1Error;
use cuzk_core::filecoin::{FilecoinError, ProofRequest};
use cuzk_prove::sector::{Sector, window_post};

use crate::common::{SIZE, encoded, json, of_2k, refused, sources};
use crate::isolated;

/// The system's allocator, which remembers the largest request.
struct Largest;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Largest = Largest;

// SAFETY: everything is the system's; that is only watched.
unsafe impl GlobalAlloc for Largest {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[test]
fn damaged_c1_output_is_refused_with_its_offset() {
    let name = "encodings::damaged_c1_output_is_refused_with_its_offset";
    let Some(_) = isolated::child(name) else {
        return;
    };
    let c1 = Sector::seal(7).and_then(|sector| sector.c1());
    let whole = json(&c1.expect("has C1 output"));
    for (damaged, offset) in [
        (whole[..whole.len() / 2].to_vec(), whole.len() / 2 - 1),
        ([&whole[..], &whole].concat(), whole.len()),
        ([&whole[..], &[0]].concat(), whole.len()),
    ] {
        let request = ProofRequest::porep(damaged, of_2k(), &sources()).expect("has a size");
        match refused(request) {
            FilecoinError::C1(C1Error::Json { place, message }) => {
                assert!(place.offset.abs_diff(offset) <= 1, "{place}: {message}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// The index and the length that an error names.
fn place(error: &FilecoinError) -> (usize, usize) {
    match error {
        FilecoinError::Encoding { index, bytes, .. } => (*index, *bytes),
        other => panic!("{other:?}"),
    }
}

#[test]
fn damaged_encodings_are_refused_by_index_and_take_no_memory() {
    let name = "encodings::damaged_encodings_are_refused_by_index_and_take_no_memory";
    let Some(_) = isolated::child(name) else {
        return;
    };
    let sectors = [7, 8].map(|seed| Sector::seal(seed).expect("seals"));
    let post = window_post(&sectors.each_ref()).expect("a proof");
    let (randomness, prover) = (post.randomness(), post.prover_id());
    let whole: Vec<Vec<u8>> = post.sectors().iter().map(encoded).collect();
    let sources = &sources();
    let with = |second: Vec<u8>| {
        let sectors = vec![whole[0].clone(), second];
        refused(ProofRequest::window(
            SIZE, randomness, prover, sectors, None, sources,
        ))
    };
    let good = &whole[1];
    let word = |at: usize| u64::from_le_bytes(good[at..at + 8].try_into().expect("a word"));
    // After the sector's number and its commitment: one proof, of ten challenges.
    let lengths = [40, 48];
    assert_eq!(lengths.map(word), [1, 10]);

    LARGEST.store(0, Ordering::Relaxed);
    for length in [0, 1, 39, 47, good.len() / 2, good.len() - 1] {
        let error = with(good[..length].to_vec());
        assert_eq!(place(&error), (1, length));
        assert!(error.to_string().contains("vanilla proof 1"), "{error}");
    }
    for trailing in [&[0][..], good] {
        let long = [&good[..], trailing].concat();
        let length = long.len();
        assert_eq!(place(&with(long)), (1, length));
    }
    for at in lengths {
        for absurd in [u64::MAX, u64::MAX / 64, 1 << 40, 1 << 24, good.len() as u64] {
            let mut damaged = good.clone();
            damaged[at..at + 8].copy_from_slice(&absurd.to_le_bytes());
            assert_eq!(place(&with(damaged)), (1, good.len()), "{absurd} at {at}");
        }
    }
    let largest = LARGEST.load(Ordering::Relaxed);
    assert!(largest < 4 << 20, "{largest} bytes were asked for at once");
}

/// Whatever is changed, it is an error: all of it is part of what is proven.
#[test]
fn every_change_is_noticed_and_nothing_panics() {
    let name = "encodings::every_change_is_noticed_and_nothing_panics";
    let Some(_) = isolated::child(name) else {
        return;
    };
    let sector = Sector::seal(7).expect("seals");
    let post = sector.winning_post().expect("a proof");
    let updated = sector.update().expect("encodes");
    let snap = updated.proof().expect("a proof");
    let (randomness, prover) = (post.randomness(), post.prover_id());
    let sources = &sources();
    let of_post = |bytes: Vec<u8>| ProofRequest::winning(SIZE, randomness, prover, bytes, sources);
    let of_snap = |bytes: Vec<u8>| ProofRequest::snap(SIZE, updated.update(), vec![bytes], sources);
    changes(&encoded(&post.sectors()[0]), of_post);
    changes(&encoded(&snap.vanilla()[0]), of_snap);
}

fn changes(good: &[u8], request: impl Fn(Vec<u8>) -> ProofRequest) {
    assert!(request(good.to_vec()).read().is_ok());
    let (mut encodings, mut others) = (0, 0);
    // All of its head, and every now and then after that.
    let places = (0..350).chain((350..good.len()).step_by(good.len() / 100));
    for (count, at) in places.enumerate() {
        let mut changed = good.to_vec();
        changed[at] ^= [1, 0x80][count % 2];
        match refused(request(changed)) {
            FilecoinError::Encoding { .. } => encodings += 1,
            FilecoinError::Vanilla { .. } | FilecoinError::Proofs { .. } => others += 1,
            other => panic!("byte {at}: {other:?}"),
        }
    }
    assert!(encodings > 10 && others > 200, "{encodings} and {others}");
}
