//! Sockets in the file system, of which only one daemon may be the owner.
//!
//! Whoever listens holds a lock on `PATH.lock` for as long as it does: the system lets go of it however the process ends. A socket
//! whose lock is free, and that nobody answers at, is stale and is removed. The file of the lock stays: were it removed, two daemons could hold
//! locks on two files of one name.

use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use super::ListenError;

/// A socket of ours. Dropping it removes the file.
#[derive(Debug)]
pub(crate) struct Owned {
    path: PathBuf,
    _lock: File,
}

impl Drop for Owned {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "the socket could not be removed");
        }
    }
}

/// Listens at a path. Only the user of the process may connect.
pub(super) fn bind(path: &Path) -> Result<(UnixListener, Owned), ListenError> {
    let io = |source| ListenError::Socket {
        path: path.to_owned(),
        source,
    };
    let live = || ListenError::Live {
        path: path.to_owned(),
    };
    let mut lock = path.to_owned().into_os_string();
    lock.push(".lock");
    let lock = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(lock)
        .map_err(io)?;
    lock.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => live(),
        TryLockError::Error(error) => io(error),
    })?;
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(io(error)),
        Ok(there) if !there.file_type().is_socket() => {
            return Err(io(io::Error::new(
                ErrorKind::AlreadyExists,
                "there is something else than a socket",
            )));
        }
        Ok(_) => match UnixStream::connect(path) {
            Ok(_) => return Err(live()),
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                tracing::info!(path = %path.display(), "a stale socket is removed");
                std::fs::remove_file(path).map_err(io)?;
            }
            Err(error) => return Err(io(error)),
        },
    }
    let listener = UnixListener::bind(path).map_err(io)?;
    let owned = Owned {
        path: path.to_owned(),
        _lock: lock,
    };
    std::fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(io)?;
    listener.set_nonblocking(true).map_err(io)?;
    Ok((listener, owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_live_socket_is_left_alone_and_a_stale_one_is_replaced() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("cuzk.sock");
        let (listener, owned) = bind(&path).expect("free");
        let mode = std::fs::metadata(&path)
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(matches!(bind(&path), Err(ListenError::Live { .. })));
        UnixStream::connect(&path).expect("the first one still listens");
        drop((listener, owned));
        assert!(!path.exists());

        // A daemon that was killed leaves its socket and no lock.
        drop(UnixListener::bind(&path).expect("free"));
        assert!(path.exists());
        let (listener, owned) = bind(&path).expect("stale");
        drop((listener, owned));

        // One of another kind holds no lock of ours.
        let other = UnixListener::bind(&path).expect("free");
        assert!(matches!(bind(&path), Err(ListenError::Live { .. })));
        drop(other);
    }

    #[test]
    fn what_is_no_socket_is_never_removed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("cuzk.sock");
        std::fs::write(&path, "precious").expect("writable");
        let error = bind(&path).expect_err("a file").to_string();
        assert!(error.contains("cuzk.sock"), "{error}");
        assert_eq!(std::fs::read(&path).expect("there"), b"precious");
        assert!(bind(&folder.path().join("none/cuzk.sock")).is_err());
    }
}
