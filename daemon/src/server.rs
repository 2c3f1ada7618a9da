//! A daemon from its beginning to its end.
//!
//! Told to end, it takes no more jobs, and those that it has go on for a grace period; calls are answered as long as any job is left. Told a second
//! time, it ends what it has at once. Either way those who wait are told how their jobs ended before connections are closed.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use cuzk_core::engine::{Engine, EngineError};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::Stream;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::transport::server::{Connected, TcpIncoming};
use tonic::transport::{Error, Server};

use crate::config::Config;
use crate::jobs::{Jobs, Policy};
use crate::listen::{Inner, ListenError, Listener};
use crate::proto::MESSAGE_BYTES;
use crate::proto::proving_engine_server::ProvingEngineServer;
use crate::requests::Requests;
use crate::service::Service;

/// How a daemon has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every job had ended.
    Drained,
    /// The grace period was over, and jobs were lost.
    OutOfGrace,
    /// It was told a second time, and jobs were lost.
    Interrupted,
}

impl Outcome {
    /// The exit code of the process.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Drained => 0,
            Self::OutOfGrace => 3,
            Self::Interrupted => 4,
        }
    }
}

/// Why a daemon does not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// There is no engine.
    #[error("the engine cannot be started")]
    Engine(#[from] EngineError),

    /// It does not listen.
    #[error(transparent)]
    Listen(#[from] ListenError),

    /// It could not go on listening.
    #[error("listening failed")]
    Transport(#[from] Error),

    /// The part of it that listens panicked.
    #[error("the server ended by itself")]
    Ended,
}

/// What a daemon is made of.
pub struct Daemon {
    /// The engine.
    pub engine: Arc<Engine>,
    /// What it is asked.
    pub requests: Arc<dyn Requests>,
    /// How long results and abandoned jobs are kept.
    pub policy: Policy,
    /// How long jobs may go on once it is told to end.
    pub grace: Duration,
}

/// How long answers may take to be written once all jobs have ended.
const GOODBYE: Duration = Duration::from_secs(2);

/// Connections may have so many bytes on their way, which lets large messages pass quickly.
const WINDOW: u32 = 4 << 20;

/// Runs a daemon as it is configured until it has been told to end, by what comes through `stops`.
///
/// # Errors
///
/// [`ServeError`].
pub async fn run(
    config: &Config,
    stops: mpsc::UnboundedReceiver<()>,
) -> Result<Outcome, ServeError> {
    // The address first: whoever comes second is told at once.
    let listener = Listener::bind(&config.listen, config.open).await?;
    let engine = Arc::new(Engine::start(config.engine())?);
    let daemon = Daemon {
        engine,
        requests: Arc::new(config.sources()),
        policy: config.policy,
        grace: config.grace,
    };
    serve(daemon, listener, stops).await
}

/// The same of these parts.
///
/// # Errors
///
/// [`ServeError::Transport`] and [`ServeError::Ended`].
pub async fn serve(
    daemon: Daemon,
    listener: Listener,
    mut stops: mpsc::UnboundedReceiver<()>,
) -> Result<Outcome, ServeError> {
    let Daemon {
        engine,
        requests,
        policy,
        grace,
    } = daemon;
    let jobs = Jobs::new(Arc::clone(&engine), policy);
    let service = Service::new(Arc::clone(&engine), Arc::clone(&jobs), requests);
    let (close, closed) = oneshot::channel::<Infallible>();
    let closed = async move { drop(closed.await) };
    tracing::info!(address = %listener.address(), "listening");
    let (mut server, _owned) = match listener.inner {
        Inner::Unix(listener, owned) => {
            let incoming = UnixListenerStream::new(listener);
            (tokio::spawn(answer(service, incoming, closed)), Some(owned))
        }
        Inner::Tcp(listener) => {
            let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
            (tokio::spawn(answer(service, incoming, closed)), None)
        }
    };
    tokio::select! {
        ended = &mut server => {
            ended.map_err(|_| ServeError::Ended)??;
            return Err(ServeError::Ended);
        }
        _ = stops.recv() => {}
    }
    jobs.close();
    tracing::info!(jobs = engine.status().jobs.len(), ?grace, "draining");
    let outcome = tokio::select! {
        idle = aside(&engine, move |engine| engine.wait_idle(grace)) => match idle {
            Some(true) => Outcome::Drained,
            _ => Outcome::OutOfGrace,
        },
        Some(()) = stops.recv() => Outcome::Interrupted,
    };
    let left = engine.status().jobs.len();
    // It ends all jobs first, and then waits for what is running: that is left behind.
    let shut_down = aside(&engine, |engine| engine.shut_down(false));
    match outcome {
        Outcome::Drained => drop(shut_down.await),
        lost => {
            tracing::warn!(jobs = left, ?lost, "jobs are lost");
            let _ = tokio::time::timeout(Duration::from_millis(100), shut_down).await;
        }
    }
    drop(close);
    if tokio::time::timeout(GOODBYE, &mut server).await.is_err() {
        server.abort();
    }
    tracing::info!(?outcome, "ended");
    Ok(outcome)
}

async fn answer<I, IO, E>(
    service: Service,
    incoming: I,
    closed: impl Future<Output = ()>,
) -> Result<(), Error>
where
    I: Stream<Item = Result<IO, E>>,
    IO: tokio::io::AsyncRead + tokio::io::AsyncWrite + Connected + Unpin + Send + 'static,
    IO::ConnectInfo: Clone + Send + Sync + 'static,
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let service = ProvingEngineServer::new(service)
        .max_decoding_message_size(MESSAGE_BYTES)
        .max_encoding_message_size(MESSAGE_BYTES);
    Server::builder()
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .add_service(service)
        .serve_with_incoming_shutdown(incoming, closed)
        .await
}

/// Does something on a thread that nobody has to wait for: it holds the engine until it is done. `None` where it panicked.
fn aside<T: Send + 'static>(
    engine: &Arc<Engine>,
    work: impl FnOnce(&Engine) -> T + Send + 'static,
) -> impl Future<Output = Option<T>> + Send + 'static {
    let engine = Arc::clone(engine);
    let (tell, told) = oneshot::channel();
    let thread = std::thread::Builder::new().name("cuzk-end".to_owned());
    let thread = thread.spawn(move || {
        // Who does not wait any more does not want to know.
        let _ = tell.send(work(&engine));
    });
    if let Err(error) = thread {
        tracing::error!(%error, "no thread could be started");
    }
    async move { told.await.ok() }
}
