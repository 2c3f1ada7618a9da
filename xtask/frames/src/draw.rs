//! Folded stacks as a picture: B. Gregg, "The Flame Graph", ACM Queue 14 (2016). Callers lie below what they call, a frame
//! is as wide as its part of all samples, and siblings stand in the order of their names.
//!
//! The picture is one SVG that loads nothing. A click on a frame widens it to the whole picture (`zoom.js`).

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Context, Result, bail};

/// Of the picture, in its own units.
const WIDTH: f64 = 1200.0;
const ROW: f64 = 17.0;
const HEAD: f64 = 52.0;
/// What a letter takes; names are cut to their frame by it.
const LETTER: f64 = 6.6;
/// A narrower frame is not drawn: nobody sees it, and there are thousands.
const NARROWEST: f64 = 0.3;

/// A function below its caller, with all that it calls.
#[derive(Default)]
struct Frame {
    value: u64,
    calls: BTreeMap<String, Frame>,
}

impl Frame {
    fn add(&mut self, stack: &[&str], value: u64) {
        self.value += value;
        if let [name, rest @ ..] = stack {
            let call = self.calls.entry((*name).to_owned()).or_default();
            call.add(rest, value);
        }
    }

    /// The rows that are drawn, this one included.
    fn rows(&self, scale: f64) -> usize {
        let drawn = self.calls.values().filter(|c| c.width(scale) >= NARROWEST);
        1 + drawn.map(|call| call.rows(scale)).max().unwrap_or(0)
    }

    fn width(&self, scale: f64) -> f64 {
        self.value as f64 * scale
    }
}

/// The flame graph of `folded`, whose lines are `outermost;…;innermost COUNT`.
pub fn draw(title: &str, subtitle: &str, unit: &str, folded: &str) -> Result<Vec<u8>> {
    let mut all = Frame::default();
    for line in folded.lines().filter(|line| !line.trim().is_empty()) {
        let (stack, count) = line
            .rsplit_once(' ')
            .with_context(|| format!("`{line}` has no count"))?;
        let count: u64 = count
            .parse()
            .with_context(|| format!("`{line}` ends in no count"))?;
        all.add(&stack.split(';').collect::<Vec<_>>(), count);
    }
    if all.value == 0 {
        bail!("no stack on stdin: there is nothing to draw");
    }
    let scale = WIDTH / all.value as f64;
    let height = HEAD + all.rows(scale) as f64 * ROW + 8.0;
    let mut svg = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         role=\"img\" data-total=\"{}\">\n<title>{}</title>\n<style>{}</style>\n\
         <rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n\
         <text x=\"8\" y=\"20\" class=\"head\">{}</text><text x=\"8\" y=\"40\">{}</text>\n",
        all.value,
        escape(title),
        include_str!("flame.css"),
        escape(title),
        escape(subtitle),
    );
    let mut pen = Pen {
        svg: &mut svg,
        unit,
        total: all.value,
        scale,
        bottom: height - 8.0 - ROW,
    };
    pen.frame("all", &all, 0.0, 0);
    let script = include_str!("zoom.js");
    let _ = write!(svg, "<script><![CDATA[\n{script}]]></script>\n</svg>\n");
    Ok(svg.into_bytes())
}

struct Pen<'a> {
    svg: &'a mut String,
    unit: &'a str,
    total: u64,
    scale: f64,
    bottom: f64,
}

impl Pen<'_> {
    fn frame(&mut self, name: &str, frame: &Frame, x: f64, depth: usize) {
        let width = frame.width(self.scale);
        if width < NARROWEST {
            return;
        }
        let y = self.bottom - depth as f64 * ROW;
        let share = frame.value as f64 / self.total as f64 * 100.0;
        let shown = shortened(name, width);
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.svg,
            "<g class=\"h{}\"><title>{} ({} {}, {share:.2} %)</title><rect x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" \
             height=\"{}\" rx=\"1\"/><text x=\"{:.2}\" y=\"{}\">{}</text></g>",
            hue(name),
            escape(name),
            frame.value,
            self.unit,
            ROW - 1.0,
            x + 3.0,
            y + 12.0,
            escape(&shown),
        );
        let mut at = x;
        for (name, call) in &frame.calls {
            self.frame(name, call, at, depth + 1);
            at += call.width(self.scale);
        }
    }
}

/// As much of a name as its frame has room for.
fn shortened(name: &str, width: f64) -> String {
    let room = ((width - 6.0) / LETTER).max(0.0) as usize;
    match name.chars().count() {
        count if count <= room => name.to_owned(),
        _ if room < 3 => String::new(),
        _ => name.chars().take(room - 1).chain(['…']).collect(),
    }
}

/// The same function has the same colour in every picture, so that two arms can be laid side by side.
fn hue(name: &str) -> u64 {
    name.bytes().fold(7u64, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(u64::from(byte))
    }) % 6
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(folded: &str) -> String {
        let svg = draw("one <&>", "two", "samples", folded).expect("drawn");
        String::from_utf8(svg).expect("SVG is text")
    }

    #[test]
    fn a_picture_names_its_functions_and_what_is_counted() {
        let svg = drawn("main;work<T>;deep 3\nmain;rest 1\nmain;work<T> 4\n");
        assert!(svg.starts_with("<?xml"), "{svg}");
        for part in [
            "one &lt;&amp;&gt;",
            "two",
            "work&lt;T&gt; (7 samples, 87.50 %)",
            "main (8 samples, 100.00 %)",
            "rest (1 samples, 12.50 %)",
        ] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert!(!svg.contains("<T>"));
    }

    #[test]
    fn callers_lie_below_and_siblings_side_by_side() {
        let svg = drawn("a;b 1\na;c 3\n");
        let place = |name: &str, key: &str| -> f64 {
            let group = svg
                .split("<g ")
                .find(|g| g.contains(&format!("<title>{name} (")));
            let rect = group
                .expect("a frame")
                .split("<rect ")
                .nth(1)
                .expect("a rect");
            let value = rect.split(&format!("{key}=\"")).nth(1).expect("a key");
            value
                .split('"')
                .next()
                .expect("a value")
                .parse()
                .expect("a number")
        };
        assert!(place("a", "y") > place("b", "y"));
        assert_eq!((place("b", "x"), place("b", "width")), (0.0, 300.0));
        assert_eq!((place("c", "x"), place("c", "width")), (300.0, 900.0));
    }

    #[test]
    fn names_are_cut_to_their_frame() {
        assert_eq!(shortened("enforce", 60.0), "enforce");
        assert_eq!(shortened("linear_combination", 60.0), "linear_…");
        assert_eq!(shortened("x", 4.0), "");
    }

    #[test]
    fn what_is_no_stack_is_refused() {
        for (folded, expected) in [
            (" \n", "no stack"),
            ("main\n", "no count"),
            ("a;b x\n", "no count"),
        ] {
            let error = draw("one", "two", "samples", folded).expect_err("nothing");
            assert!(format!("{error:#}").contains(expected), "{error:#}");
        }
    }
}
