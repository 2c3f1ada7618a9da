//! Calls of cargo and rustc, with their messages shown while they run and whole when they fail.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::layout::Layout;
use crate::progress::Progress;

/// How often a build that nobody watches on a terminal says how far it is.
const REPORT_EVERY: Duration = Duration::from_secs(10);

/// `cargo`, started at the root: of the toolchain that runs us, where that is known.
pub fn cargo(layout: &Layout) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(&layout.root);
    // Set for `cargo xtask` itself, and not meant for what it starts.
    for key in [
        "CARGO_TARGET_DIR",
        "CARGO_MANIFEST_DIR",
        "CARGO_MANIFEST_PATH",
    ] {
        command.env_remove(key);
    }
    command
}

/// Standard output of a command that takes no time to speak of, and its messages.
pub fn output(command: &mut Command) -> Result<(String, String)> {
    let shown = shown(command);
    let output = command
        .output()
        .with_context(|| format!("cannot start `{shown}`; is it installed?"))?;
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        bail!(
            "`{shown}` failed ({}):\n{}",
            output.status,
            messages.trim_end()
        );
    }
    let text = String::from_utf8(output.stdout)
        .with_context(|| format!("`{shown}` printed what is not UTF-8"))?;
    Ok((text, messages))
}

/// Standard output of a command that takes its time. On a terminal it draws its own progress; elsewhere a line now and
/// then says how far it is, and all of its messages are in the error if it fails.
pub fn run(command: &mut Command, progress: Progress) -> Result<String> {
    let shown = shown(command);
    let messages = if progress.is_terminal() {
        Stdio::inherit()
    } else {
        Stdio::piped()
    };
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(messages)
        .spawn()
        .with_context(|| format!("cannot start `{shown}`; is it installed?"))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    // Both at once: a full pipe that nobody reads would stop the child.
    let follower = std::thread::spawn(move || stderr.map(|pipe| follow(pipe, progress)));
    let mut output = Vec::new();
    if let Some(mut pipe) = stdout {
        pipe.read_to_end(&mut output)
            .with_context(|| format!("cannot read what `{shown}` prints"))?;
    }
    let messages = follower.join().ok().flatten();
    let status = child.wait().with_context(|| format!("lost `{shown}`"))?;
    if !status.success() {
        match messages {
            Some(text) => bail!("`{shown}` failed ({status}):\n{}", text.trim_end()),
            None => bail!("`{shown}` failed ({status}); its messages are above"),
        }
    }
    String::from_utf8(output).with_context(|| format!("`{shown}` printed what is not UTF-8"))
}

/// Reads messages to their end, and says now and then how many crates there have been.
fn follow(pipe: impl Read, progress: Progress) -> String {
    let mut messages = String::new();
    let mut reported = Instant::now();
    let mut steps = 0;
    for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        if let Some((verb, what)) = step(&line) {
            steps += 1;
            if reported.elapsed() >= REPORT_EVERY {
                progress.step(verb, format!("{what} ({steps} so far)"));
                reported = Instant::now();
            }
        }
        messages.push_str(&line);
        messages.push('\n');
    }
    messages
}

/// A line that names one crate that cargo is at.
fn step(line: &str) -> Option<(&str, &str)> {
    let (verb, what) = line.trim_start().split_once(' ')?;
    matches!(verb, "Compiling" | "Downloaded").then_some((verb, what.trim()))
}

/// The command as a person would type it; its folder is the root.
fn shown(command: &Command) -> String {
    let name = std::path::Path::new(command.get_program()).file_name();
    let name = name.unwrap_or_else(|| command.get_program());
    std::iter::once(name)
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}

/// What `rustc -vV` says.
pub fn rustc_version(layout: &Layout) -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let (text, _) = output(Command::new(rustc).arg("-vV").current_dir(&layout.root))?;
    Ok(text.trim_end().to_owned())
}

/// The host's target triple, from what `rustc -vV` says.
pub fn host_triple(rustc_version: &str) -> Result<&str> {
    rustc_version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .context("`rustc -vV` names no host")
}
