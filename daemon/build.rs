//! Code for the contract, without protoc.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    let root = "proto";
    println!("cargo::rerun-if-changed={root}");
    let contract = protox::compile(["cuzk/v1/proving.proto"], [root])?;
    let out = env::var_os("OUT_DIR").ok_or("cargo names no OUT_DIR")?;
    fs::write(
        Path::new(&out).join("contract.bin"),
        contract.encode_to_vec(),
    )?;
    tonic_prost_build::configure().compile_fds(contract)?;
    Ok(())
}
