//! A person who works in a scratch repository, with settings that would change what is committed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A git user with a configuration of their own.
pub(crate) struct Person {
    home: PathBuf,
    config: PathBuf,
}

impl Person {
    /// Nothing is configured.
    pub(crate) fn plain(folder: &Path) -> Self {
        Self {
            home: folder.to_path_buf(),
            config: "/dev/null".into(),
        }
    }

    /// Line endings are converted, everything is ignored, hooks fail, commits are signed by a program that fails.
    pub(crate) fn hostile(folder: &Path) -> Self {
        let home = folder.join("home");
        let hooks = home.join("hooks");
        fs::create_dir_all(&hooks).unwrap();
        fs::create_dir_all(home.join(".config/git")).unwrap();
        for name in [
            "pre-commit",
            "commit-msg",
            "post-checkout",
            "pre-rebase",
            "post-rewrite",
        ] {
            let path = hooks.join(name);
            fs::write(&path, "#!/bin/sh\nexit 1\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::write(home.join("everything"), "*\n").unwrap();
        fs::write(home.join(".config/git/ignore"), "*\n").unwrap();
        let attributes = "* text=auto eol=crlf ident filter=upper\n";
        fs::write(home.join("attributes"), attributes).unwrap();
        fs::write(home.join(".config/git/attributes"), attributes).unwrap();
        let config = home.join("config");
        let place = home.display();
        let text = format!(
            "[user]\n\tname = Somebody\n\temail = some@body\n[author]\n\tname = Else\n\temail = else@body\n\
             [core]\n\tautocrlf = true\n\tsafecrlf = true\n\teol = crlf\n\texcludesFile = {place}/everything\n\
             \tattributesFile = {place}/attributes\n\thooksPath = {place}/hooks\n\tfileMode = false\n\tquotePath = false\n\
             \tabbrev = 5\n\twhitespace = cr-at-eol\n\
             [commit]\n\tgpgSign = true\n[gpg]\n\tprogram = false\n[tag]\n\tgpgSign = true\n\
             [i18n]\n\tcommitEncoding = latin1\n\tlogOutputEncoding = latin1\n\
             [filter \"upper\"]\n\tclean = tr a-z A-Z\n\tsmudge = tr a-z A-Z\n\trequired = true\n\
             [diff]\n\tnoprefix = true\n\talgorithm = patience\n\trenames = copies\n\tcontext = 9\n\tsuppressBlankEmpty = true\n\
             [apply]\n\twhitespace = fix\n[merge]\n\trenormalize = true\n\tconflictStyle = diff3\n\
             [rebase]\n\tautoSquash = true\n\tupdateRefs = true\n\tautoStash = true\n\
             [init]\n\tdefaultBranch = other\n\tdefaultObjectFormat = sha256\n\ttemplateDir = {place}/hooks\n\
             [log]\n\tshowSignature = true\n\tdate = relative\n[format]\n\tpretty = oneline\n[color]\n\tui = always\n\
             [fetch]\n\tfsckObjects = true\n[transfer]\n\tfsckObjects = true\n[fastimport]\n\tunpackLimit = 0\n"
        );
        fs::write(&config, text).unwrap();
        Self { home, config }
    }

    /// Runs git in `folder`, and gives what it prints; a command that fails is a failure of the test.
    pub(crate) fn git(&self, folder: &Path, arguments: &[&str]) -> String {
        let (good, text) = self.try_git(folder, arguments);
        assert!(good, "git {arguments:?}: {text}");
        text
    }

    /// Runs git: whether it succeeded, and all that it prints.
    pub(crate) fn try_git(&self, folder: &Path, arguments: &[&str]) -> (bool, String) {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(folder)
            .env("HOME", &self.home)
            .env_remove("XDG_CONFIG_HOME")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", &self.config)
            .env("GIT_EDITOR", "true")
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (
            output.status.success(),
            String::from_utf8_lossy(&text).trim().to_owned(),
        )
    }
}
