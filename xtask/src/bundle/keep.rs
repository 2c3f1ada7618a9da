//! Where a run leaves its result, and how it does so while it goes on: a host that vanishes leaves its trials.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::RESULTS;
use super::error::BundleError;
use crate::bench::progress::Watch;
use crate::files;
use crate::results::ResultFile;
use crate::results::store::{self, StoreError};

/// How often at most the result is written while the run goes on.
const EVERY: Duration = Duration::from_secs(3);

/// Where the result of a run goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The folder: the bundle's own, or where the person stands when that cannot be written to. `None` when it is to go
    /// to `json` alone.
    folder: Option<PathBuf>,
    /// The file that was asked for.
    json: Option<PathBuf>,
}

impl Place {
    /// The first place that can be written to: `results/` of the bundle, the file that was asked for, the current folder.
    pub fn find(dir: &Path, json: Option<&Path>, current: &Path) -> Result<Self, BundleError> {
        let own = dir.join(RESULTS);
        let json = json.map(|path| current.join(path));
        if let Some(path) = &json {
            // Looked at before hours of measuring, not after.
            files::destination("--json", path, None, files::is_document)
                .map_err(|e| BundleError::io(path, std::io::Error::other(format!("{e:#}"))))?;
        }
        let folder = if can_write(&own) {
            Some(own)
        } else if json.is_some() {
            None
        } else if can_write(current) {
            Some(current.to_path_buf())
        } else {
            return Err(BundleError::NoPlace { path: own });
        };
        Ok(Self { folder, json })
    }

    /// Writes a result as it is now, and says where it lies.
    pub fn write(&self, result: &ResultFile) -> Result<Vec<PathBuf>, StoreError> {
        let own = self
            .folder
            .iter()
            .map(|folder| folder.join(store::file_name(result)));
        let paths: Vec<PathBuf> = own.chain(self.json.clone()).collect();
        for path in &paths {
            store::write(path, result)?;
        }
        Ok(paths)
    }

    /// Writes a result that is whole, and removes what was kept of it while it was not.
    pub fn finish(&self, result: &ResultFile) -> Result<Vec<PathBuf>, StoreError> {
        let paths = self.write(result)?;
        let partial = ResultFile {
            complete: false,
            trials: Vec::new(),
            ..result.clone()
        };
        if let Some(folder) = &self.folder {
            // One that is left over does no harm: it says itself that it is not complete.
            let _ = fs::remove_file(folder.join(store::file_name(&partial)));
        }
        Ok(paths)
    }
}

fn can_write(folder: &Path) -> bool {
    fs::create_dir_all(folder).is_ok() && tempfile::NamedTempFile::new_in(folder).is_ok()
}

/// Keeps what a run has measured so far.
#[derive(Debug)]
pub struct Keeper {
    place: Place,
    every: Duration,
    last: Option<Instant>,
    complained: bool,
}

impl Keeper {
    /// Keeps it in this place, every few seconds at most.
    pub fn new(place: Place) -> Self {
        Self {
            place,
            every: EVERY,
            last: None,
            complained: false,
        }
    }
}

impl Watch for Keeper {
    fn after_round(&mut self, result: &ResultFile) {
        if self.last.is_some_and(|last| last.elapsed() < self.every) {
            return;
        }
        // A full disk is no reason to throw a measurement away, which is still whole in memory.
        if let (Err(error), false) = (self.place.write(result), self.complained) {
            self.complained = true;
            eprintln!("warning: what was measured so far cannot be kept: {error}");
        }
        self.last = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::testing::{add_pairs, empty_result};

    #[test]
    fn results_go_to_the_first_place_that_takes_them() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (dir, current) = (folder.path().join("bundle"), folder.path().join("here"));
        for path in [&dir, &current] {
            fs::create_dir(path).expect("made");
        }
        let json = Path::new("r.json");
        let find = |json| Place::find(&dir, json, &current);
        let own = find(None).expect("a place");
        assert_eq!(own.folder, Some(dir.join(RESULTS)));
        assert_eq!(
            find(Some(json)).expect("both").json,
            Some(current.join(json))
        );
        // A file where the folder should be keeps even root from writing there.
        fs::remove_dir(dir.join(RESULTS)).expect("removed");
        fs::write(dir.join(RESULTS), "").expect("written");
        assert_eq!(
            find(None).expect("a place").folder.as_deref(),
            Some(&*current)
        );
        assert_eq!(find(Some(json)).expect("a place").folder, None);
        let nowhere = Place::find(&dir, None, &dir.join(RESULTS)).expect_err("nowhere");
        assert!(nowhere.to_string().contains("--json"), "{nowhere}");
        assert!(find(Some(Path::new("no/such/r.json"))).is_err());
        assert!(find(Some(Path::new("."))).is_err());
    }

    #[test]
    fn what_is_measured_is_kept_on_the_way_and_replaced_in_the_end() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = Place::find(folder.path(), None, folder.path()).expect("a place");
        let mut result = empty_result(&["synth/sha256"], 2);
        result.complete = false;
        let mut keeper = Keeper::new(place.clone());
        add_pairs(&mut result, "synth/sha256", &[0.9]);
        keeper.after_round(&result);
        let path = folder.path().join(RESULTS).join(store::file_name(&result));
        assert!(path.to_string_lossy().ends_with(".partial.json"));
        assert_eq!(store::read(&path).expect("kept").trials.len(), 2);
        // Not again at once.
        result.trials.clear();
        add_pairs(&mut result, "synth/sha256", &[0.9, 0.9]);
        keeper.after_round(&result);
        assert_eq!(store::read(&path).expect("kept").trials.len(), 2);
        keeper.every = Duration::ZERO;
        keeper.after_round(&result);
        assert_eq!(store::read(&path).expect("kept").trials.len(), 4);
        result.complete = true;
        let paths = place.finish(&result).expect("written");
        assert!(!path.exists() && paths[0].exists());
    }

    #[test]
    fn a_place_that_vanishes_ends_no_run() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = Place::find(folder.path(), None, folder.path()).expect("a place");
        let results = folder.path().join(RESULTS);
        fs::remove_dir(&results).expect("removed");
        fs::write(&results, "").expect("written");
        let mut keeper = Keeper::new(place);
        keeper.after_round(&empty_result(&["synth/sha256"], 2));
        assert!(keeper.complained);
    }
}
