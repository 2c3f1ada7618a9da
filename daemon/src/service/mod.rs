//! The eight calls.
//!
//! Nothing that takes long is done on a thread of the runtime: messages are checked, and parameters loaded and given up, on threads that may
//! block. A call whose client goes away is dropped where it waits; what it had waited for hears of it through
//! [`Waiting`].

mod answers;
mod state;

use std::sync::Arc;
use std::time::{Duration, Instant};

use cuzk_core::engine::Engine;
use cuzk_core::filecoin::CircuitId;
use tonic::{Request, Response, Status};

pub use answers::RETRY;

use self::answers::milliseconds;
use crate::convert;
use crate::jobs::{Jobs, Taken, Waiting, Wanted};
use crate::proto::await_proof_response::Status as End;
use crate::proto::proving_engine_server::ProvingEngine;
use crate::proto::{
    AwaitProofRequest, AwaitProofResponse, CancelProofRequest, CancelProofResponse,
    EvictSrsRequest, EvictSrsResponse, GetMetricsRequest, GetMetricsResponse, GetStatusRequest,
    GetStatusResponse, PreloadSrsRequest, PreloadSrsResponse, ProveRequest, ProveResponse,
    SubmitProofRequest, SubmitProofResponse,
};
use crate::requests::Requests;

type Answer<T> = Result<Response<T>, Status>;

/// Answers calls.
pub struct Service {
    engine: Arc<Engine>,
    jobs: Arc<Jobs>,
    requests: Arc<dyn Requests>,
    begun: Instant,
}

impl Service {
    /// With this engine, whose jobs these are.
    pub fn new(engine: Arc<Engine>, jobs: Arc<Jobs>, requests: Arc<dyn Requests>) -> Self {
        Self {
            engine,
            jobs,
            requests,
            begun: Instant::now(),
        }
    }

    /// Checks a message and takes the job. Where the client is gone by then, what comes back is dropped.
    async fn take(&self, message: SubmitProofRequest, waits: bool) -> Result<Taken, Status> {
        let (engine, jobs) = (Arc::clone(&self.engine), Arc::clone(&self.jobs));
        let requests = Arc::clone(&self.requests);
        blocking(move || {
            let valid = convert::check(message).map_err(|error| answers::invalid(&error))?;
            let wanted = Wanted {
                id: valid.id.clone(),
                circuit: valid.circuit,
                priority: valid.priority,
                digest: valid.digest,
                waits,
            };
            let request = requests
                .request(valid)
                .map_err(|error| Status::invalid_argument(cuzk_core::chain(&*error)))?;
            let taken = jobs.submit(wanted, request);
            taken.map_err(|error| answers::refused(&error, &engine.metrics()))
        })
        .await
    }
}

#[tonic::async_trait]
impl ProvingEngine for Service {
    async fn submit_proof(
        &self,
        request: Request<SubmitProofRequest>,
    ) -> Answer<SubmitProofResponse> {
        let taken = self.take(request.into_inner(), false).await?;
        Ok(Response::new(SubmitProofResponse {
            job_id: taken.id.to_string(),
            queue_position: state::number(taken.position),
            assigned_gpu: String::new(),
        }))
    }

    async fn await_proof(&self, request: Request<AwaitProofRequest>) -> Answer<AwaitProofResponse> {
        let AwaitProofRequest { job_id, timeout_ms } = request.into_inner();
        let Some(waiting) = self.jobs.find(&job_id) else {
            let why = format!(
                "no job {job_id:?} is known: it was never submitted to this process, or its result is no longer kept. Submit it again"
            );
            return Ok(Response::new(answers::without_end(
                &job_id,
                End::Unknown,
                why,
            )));
        };
        let limit = Some(timeout_ms).filter(|limit| *limit > 0);
        let answer = wait(&job_id, waiting, limit.map(Duration::from_millis)).await;
        Ok(Response::new(answer))
    }

    async fn prove(&self, request: Request<ProveRequest>) -> Answer<ProveResponse> {
        let submit = request.into_inner().submit;
        let submit = submit.ok_or_else(|| Status::invalid_argument("submit: it is missing"))?;
        let taken = self.take(submit, true).await?;
        let result = wait(&taken.id, taken.waiting, None).await;
        Ok(Response::new(ProveResponse {
            result: Some(result),
        }))
    }

    async fn cancel_proof(
        &self,
        request: Request<CancelProofRequest>,
    ) -> Answer<CancelProofResponse> {
        let id = request.into_inner().job_id;
        match self.jobs.cancel(&id) {
            Some(was_running) => Ok(Response::new(CancelProofResponse { was_running })),
            None => Err(Status::not_found(format!("no job {id:?} is known"))),
        }
    }

    async fn get_status(&self, _: Request<GetStatusRequest>) -> Answer<GetStatusResponse> {
        let (status, metrics) = (self.engine.status(), self.engine.metrics());
        Ok(Response::new(state::of(
            &status,
            &metrics,
            self.begun.elapsed(),
        )))
    }

    async fn get_metrics(&self, _: Request<GetMetricsRequest>) -> Answer<GetMetricsResponse> {
        let (_, kept) = self.jobs.counts();
        let prometheus_text = state::prometheus(&self.engine.metrics(), kept, self.begun.elapsed());
        Ok(Response::new(GetMetricsResponse { prometheus_text }))
    }

    async fn preload_srs(&self, request: Request<PreloadSrsRequest>) -> Answer<PreloadSrsResponse> {
        let circuit = circuit(&request.into_inner().circuit_id)?;
        let (engine, requests) = (Arc::clone(&self.engine), Arc::clone(&self.requests));
        let response = blocking(move || {
            let start = Instant::now();
            let cannot = |why: String| Status::failed_precondition(why);
            let srs = requests
                .parameters(circuit)
                .map_err(|error| cannot(cuzk_core::chain(&*error)))?;
            let already_loaded = engine.preload(&srs).map_err(cannot)?;
            let load_time_ms = match already_loaded {
                true => 0,
                false => milliseconds(start.elapsed()),
            };
            Ok(PreloadSrsResponse {
                already_loaded,
                load_time_ms,
            })
        });
        Ok(Response::new(response.await?))
    }

    async fn evict_srs(&self, request: Request<EvictSrsRequest>) -> Answer<EvictSrsResponse> {
        let circuit = circuit(&request.into_inner().circuit_id)?.to_string();
        let engine = Arc::clone(&self.engine);
        let response = blocking(move || {
            let freed = engine.evict(&circuit);
            let freed = freed.map_err(Status::failed_precondition)?;
            Ok(EvictSrsResponse {
                was_loaded: freed.is_some(),
                freed_bytes: freed.unwrap_or(0),
            })
        });
        Ok(Response::new(response.await?))
    }
}

async fn wait(id: &str, waiting: Waiting, limit: Option<Duration>) -> AwaitProofResponse {
    let job = waiting.handle.clone().into_future();
    let ended = match limit {
        None => job.await,
        Some(limit) => match tokio::time::timeout(limit, job).await {
            Ok(ended) => ended,
            Err(_) => {
                let why = format!("job {id:?} has not ended after {limit:?}, and goes on");
                return answers::without_end(id, End::Timeout, why);
            }
        },
    };
    answers::ended(id, &ended)
}

/// An id of the contract, and nothing else: it is never taken for the name of a file.
fn circuit(id: &str) -> Result<CircuitId, Status> {
    id.parse()
        .map_err(|error| Status::invalid_argument(format!("circuit_id: {error}")))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Status> + Send + 'static,
) -> Result<T, Status> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Status::internal(format!("the call ended without an answer: {error}")))?
}
