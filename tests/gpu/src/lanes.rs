//! Workers: one process a lane, and another one where the first is no more. What happens to a process is one row.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::case::Case;
use crate::report::{Line, Row, Verdict};

/// How workers are started, and how long one may say nothing.
#[derive(Clone, Debug)]
pub struct Workers {
    /// The program.
    pub program: PathBuf,
    /// Its arguments, up to the names of cases.
    pub arguments: Vec<String>,
    /// Where they leave what they write to standard error.
    pub folder: PathBuf,
    /// How long a case may take.
    pub limit: Duration,
    /// How many work at the same time.
    pub jobs: usize,
}

impl Workers {
    /// Does cases, and returns their rows in the same order. `seen` is called with each as it ends.
    pub fn run(&self, cases: &[Case], seen: &(dyn Fn(&Row) + Sync)) -> Result<Vec<Row>> {
        let mut lanes: Vec<Vec<&Case>> = Vec::new();
        for case in cases {
            match lanes.iter_mut().find(|lane| lane[0].lane == case.lane) {
                Some(lane) => lane.push(case),
                None => lanes.push(vec![case]),
            }
        }
        let (alone, together): (Vec<_>, Vec<_>) =
            lanes.into_iter().partition(|lane| lane[0].is_alone());
        let rows = Mutex::new(Vec::new());
        let failed = Mutex::new(None);
        for (lanes, jobs) in [(together, self.jobs.max(1)), (alone, 1)] {
            let queue = Mutex::new(VecDeque::from(lanes));
            std::thread::scope(|scope| {
                for _ in 0..jobs {
                    scope.spawn(|| {
                        while let Some(lane) = take(&queue) {
                            let ended = self.lane(&lane, |row| {
                                seen(&row);
                                if let Ok(mut rows) = rows.lock() {
                                    rows.push(row);
                                }
                            });
                            if let (Err(error), Ok(mut failed)) = (ended, failed.lock()) {
                                failed.get_or_insert(error);
                            }
                        }
                    });
                }
            });
        }
        if let Ok(Some(error)) = failed.into_inner() {
            return Err(error);
        }
        let rows = rows.into_inner().unwrap_or_default();
        let row = |case: &Case| {
            let row = rows.iter().find(|row| row.name == case.name);
            row.cloned()
                .unwrap_or_else(|| lost(&case.name, "nothing is known of it", 0.0))
        };
        Ok(cases.iter().map(row).collect())
    }

    /// Does the cases of a lane, with as many processes as that takes.
    fn lane(&self, cases: &[&Case], mut ended: impl FnMut(Row)) -> Result<()> {
        let mut left: VecDeque<&Case> = cases.iter().copied().collect();
        while let Some(first) = left.front() {
            let names: Vec<&str> = left.iter().map(|case| case.name.as_str()).collect();
            let (mut child, errors) = self.start(&names, first.visible())?;
            let mut end = self.listen(&mut child, |row| {
                left.retain(|case| case.name != row.name);
                ended(row);
            })?;
            if left.len() == names.len() && end.is_none() {
                end = Some(End {
                    why: "the process ended and had done nothing".to_owned(),
                    seconds: 0.0,
                });
            }
            // What it was at, or would have begun with, is what ended it.
            if let (Some(end), Some(case)) = (end, left.pop_front()) {
                let said = std::fs::read(&errors).unwrap_or_default();
                let said = String::from_utf8_lossy(&said);
                let last = said.trim_end().lines().next_back().unwrap_or_default();
                let why = match last {
                    "" => end.why,
                    last => format!("{}; its last words: {last}", end.why),
                };
                ended(lost(&case.name, &why, end.seconds));
            }
        }
        Ok(())
    }

    fn start(&self, names: &[&str], visible: Option<&str>) -> Result<(Child, PathBuf)> {
        let name = names.first().unwrap_or(&"").replace(['/', '+'], "-");
        let path = self.folder.join(format!("{name}.stderr"));
        let file = File::create(&path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).args(names);
        if let Some(visible) = visible {
            command.env("CUDA_VISIBLE_DEVICES", visible);
        }
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(file)
            .spawn()
            .context("cannot start a worker")?;
        Ok((child, path))
    }

    /// Reads what a worker says until it ends. `None` where it ended well.
    fn listen(&self, child: &mut Child, mut row: impl FnMut(Row)) -> Result<Option<End>> {
        let out = child.stdout.take().context("a worker without output")?;
        let (send, lines) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            for text in BufReader::new(out).split(b'\n').map_while(Result::ok) {
                let line = Line::parse(&String::from_utf8_lossy(&text));
                if line.is_some_and(|line| send.send(line).is_err()) {
                    break;
                }
            }
        });
        let mut since = Instant::now();
        let hung = loop {
            match lines.recv_timeout(self.limit.saturating_sub(since.elapsed())) {
                Ok(Line::Begin(_)) => since = Instant::now(),
                Ok(Line::End(ended)) => {
                    row(ended);
                    since = Instant::now();
                }
                Err(RecvTimeoutError::Timeout) => break true,
                Err(RecvTimeoutError::Disconnected) => break false,
            }
        };
        let seconds = since.elapsed().as_secs_f64();
        if hung {
            let _ = child.kill();
        }
        let status = child.wait().context("a worker's end")?;
        let _ = reader.join();
        let why = match hung {
            true => format!("nothing was heard for {} s", self.limit.as_secs()),
            false if status.success() => return Ok(None),
            false => format!("the process ended with {status}"),
        };
        Ok(Some(End { why, seconds }))
    }
}

/// Why a worker is no more.
struct End {
    why: String,
    seconds: f64,
}

fn take<T>(queue: &Mutex<VecDeque<T>>) -> Option<T> {
    queue.lock().ok()?.pop_front()
}

fn lost(name: &str, why: &str, seconds: f64) -> Row {
    Row {
        name: name.to_owned(),
        verdict: Verdict::Failed,
        detail: why.to_owned(),
        seconds,
    }
}

/// A folder for what workers write to standard error.
pub fn folder_of_errors(folder: &Path) -> Result<PathBuf> {
    let path = folder.join("stderr");
    std::fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::case;

    /// A shell script in a worker's place. `$1` and so on are the names of cases.
    fn rows(script: &str, limit: Duration, cases: &[Case]) -> Vec<Row> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut text = String::new();
        writeln!(text, "end() {{ echo \"gpu-suite {{\\\"end\\\":{{\\\"name\\\":\\\"$1\\\",\\\"verdict\\\":\\\"passed\\\",\\\"detail\\\":\\\"\\\",\\\"seconds\\\":0.5}}}}\"; }}").expect("text");
        text.push_str(script);
        let workers = Workers {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), text, "worker".into()],
            folder: folder.path().to_owned(),
            limit,
            jobs: 2,
        };
        workers.run(cases, &|_| ()).expect("run")
    }

    fn some() -> Vec<Case> {
        let all = case::all().into_iter();
        all.filter(|case| case.lane == "errors/shape-raw").collect()
    }

    fn verdicts(rows: &[Row]) -> Vec<Verdict> {
        rows.iter().map(|row| row.verdict).collect()
    }

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn rows_come_in_the_order_of_the_cases() {
        let cases = some();
        let rows = rows("for name; do end $name; done", LONG, &cases);
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        let asked: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, asked);
        assert!(verdicts(&rows).iter().all(|v| *v == Verdict::Passed));
    }

    #[test]
    fn a_process_that_dies_is_one_row() {
        let script = "for name; do case $name in *input*) echo oh >&2; kill -ABRT $$;; esac; end $name; done";
        let rows = rows(script, LONG, &some());
        let failed: Vec<&Row> = rows
            .iter()
            .filter(|r| r.verdict == Verdict::Failed)
            .collect();
        assert_eq!((rows.len(), failed.len()), (5, 1));
        assert!(failed[0].name.ends_with("one-input-more"));
        let detail = &failed[0].detail;
        assert!(
            detail.contains("signal: 6") && detail.ends_with("oh"),
            "{detail}"
        );
    }

    #[test]
    fn a_process_that_hangs_is_one_row() {
        let script = "for name; do case $name in *input*) exec sleep 30;; esac; end $name; done";
        let rows = rows(script, Duration::from_millis(400), &some());
        let failed: Vec<&Row> = rows
            .iter()
            .filter(|r| r.verdict == Verdict::Failed)
            .collect();
        assert_eq!((rows.len(), failed.len()), (5, 1));
        assert!(failed[0].detail.contains("nothing was heard"));
    }

    #[test]
    fn a_process_that_says_nothing_fails_its_cases() {
        assert!(
            verdicts(&rows("exit 3", LONG, &some()))
                .iter()
                .all(|v| *v == Verdict::Failed)
        );
        assert!(
            verdicts(&rows("exit 0", LONG, &some()))
                .iter()
                .all(|v| *v == Verdict::Failed)
        );
        // One that ends well and has left some out does not have them passed.
        assert!(verdicts(&rows("end $1", LONG, &some())).contains(&Verdict::Passed));
    }
}
