//! Processes in a made-up repository, and the git configuration that they meet there.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::World;

/// Author and date of every patch of the series.
const AUTHOR: [(&str, &str); 6] = [
    ("GIT_AUTHOR_NAME", "cuzk"),
    ("GIT_AUTHOR_EMAIL", "cuzk@invalid"),
    ("GIT_AUTHOR_DATE", "Sun, 29 Nov 2026 00:00:00 +0000"),
    ("GIT_COMMITTER_NAME", "cuzk"),
    ("GIT_COMMITTER_EMAIL", "cuzk@invalid"),
    ("GIT_COMMITTER_DATE", "Sun, 29 Nov 2026 00:00:00 +0000"),
];

/// Settings of a person's git that must not reach what the program writes.
pub const HOSTILE: &str = "\
[core]\n\tautocrlf = true\n\tfileMode = false\n\texcludesFile = ~/ignore\n\tattributesFile = ~/attributes\n\thooksPath = ~/hooks\n\
\tquotePath = false\n\tcommentChar = H\n\
[init]\n\ttemplateDir = ~/template\n\tdefaultBranch = odd\n\tdefaultObjectFormat = sha256\n\
[commit]\n\tgpgSign = true\n\tcleanup = strip\n\
[gpg]\n\tprogram = false\n\
[user]\n\tuseConfigOnly = true\n\
[diff]\n\tnoprefix = true\n\tcontext = 7\n\talgorithm = patience\n\trenames = false\n\texternal = false\n\
[format]\n\tsignature = odd\n\tsubjectPrefix = ODD\n\tsuffix = .odd\n\tnumbered = true\n\
[color]\n\tui = always\n\
[filter \"shout\"]\n\tclean = tr a-z A-Z\n\tsmudge = tr a-z A-Z\n\trequired = true\n\
[i18n]\n\tcommitEncoding = ISO-8859-1\n\tlogOutputEncoding = ISO-8859-1\n";

impl World {
    /// `cargo xtask` with these arguments, at the root, under the hostile git configuration.
    pub fn xtask<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Output {
        let mut command = self.command(env!("CARGO_BIN_EXE_xtask").as_ref(), &self.root());
        command
            .args(arguments)
            .env("GIT_DIR", "/nowhere")
            .env("GIT_INDEX_FILE", "/nowhere/index")
            .env("GIT_AUTHOR_NAME", "Odd")
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "diff.noprefix")
            .env("GIT_CONFIG_VALUE_0", "true");
        command.output().expect("this program starts")
    }

    /// Runs `cargo xtask` and holds its exit code and its words to what they must be; returns all that it printed.
    pub fn expect<S: AsRef<OsStr>>(&self, arguments: &[S], code: i32, says: &[&str]) -> String {
        held(&self.xtask(arguments), code, says)
    }

    /// `cargo` in a folder; a project outside the repository lies in `world.path("../NAME")`.
    pub fn cargo(&self, folder: &Path, arguments: &[&str]) -> Output {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = self.command(&cargo, folder);
        command.args(arguments).output().expect("cargo starts")
    }

    /// `cargo` that must succeed; returns all that it printed.
    pub fn cargo_ok(&self, folder: &Path, arguments: &[&str]) -> String {
        held(&self.cargo(folder, arguments), 0, &[])
    }

    /// `git` in a folder under the hostile configuration, as the person runs it; must succeed.
    pub fn hostile_git(&self, folder: &Path, arguments: &[&str]) -> String {
        let mut command = self.command("git".as_ref(), folder);
        held(
            &command
                .args(arguments)
                .envs(AUTHOR)
                .output()
                .expect("git starts"),
            0,
            &[],
        )
    }

    /// A command with nothing of this process's environment but what toolchains are found by.
    pub fn command(&self, program: &OsStr, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(folder).stdin(Stdio::null()).env_clear();
        for key in [
            "PATH",
            "CARGO",
            "RUSTUP_TOOLCHAIN",
            "RUSTUP_HOME",
            "LD_LIBRARY_PATH",
        ] {
            command.envs(std::env::var_os(key).map(|value| (key, value)));
        }
        if let (None, Some(home)) = (std::env::var_os("RUSTUP_HOME"), std::env::var_os("HOME")) {
            command.env("RUSTUP_HOME", Path::new(&home).join(".rustup"));
        }
        command
            .env("HOME", self.folder.path().join("home"))
            .env("CARGO_HOME", self.folder.path().join("cargo-home"))
            .env("CARGO_NET_OFFLINE", "true")
            .env("TZ", "Asia/Kathmandu");
        command
    }
}

/// All that a process printed, once its exit code and words are what they must be.
pub fn held(output: &Output, code: i32, says: &[&str]) -> String {
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    for words in says {
        assert!(said.contains(words), "{words:?} is not in:\n{said}");
    }
    said
}

/// A repository that keeps every byte, whatever a release's own `.gitattributes` says.
pub fn repository(folder: &Path) {
    git(folder, &["init", "-q"]);
    let rules = "* -text !eol -ident !filter !working-tree-encoding\n";
    std::fs::create_dir_all(folder.join(".git/info")).expect("made");
    std::fs::write(folder.join(".git/info/attributes"), rules).expect("written");
}

/// `git` with no configuration at all; must succeed. Returns standard output.
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    for (key, _) in std::env::vars_os() {
        if key.to_string_lossy().starts_with("GIT_") {
            command.env_remove(key);
        }
    }
    command.args(["-c", "init.defaultBranch=main", "-c", "core.autocrlf=false"]);
    command.args(arguments).current_dir(folder).envs(AUTHOR);
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.output().expect("git starts");
    held(&output, 0, &[]);
    String::from_utf8(output.stdout).expect("UTF-8")
}
