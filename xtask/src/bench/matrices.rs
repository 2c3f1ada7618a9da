//! The digests of each arm's constraint matrices: proof that two arms synthesise the same circuit.
//!
//! A circuit's shape depends on nothing but the binary and the size, so the digests are kept under the arm's stamp. Kept
//! ones are only believed while they agree: on a difference both arms are asked again, on the same input.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::answers::Digests;
use super::process::Interrupt;
use super::progress::RunProgress;
use super::runner::{Arm, Call};
use super::session::Folders;
use crate::files;
use crate::results::MatricesRecord;

/// The digests of every arm.
pub fn of_arms(
    arms: &[&Arm],
    call: &Call,
    folders: Folders,
    interrupt: &Interrupt,
    progress: &mut RunProgress,
) -> Result<Vec<MatricesRecord>> {
    let kept: Vec<Option<Digests>> = arms
        .iter()
        .map(|arm| read(&place(folders.kept, arm, call)))
        .collect();
    let first = kept.iter().flatten().next();
    let believed = first.is_some() && kept.iter().flatten().all(|digests| Some(digests) == first);
    let mut records: Vec<MatricesRecord> = Vec::with_capacity(arms.len());
    // Arms that differ in options alone are one binary, which is asked once.
    let mut asked: BTreeMap<&str, Digests> = BTreeMap::new();
    for (arm, kept) in arms.iter().zip(kept) {
        let known = kept
            .filter(|_| believed)
            .or_else(|| asked.get(arm.stamp.as_str()).cloned());
        let digests = match known {
            Some(digests) => digests,
            None => ask(arm, call, folders, interrupt, progress)?,
        };
        asked.insert(&arm.stamp, digests.clone());
        progress.end(&format!("{} matrices of {}", call.workload, arm.name));
        records.push(record(arm, call, digests));
    }
    if records
        .windows(2)
        .any(|pair| pair[0].digests != pair[1].digests)
        && believed
    {
        records.clear();
        for arm in arms {
            records.push(record(
                arm,
                call,
                ask(arm, call, folders, interrupt, progress)?,
            ));
        }
    }
    Ok(records)
}

fn record(arm: &Arm, call: &Call, digests: Digests) -> MatricesRecord {
    MatricesRecord {
        workload: call.workload.to_owned(),
        arm: arm.name.clone(),
        digests,
    }
}

fn ask(
    arm: &Arm,
    call: &Call,
    folders: Folders,
    interrupt: &Interrupt,
    progress: &mut RunProgress,
) -> Result<Digests> {
    progress.begin(&format!("{}, matrices of {}", call.workload, arm.name));
    let digests = arm.matrices(call, folders.cache, interrupt)?;
    // Not being able to keep them costs time on the next run, and nothing else.
    let _ = write(&place(folders.kept, arm, call), &digests);
    Ok(digests)
}

/// Where the digests of an arm are kept.
pub fn place(kept: &Path, arm: &Arm, call: &Call) -> PathBuf {
    let size = call
        .size
        .map_or_else(|| "default".to_owned(), |size| size.to_string());
    let name = format!(
        "{}-{}-{size}.json",
        arm.stamp,
        call.workload.replace('/', "-")
    );
    kept.join(name)
}

fn read(path: &Path) -> Option<Digests> {
    let digests: Digests = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    (!digests.is_empty()).then_some(digests)
}

fn write(path: &Path, digests: &Digests) -> Result<()> {
    Ok(files::replace(path, &serde_json::to_vec(digests)?)?)
}
