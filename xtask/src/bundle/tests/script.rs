//! The script that starts the runner, under the shell of this host and with an empty environment.

use super::*;

struct Said {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn run(dir: &Path, arguments: &[&str]) -> Said {
    let output = Command::new(dir.join("run"))
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .current_dir("/")
        .output()
        .expect("a shell");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Said {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

#[test]
fn it_starts_the_runner_from_anywhere() {
    let world = world();
    let dir = world.bundle(&[W], 8);
    let said = run(&dir, &["--limit", "1m", "--json", "a file"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let expected = format!(
        "<run-bundle><{}><--limit><1m><--json><a file>",
        fs::canonicalize(&dir).expect("there").display()
    );
    assert_eq!(said.stdout, expected);
    // Permissions are lost on many a way.
    let runner = dir.join("bin/runner");
    fs::set_permissions(&runner, fs::Permissions::from_mode(0o644)).expect("changed");
    assert_eq!(run(&dir, &[]).code, Some(0));
}

#[test]
fn a_runner_that_is_not_whole_is_not_started() {
    let world = world();
    let dir = world.bundle(&[W], 8);
    let runner = dir.join("bin/runner");
    edit(&runner, |text| text + "#");
    let said = run(&dir, &[]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""));
    assert!(
        said.stderr.contains("bin/runner: damaged") && said.stderr.contains("copy"),
        "{}",
        said.stderr
    );
    fs::remove_file(&runner).expect("removed");
    let said = run(&dir, &[]);
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr.contains("bin/runner: missing"),
        "{}",
        said.stderr
    );
}

#[test]
fn a_host_that_cannot_run_it_is_told_why() {
    let world = world();
    let dir = world.bundle(&[W], 8);
    let script = fs::read_to_string(dir.join("run")).expect("text");
    let here = std::env::consts::ARCH;
    for (from, to, expected) in [
        (
            format!("arch='{here}'"),
            "arch='pdp11'",
            "is for pdp11, and this host is",
        ),
        (
            "glibc=''".to_owned(),
            "glibc='99.0'",
            "needs glibc 99.0 or newer",
        ),
        (
            "glibc=''".to_owned(),
            "glibc='2.999'",
            "needs glibc 2.999 or newer",
        ),
        (
            "loader=''".to_owned(),
            "loader='/lib/ld-none.so'",
            "this host has no /lib/ld-none.so",
        ),
    ] {
        assert!(script.contains(&from), "{from}");
        fs::write(dir.join("run"), script.replace(&from, to)).expect("written");
        let said = run(&dir, &[]);
        assert_eq!(said.code, Some(2), "{to}");
        assert!(said.stderr.contains(expected), "{}", said.stderr);
    }
    for old in ["glibc='2.0'", "glibc='1.99'"] {
        fs::write(dir.join("run"), script.replace("glibc=''", old)).expect("written");
        assert_eq!(run(&dir, &[]).code, Some(0), "{old}");
    }
}
