//! A client of the daemon.

pub(crate) mod hex;
pub(crate) mod out;

use std::time::Duration;

use cuzk_core::filecoin::CircuitId;
use tonic::Status;
use tonic::transport::{Channel, Endpoint};

use crate::listen::Address;
use crate::proto::proving_engine_client::ProvingEngineClient;
use crate::proto::{
    AwaitProofRequest, AwaitProofResponse, CancelProofRequest, EvictSrsRequest, EvictSrsResponse,
    GetStatusRequest, GetStatusResponse, MESSAGE_BYTES, PreloadSrsRequest, PreloadSrsResponse,
    ProveRequest, SubmitProofRequest, SubmitProofResponse,
};
use crate::service::RETRY;

/// Why a client has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// There is no connection.
    #[error("no daemon answers at {address}: {}", cuzk_core::chain(error))]
    Connect {
        /// The address.
        address: Address,
        /// Why not, with all that it came from: that is in the message.
        error: tonic::transport::Error,
    },

    /// The daemon refuses, or is gone. The status is no source: the message has all of it.
    #[error("{}: {}{}", .0.code(), .0.message(), retry(.0))]
    Call(Status),

    /// An answer without what it is there for.
    #[error("the daemon's answer is empty")]
    Empty,
}

impl From<Status> for ClientError {
    fn from(status: Status) -> Self {
        Self::Call(status)
    }
}

fn retry(status: &Status) -> String {
    let after = status.metadata().get(RETRY);
    let after = after.and_then(|after| after.to_str().ok());
    after.map_or_else(String::new, |after| {
        format!(" (try again after {after} ms)")
    })
}

/// A connection to a daemon.
pub struct Client {
    calls: ProvingEngineClient<Channel>,
}

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

impl Client {
    /// Connects to the daemon at an address.
    ///
    /// # Errors
    ///
    /// [`ClientError::Connect`].
    pub async fn connect(address: &Address) -> Result<Self, ClientError> {
        let failed = |error| ClientError::Connect {
            address: address.clone(),
            error,
        };
        let endpoint = Endpoint::from_shared(address.uri()).map_err(failed)?;
        let channel = endpoint
            .connect_timeout(CONNECT)
            .connect()
            .await
            .map_err(failed)?;
        let calls = ProvingEngineClient::new(channel)
            .max_decoding_message_size(MESSAGE_BYTES)
            .max_encoding_message_size(MESSAGE_BYTES);
        Ok(Self { calls })
    }

    /// Has something proven, and waits.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn prove(
        &mut self,
        message: SubmitProofRequest,
    ) -> Result<AwaitProofResponse, ClientError> {
        let submit = Some(message);
        let answer = self.calls.prove(ProveRequest { submit }).await?;
        answer.into_inner().result.ok_or(ClientError::Empty)
    }

    /// Has something proven.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn submit(
        &mut self,
        message: SubmitProofRequest,
    ) -> Result<SubmitProofResponse, ClientError> {
        let answer = self.calls.submit_proof(message).await?;
        Ok(answer.into_inner())
    }

    /// Waits for a job.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn wait(
        &mut self,
        job_id: String,
        limit: Option<Duration>,
    ) -> Result<AwaitProofResponse, ClientError> {
        // 0 would be no limit.
        let milliseconds =
            |limit: Duration| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).max(1);
        let request = AwaitProofRequest {
            job_id,
            timeout_ms: limit.map_or(0, milliseconds),
        };
        let answer = self.calls.await_proof(request).await?;
        Ok(answer.into_inner())
    }

    /// Cancels a job, and says whether something of it was running.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn cancel(&mut self, job_id: String) -> Result<bool, ClientError> {
        let request = CancelProofRequest { job_id };
        let answer = self.calls.cancel_proof(request).await?;
        Ok(answer.into_inner().was_running)
    }

    /// What is there now.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn status(&mut self) -> Result<GetStatusResponse, ClientError> {
        let answer = self.calls.get_status(GetStatusRequest {}).await?;
        Ok(answer.into_inner())
    }

    /// Loads the parameters of a circuit.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn preload(&mut self, circuit: CircuitId) -> Result<PreloadSrsResponse, ClientError> {
        let circuit_id = circuit.to_string();
        let answer = self.calls.preload_srs(PreloadSrsRequest { circuit_id });
        Ok(answer.await?.into_inner())
    }

    /// Gives up the parameters of a circuit.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn evict(&mut self, circuit: CircuitId) -> Result<EvictSrsResponse, ClientError> {
        let circuit_id = circuit.to_string();
        let answer = self.calls.evict_srs(EvictSrsRequest { circuit_id });
        Ok(answer.await?.into_inner())
    }
}
