//! Which functions a workload's clock runs in.
//!
//! A process also seals, reads parameters, checks and digests. A stack belongs to the timed work when one of these
//! functions is in it; threads of a pool have no caller that says so, so the prover's own functions are named too.

use super::Stack;

/// The beginning of workloads' names, and the functions that they time.
const TIMED: [(&str, &[&str]); 5] = [
    ("synth/", &["cuzk_core::synthesis::synthesize"]),
    (
        "prove/",
        &[
            "cuzk_core::synthesis::synthesize",
            "cuzk_core::backend::prove",
            "bellperson::groth16::prover::",
            "bellperson::groth16::proof::create",
            "bellperson::multiexp::",
            "ec_gpu_gen::",
        ],
    ),
    (
        "engine/",
        &[
            "cuzk_core::recorded::synthesize",
            "cuzk_core::backend::",
            "bellperson::groth16::prover::",
            "bellperson::groth16::proof::create",
            "bellperson::multiexp::",
            "ec_gpu_gen::",
        ],
    ),
    (
        "params/",
        &[
            "cuzk_core::parameters::generate",
            "bellperson::groth16::generator::",
        ],
    ),
    (
        "teardown",
        &[
            "workload::teardown::",
            "cuzk_core::teardown::",
            "bellperson::dealloc",
        ],
    ),
];

/// The part of a stack that is timed work: from its innermost function to the outermost one that is timed. `None` where
/// none is.
pub fn part<'a>(workload: &str, stack: &'a Stack) -> Option<&'a [String]> {
    let functions = TIMED
        .iter()
        .find(|(beginning, _)| workload.starts_with(beginning))
        .map_or(&[][..], |(_, functions)| functions);
    let is_timed = |name: &String| {
        let name = path(name);
        functions.iter().any(|function| name.starts_with(function))
    };
    let outermost = stack.frames.iter().rposition(is_timed)?;
    Some(&stack.frames[..=outermost])
}

/// A function's path: of `<&mut a::B as c::D>::e`, `a::B as c::D>::e`. What is dropped stands for its dropping.
pub fn path(name: &str) -> &str {
    let name = name
        .strip_prefix("core::ptr::drop_in_place")
        .map_or(name, |dropped| dropped.trim_start_matches("::"));
    name.trim_start_matches("<")
        .trim_start_matches('&')
        .trim_start_matches("mut ")
        .trim_start_matches('<')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(frames: &[&str]) -> Stack {
        Stack {
            frames: frames.iter().map(|f| (*f).to_owned()).collect(),
            weight: 1,
        }
    }

    #[test]
    fn the_clock_begins_at_the_outermost_timed_function() {
        let synthesis = stack(&[
            "bellpepper_core::lc::add_product",
            "bellperson::groth16::prover::synthesize_circuits_batch",
            "cuzk_core::synthesis::synthesize",
            "workload::synth::measure",
            "main",
        ]);
        let timed = part("synth/sha256", &synthesis).expect("timed");
        assert_eq!(
            timed.last().map(String::as_str),
            Some("cuzk_core::synthesis::synthesize")
        );
        assert_eq!(timed.len(), 3);
        let check = stack(&["workload::synth::check", "workload::synth::run", "main"]);
        assert_eq!(part("synth/sha256", &check), None);
        assert_eq!(part("teardown", &synthesis), None);
        assert_eq!(part("unknown", &synthesis), None);
    }

    #[test]
    fn paths_of_names() {
        for (name, expected) in [
            ("a::b", "a::b"),
            ("<a::B<T> as c::D>::e", "a::B<T> as c::D>::e"),
            ("<&a::B as c::D>::e", "a::B as c::D>::e"),
            ("<&mut a::B>::e", "a::B>::e"),
            ("core::ptr::drop_in_place<a::B>", "a::B>"),
            ("core::ptr::drop_in_place::<a::B>", "a::B>"),
        ] {
            assert_eq!(path(name), expected);
        }
    }
}
