//! What of the GPU's pipeline is plain C++, tested on any machine with a C++ compiler, `CXX` or else `c++`:
//! `tests/cpp/pipeline.cpp` against the headers of the patched stack.

use std::path::Path;
use std::process::Command;

#[test]
fn vectors_and_plans_of_the_pipeline() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let headers = root.join("extern/supraseal-c2/cuda/pipeline");
    assert!(
        headers.join("plan.hpp").exists(),
        "{} has no plan.hpp: run `cargo xtask vendor`, with `gpu-pipeline` on",
        headers.display()
    );
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("pipeline");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    // As build scripts read it: a wrapper and flags may stand in it.
    let mut words = compiler.split_whitespace();
    let built = Command::new(words.next().unwrap_or("c++"))
        .args(words)
        .args(["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg("-I")
        .arg(&headers)
        .arg(root.join("tests/cpp/pipeline.cpp"))
        .output()
        .unwrap_or_else(|error| {
            panic!("cannot start {compiler}: {error}; set CXX to a C++ compiler")
        });
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );

    let ran = Command::new(&program).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    print!("{said}");
    assert!(ran.status.success(), "{said}");
}
