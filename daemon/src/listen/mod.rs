//! Where a daemon listens, and who can reach it there.

mod address;
mod socket;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use tokio::net::{TcpListener, UnixListener, lookup_host};

pub use address::{Address, UnknownAddress};

/// Why a daemon does not listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Others could reach it.
    #[error(
        "{address} can be reached from other machines, and there is no TLS yet: whoever reaches it may use this prover and sees what is \
         proven. Listen on a loopback address or a unix socket, or say --open where the network is trusted"
    )]
    Open {
        /// The address.
        address: SocketAddr,
    },

    /// Another daemon is there.
    #[error("another daemon listens at {}: end it first, or listen elsewhere", path.display())]
    Live {
        /// The socket.
        path: PathBuf,
    },

    /// A socket in the file system could not be had.
    #[error("the socket {} cannot be had", path.display())]
    Socket {
        /// The socket.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// A port could not be had.
    #[error("{address} cannot be listened at")]
    Tcp {
        /// The address.
        address: String,
        /// What the system said.
        source: io::Error,
    },
}

/// An address that is listened at.
#[derive(Debug)]
pub struct Listener {
    pub(crate) inner: Inner,
    address: Address,
}

#[derive(Debug)]
pub(crate) enum Inner {
    Unix(UnixListener, Owned),
    Tcp(TcpListener),
}

pub(crate) use socket::Owned;

impl Listener {
    /// Listens. Addresses that other machines can reach are refused unless `open`.
    ///
    /// # Errors
    ///
    /// [`ListenError`].
    pub async fn bind(address: &Address, open: bool) -> Result<Self, ListenError> {
        match address {
            Address::Unix(path) => {
                let (listener, owned) = socket::bind(path)?;
                let listener = UnixListener::from_std(listener);
                let listener = listener.map_err(|source| ListenError::Socket {
                    path: path.clone(),
                    source,
                })?;
                Ok(Self {
                    inner: Inner::Unix(listener, owned),
                    address: address.clone(),
                })
            }
            Address::Tcp(host) => {
                let failed = |source| ListenError::Tcp {
                    address: host.clone(),
                    source,
                };
                let found: Vec<_> = lookup_host(host).await.map_err(failed)?.collect();
                let reachable = found.iter().find(|address| !address.ip().is_loopback());
                if let Some(address) = reachable.filter(|_| !open) {
                    return Err(ListenError::Open { address: *address });
                }
                let listener = TcpListener::bind(&*found).await.map_err(failed)?;
                let bound = listener.local_addr().map_err(failed)?;
                Ok(Self {
                    inner: Inner::Tcp(listener),
                    address: Address::Tcp(bound.to_string()),
                })
            }
        }
    }

    /// The address, with the port that was given where 0 was asked for.
    pub fn address(&self) -> &Address {
        &self.address
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn bind(address: &str, open: bool) -> Result<Listener, ListenError> {
        Listener::bind(&address.parse().expect("an address"), open).await
    }

    #[tokio::test]
    async fn only_an_open_daemon_is_reached_from_elsewhere() {
        for address in ["0.0.0.0:0", "[::]:0"] {
            let error = bind(address, false)
                .await
                .expect_err("reachable")
                .to_string();
            assert!(error.contains("--open") && error.contains("TLS"), "{error}");
        }
        bind("0.0.0.0:0", true)
            .await
            .expect("it is said to be open");
        let listener = bind("127.0.0.1:0", false).await.expect("loopback");
        let taken = listener.address().to_string();
        let error = bind(&taken, false).await.expect_err("taken");
        assert!(matches!(error, ListenError::Tcp { .. }), "{error}");
    }
}
