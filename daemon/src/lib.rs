//! The proving engine as a service.
//!
//! A message of the contract ([`proto`]) is checked field by field ([`convert`]), becomes a request of the engine
//! ([`requests`]) and a job under the client's id ([`jobs`]); [`service`] answers the calls, [`listen`] says who may call, and
//! [`server`] begins and ends it all. [`client`] has the other side, [`cli`] the command line of both.

pub mod cli;
pub mod client;
pub mod config;
pub mod convert;
pub mod jobs;
pub mod listen;
pub mod proto;
pub mod requests;
pub mod server;
pub mod service;
