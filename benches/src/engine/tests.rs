use cuzk_circuits::{Blend, BlendCircuit};
use cuzk_harness::registry;

use super::*;
use crate::blend;
use crate::workloads::WORKLOADS;

const LOG: u64 = 8;

fn request(given: &[&str], partitions: u64, cache: &std::path::Path) -> Request {
    let workload = registry::find(WORKLOADS, "engine/porep-2k").expect("is there");
    let given: Vec<String> = given.iter().map(ToString::to_string).collect();
    Request {
        workload,
        seed: 7,
        size: Some(partitions),
        threads: 2,
        repeat: 1,
        options: workload.checked_options(&given).expect("good"),
        cache: cache.to_owned(),
    }
}

/// With a small circuit: what the workload does, and not how long it takes.
fn trial(request: &Request) -> (Trial, Vec<u8>) {
    let options = ProveOptions::of(request).expect("good");
    let setup = Setup::new(&options).expect("options that can be applied");
    let of_parameters = Request {
        size: Some(LOG),
        ..request.clone()
    };
    let parameters = blend::parameters(&of_parameters, Blend::Porep).expect("are there");
    let circuit = BlendCircuit::from_seed(Blend::Porep, 7, 0, LOG as u32).expect("a size");
    let inputs = circuit.public_inputs();
    measure(request, options.backend, setup, parameters, circuit, inputs).expect("measured")
}

#[test]
fn an_engine_and_phases_give_the_same_proofs() {
    let cache = tempfile::tempdir().expect("a folder");
    blend::prepare(Blend::Porep, Some(LOG), cache.path()).expect("made");
    let of = |given: &[&str], partitions| trial(&request(given, partitions, cache.path()));

    let (phases, bytes) = of(&["engine=phases"], 3);
    assert!(phases.ok, "{}", phases.check);
    assert_eq!(bytes.len(), 3 * 192);
    let each: Vec<&[u8]> = bytes.chunks(192).collect();
    assert!(each[0] != each[1] && each[1] != each[2] && each[0] != each[2]);
    assert_eq!(phases.metrics[metric::WALL_BUSY_BOTH.name].as_f64(), 0.0);

    for given in [&["engine=pipeline"][..], &[]] {
        let (pipeline, same) = of(given, 3);
        assert!(pipeline.ok, "{}", pipeline.check);
        assert!(same == bytes, "{given:?}");
        assert_eq!(pipeline.answers, phases.answers);
        for metric in [
            metric::WALL_TOTAL,
            metric::WALL_BUSY_SYNTHESIS,
            metric::WALL_BUSY_PROVING,
            metric::WALL_BUSY_BOTH,
            metric::RECORDING,
        ] {
            assert!(
                pipeline.metrics.contains_key(metric.name),
                "{}",
                metric.name
            );
        }
    }
    // A partition's proof does not depend on how many there are.
    assert_eq!(of(&[], 1).1, each[0]);
}
