//! Toolkits that cannot be used, each with the line that says what to do, and how the others are chosen.

use pretty_assertions::assert_eq;

use super::testing::Machine;
use super::*;

const NEW: &[u32] = &[75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121];

/// The toolkit that is found.
#[track_caller]
fn found(machine: &Machine) -> Toolkit {
    find(&machine.around).unwrap()
}

/// The one line that says why there is none.
#[track_caller]
fn refused(machine: &Machine, words: &[&str]) {
    let text = find(&machine.around).unwrap_err().to_string();
    assert!(!text.contains('\n'), "{text}");
    for words in words {
        assert!(text.contains(words), "{words:?} is not in {text:?}");
    }
}

#[test]
fn what_is_missing_is_said_with_where_it_was_looked_for() {
    let machine = Machine::new();
    let installed = machine.around.installed.display().to_string();
    refused(
        &machine,
        &[
            "no CUDA toolkit found",
            &installed,
            "usual/cuda-*",
            "`cargo xtask cuda --install`",
        ],
    );
}

#[test]
fn a_variable_goes_first_then_what_was_installed_then_path_then_usual_places() {
    let mut machine = Machine::new();
    let at = |machine: &Machine| (found(machine).root, found(machine).why);
    let older = machine.toolkit("usual/cuda-9.9", "12.8.61", NEW);
    assert_eq!(at(&machine), (older, "it lies in a usual place".to_owned()));
    let newer = machine.toolkit("usual/cuda-12.9", "12.9.41", NEW);
    assert_eq!(at(&machine).0, newer);
    let on_path = machine.toolkit("path", "12.4.1", NEW);
    let path = std::env::join_paths([machine.path("bin"), on_path.join("bin")]).unwrap();
    machine.set("PATH", path);
    assert_eq!(at(&machine).0, on_path);
    let installed = machine.toolkit("target/cuda/nvidia/cu13", "13.0.88", NEW);
    assert_eq!(at(&machine).0, installed);
    let own = machine.toolkit("own", "12.6.2", NEW);
    machine.set("CUDA_PATH", &own);
    assert_eq!(at(&machine), (own.clone(), "CUDA_PATH names it".to_owned()));
    machine.set("CUDA_PATH", "");
    machine.set("NVCC", own.join("bin/nvcc"));
    assert_eq!(at(&machine).0, own);
    // A link on PATH leads to the toolkit that it is of.
    let link = machine.path("bin/nvcc");
    std::fs::write(
        &link,
        format!("#!/bin/sh\nexec {}/bin/nvcc \"$@\"\n", on_path.display()),
    )
    .unwrap();
    let may_run = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&link, may_run).unwrap();
    machine.set("NVCC", "nvcc");
    assert_eq!(
        (found(&machine).root, found(&machine).nvcc),
        (on_path, link)
    );
}

#[test]
fn a_variable_that_names_no_toolkit_is_never_passed_over() {
    for (variable, words) in [
        (
            "CUDA_HOME",
            "is no CUDA toolkit: there is no bin/nvcc in it",
        ),
        (
            "CUDA_PATH",
            "is no CUDA toolkit: there is no bin/nvcc in it",
        ),
        ("NVCC", "cannot be started: there is no such program"),
    ] {
        let mut machine = Machine::new();
        machine.toolkit("target/cuda/nvidia/cu13", "13.0.88", NEW);
        machine.set(variable, machine.path("bin"));
        refused(&machine, &[variable, words, "unset it"]);
    }
    let mut machine = Machine::new();
    machine.set("CUDA_HOME", "/nowhere/at/all");
    refused(
        &machine,
        &["CUDA_HOME=/nowhere/at/all", "there is no such folder"],
    );
    machine.set("CUDA_HOME", "");
    machine.set("NVCC", machine.path("bin/c++"));
    refused(
        &machine,
        &["does not answer as nvcc: --version says \"c++ (made up) 12.2.0\""],
    );
}

#[test]
fn one_that_is_too_old_is_refused_and_others_give_what_they_know() {
    for (version, codes, expected) in [
        (
            "11.4.152",
            &[35, 50, 70, 75, 80, 86, 87][..],
            "70,75,80,86+ptx",
        ),
        (
            "12.4.131",
            &[50, 70, 75, 80, 86, 87, 89, 90],
            "70,75,80,86,89,90+ptx",
        ),
        ("13.0.88", NEW, "75,80,86,89,90,100+ptx,120+ptx"),
        ("15.2.3", &[90, 100, 120, 130, 140], "90,100+ptx,120+ptx"),
    ] {
        let machine = Machine::new();
        machine.toolkit("usual/cuda", version, codes);
        let toolkit = found(&machine);
        assert_eq!(toolkit.version.full, version);
        assert_eq!(toolkit.architectures.to_string(), expected, "{version}");
    }
    let machine = Machine::new();
    machine.toolkit("usual/cuda", "11.3.58", &[70, 80]);
    refused(
        &machine,
        &[
            "is of CUDA 11.3.58",
            "11.4 is the oldest",
            "CUDA_HOME",
            "--install",
        ],
    );
    let machine = Machine::new();
    machine.toolkit("usual/cuda", "20.0.1", &[200]);
    refused(
        &machine,
        &[
            "nvcc 20.0.1 knows no architecture",
            "it knows 200",
            "CUZK_CUDA_ARCHS",
        ],
    );
}

#[test]
fn architectures_are_overridden_by_what_nvcc_knows() {
    let mut machine = Machine::new();
    machine.toolkit("usual/cuda", "13.0.88", NEW);
    for (asked, expected) in [("90", "90"), (" sm_80, 90+ptx,90", "80,90+ptx")] {
        machine.set("CUZK_CUDA_ARCHS", asked);
        let toolkit = found(&machine);
        assert_eq!(toolkit.architectures.to_string(), expected);
        let told = toolkit.variables();
        let told = told.iter().find(|(name, _)| *name == "CUZK_CUDA_ARCHS");
        assert_eq!(told.unwrap().1, expected);
    }
    assert_eq!(
        found(&machine)
            .only("75")
            .unwrap()
            .architectures
            .to_string(),
        "75"
    );
    for (asked, words) in [
        ("70", "cannot compile for sm_70; it can for 75, 80, "),
        ("hopper", "`hopper` is no architecture"),
        ("80 90", "with commas between"),
    ] {
        machine.set("CUZK_CUDA_ARCHS", asked);
        refused(&machine, &[&format!("CUZK_CUDA_ARCHS={asked}: "), words]);
    }
}

#[test]
fn a_host_compiler_that_is_too_new_gives_way_or_is_named() {
    let mut machine = Machine::new();
    machine.toolkit("usual/cuda", "12.4.131", NEW);
    assert_eq!(found(&machine).host.program, machine.path("bin/c++"));
    machine.compiler("c++", 16);
    refused(
        &machine,
        &[
            "nvcc 12.4.131 accepts no C++ compiler",
            "bin/c++ (c++ (made up) 16.2.0)",
            "later than 15 are not supported",
            "NVCC_CCBIN",
        ],
    );
    machine.compiler("g++-13", 13);
    let host = found(&machine).host;
    assert_eq!(host.program, machine.path("bin/g++-13"));
    assert!(
        host.why.contains("it refuses") && host.why.contains("later than 15"),
        "{host:?}"
    );
    // One that was asked for is taken or refused.
    machine.set("CXX", "c++ -O2");
    refused(&machine, &["does not accept", "16.2.0", "which CXX names"]);
    machine.set("NVCC_CCBIN", "g++-13");
    assert_eq!(found(&machine).host.why, "NVCC_CCBIN names it");
    machine.set("NVCC_CCBIN", "/no/compiler");
    refused(
        &machine,
        &[
            "/no/compiler",
            "which NVCC_CCBIN names: there is no such program",
        ],
    );
}

#[test]
fn one_toolkit_compiles_and_links() {
    let mut machine = Machine::new();
    let root = machine.toolkit("a", "13.0.88", NEW);
    let other = machine.toolkit("b", "13.0.88", NEW);
    machine.set("NVCC", root.join("bin/nvcc"));
    assert_eq!(found(&machine).library, root.join("lib64"));
    machine.set("CUDA_HOME", &root);
    assert_eq!(found(&machine).root, root);
    machine.set("RUSTFLAGS", format!("-L native={}/lib64", root.display()));
    found(&machine);
    for (variable, value) in [
        (
            "RUSTFLAGS",
            format!("-C opt-level=3 -L native={}/lib64", other.display()),
        ),
        ("CUDA_HOME", other.display().to_string()),
    ] {
        machine.set(variable, value);
        refused(
            &machine,
            &[
                "/a, and ",
                variable,
                "/b",
                "one toolkit has to compile and link",
            ],
        );
    }
    let machine = Machine::new();
    let root = machine.toolkit("usual/cuda", "13.0.88", NEW);
    let elsewhere = machine.path("lib");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::rename(
        root.join("lib64/libcudart_static.a"),
        elsewhere.join("libcudart_static.a"),
    )
    .unwrap();
    machine.write("usual/cuda/links", &elsewhere.display().to_string());
    assert_eq!(found(&machine).library, elsewhere);
    std::fs::remove_file(elsewhere.join("libcudart_static.a")).unwrap();
    refused(
        &machine,
        &["has no libcudart_static.a to link with", "--install"],
    );
}

#[test]
fn the_parts_of_a_toolkit_are_of_one_version() {
    let machine = Machine::new();
    machine.toolkit("usual/cuda", "13.0.88", NEW);
    machine.headers("usual/cuda", 12080);
    refused(
        &machine,
        &["of two versions: nvcc is 13.0.88, and the headers of its runtime are 12.8"],
    );
    let machine = Machine::new();
    machine.toolkit("target/cuda/nvidia/cu13", "13.0.88", NEW);
    for wheel in ["cuda_nvcc-13.0.88", "nvvm-13.0.48", "cuda_runtime-13.0.96"] {
        machine.write(&format!("target/cuda/nvidia_{wheel}.dist-info/RECORD"), "");
    }
    refused(
        &machine,
        &["nvidia_cuda_nvcc is 13.0.88, and nvidia_nvvm is 13.0.48"],
    );
}

#[test]
fn a_part_that_is_missing_shows_when_it_is_tried_out() {
    let machine = Machine::new();
    machine.toolkit("usual/cuda", "13.0.88", NEW);
    let toolkit = found(&machine);
    assert_eq!(toolkit.try_out(&machine.path("trial")), Ok(()));
    machine.write("usual/cuda/broken", "nvcc\nsh: 1: cicc: not found\n");
    let error = toolkit
        .try_out(&machine.path("trial"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("cannot compile and link a program: sh: 1: cicc: not found"),
        "{error}"
    );
    assert!(
        !error.contains('\n') && error.contains("--install"),
        "{error}"
    );
}

#[test]
fn what_decides_a_binary_is_no_path() {
    let record = |name: &str| {
        let mut machine = Machine::new();
        let root = machine.toolkit(name, "13.0.88", NEW);
        machine.set("CUDA_HOME", root);
        found(&machine).record()
    };
    assert_eq!(record("a"), record("b"));
    assert_eq!(record("a").host, "c++ (made up) 12.2.0");
}
