use super::*;
use crate::flags::profile::Wanted;

fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path)
}

fn args(workload: &str, size: Option<u64>) -> ProfileArgs {
    ProfileArgs {
        workload: workload.to_owned(),
        arm: "patched".to_owned(),
        method: Wanted::Perf,
        size,
        threads: None,
        seed: 1,
        json: None,
        keep: false,
        out: None,
    }
}

/// The stub workload under the stub perf.
fn take(args: &ProfileArgs, options: &[(&str, &str)]) -> Result<Profile> {
    let binary = source("bench/stub-workload.sh");
    let interrupt = Interrupt::default();
    let arm = Arm {
        name: args.arm.clone(),
        stamp: "0123456789abcdef".to_owned(),
        inputs: serde_json::Value::Null,
        options: options
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect(),
        released: false,
        workloads: Arm::list(&binary, &interrupt)?,
        binary,
    };
    let temp = tempfile::tempdir()?;
    let profiled = Profiled {
        arm: &arm,
        args,
        tools: Tools {
            perf: source("profile/stub-perf.sh"),
            valgrind: "valgrind-missing".into(),
            paranoid: None,
        },
        frames: &Frames::at(source("profile/stub-frames.sh")),
        cache: temp.path().join("cache"),
    };
    profiled.take(&interrupt, Progress::stderr())
}

#[test]
fn a_profile_of_the_stub() {
    let profile = take(&args("synth/sha256", Some(9)), &[]).expect("a profile");
    let file = &profile.file;
    assert_eq!(
        (file.size, file.threads, file.constraints),
        (Some(9), 1, Some(26))
    );
    assert_eq!((file.total, file.outside, file.unmatched), (4, 1, 0));
    assert_eq!(file.categories[0].name, "evaluation");
    assert_eq!(file.arm.stamp, "0123456789abcdef");
}

#[test]
fn a_workload_that_is_not_there_lists_those_that_are() {
    let error = take(&args("synth/nothing", None), &[])
        .err()
        .expect("unknown");
    let text = error.to_string();
    assert!(text.contains("no workload `synth/nothing`"), "{text}");
    assert!(
        text.contains("there are: synth/sha256, prove/sha256"),
        "{text}"
    );
}

#[test]
fn samples_of_other_work_are_no_profile() {
    // The stub samples a synthesis whatever runs; proving counts it, generating parameters would not.
    let profile = take(&args("prove/sha256", None), &[]).expect("a profile");
    assert_eq!(profile.file.runs, 1);
    assert_eq!(profile.file.constraints, None);
}

#[test]
fn a_wrong_answer_is_exit_code_one() {
    let error = take(&args("synth/sha256", None), &[("unsure", "yes")])
        .err()
        .expect("wrong");
    let code = wrong_answer(error).expect("an answer");
    assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::from(1)));
    assert!(wrong_answer(anyhow::anyhow!("something else")).is_err());
}

#[test]
fn kept_profiles_are_never_overwritten() {
    let temp = tempfile::tempdir().expect("a folder");
    let layout = Layout::new(temp.path());
    let profile = take(&args("synth/sha256", None), &[]).expect("a profile");
    let path = kept(&layout, &profile.file);
    assert!(
        path.starts_with(
            layout
                .results
                .join(&profile.file.host.class)
                .join("profiles")
        )
    );
    let name = path.file_name().expect("a name").to_string_lossy();
    assert!(
        name.ends_with("-synth-sha256-patched-01234567.json"),
        "{name}"
    );
    store::keep_document(&path, &profile.file).expect("the first");
    let again = store::keep_document(&path, &profile.file).expect_err("the second");
    assert!(again.to_string().contains("never overwritten"), "{again}");
    let text = std::fs::read_to_string(&path).expect("there");
    let back: ProfileFile = serde_json::from_str(&text).expect("a profile");
    assert_eq!(back, profile.file);
}
