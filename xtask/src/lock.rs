//! Locks between calls of this program, each a file in `target/` that lasts as long as its process wants it.
//!
//! `series` is held by whatever changes the patches, `extern/stack.toml` or the root's `[patch]` table, `vendor` while
//! trees are made, `dist` while one is written. `series` comes first where a call takes two.

use std::fs::{self, File};

use anyhow::{Context, Result};

use crate::layout::Layout;
use crate::progress::Progress;

/// Takes the lock of that name, and waits for another call that has it. Dropping the file gives it back.
pub fn take(layout: &Layout, name: &str, progress: Progress) -> Result<File> {
    let path = layout.target.join(format!("{name}.lock"));
    let open = || {
        fs::create_dir_all(&layout.target)?;
        let file = File::create(&path)?;
        if file.try_lock().is_err() {
            let what = format!(
                "for another `cargo xtask` that holds {}",
                layout.show(&path)
            );
            progress.step("Waiting", what);
            file.lock()?;
        }
        Ok::<_, std::io::Error>(file)
    };
    open().with_context(|| format!("cannot lock {}", layout.show(&path)))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_second_waits_for_the_first() {
        let temp = tempfile::tempdir().expect("a folder");
        let layout = Layout::new(temp.path());
        let first = take(&layout, "series", Progress::stderr()).expect("free");
        let (send, receive) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let second = take(&layout, "series", Progress::stderr());
                send.send(second.is_ok()).expect("somebody listens");
            });
            let early = receive.recv_timeout(Duration::from_millis(100));
            assert!(early.is_err(), "both have it");
            drop(first);
            assert_eq!(receive.recv(), Ok(true));
        });
        assert!(take(&layout, "vendor", Progress::stderr()).is_ok());
    }
}
