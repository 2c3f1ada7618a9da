//! `frames`: what `cargo xtask profile` needs heavy libraries for.
//!
//! `frames resolve BINARY file|memory` reads addresses on stdin, one hexadecimal number a line, and prints one line for
//! each: the functions there, innermost first, tab between them; an empty line where there is no debug information.
//! `file` says that the numbers are offsets in the file, `memory` that they are addresses as its symbol table has them.
//!
//! `frames draw TITLE SUBTITLE UNIT` reads folded stacks on stdin and prints a flame graph as SVG.
//!
//! Exit codes: 0 = done, 2 = could not be done.

mod draw;
mod resolve;

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut input = String::new();
    let mut read = || {
        io::stdin()
            .read_to_string(&mut input)
            .context("cannot read stdin")
    };
    let output = match words[..] {
        ["resolve", binary, space] => {
            read()?;
            resolve::resolve(Path::new(binary), space.parse()?, &input)?.into_bytes()
        }
        ["draw", title, subtitle, unit] => {
            read()?;
            draw::draw(title, subtitle, unit, &input)?
        }
        _ => bail!("usage: frames resolve BINARY file|memory, or frames draw TITLE SUBTITLE UNIT"),
    };
    let mut out = io::stdout().lock();
    out.write_all(&output)
        .and_then(|()| out.flush())
        .context("cannot write to stdout")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_words_are_refused() {
        for words in [&[][..], &["resolve"], &["draw", "t"]] {
            let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
            let error = run(&words).expect_err("not a call").to_string();
            assert!(error.starts_with("usage: "), "{error}");
        }
    }
}
