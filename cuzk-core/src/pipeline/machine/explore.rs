//! Every history of a few jobs.
//!
//! A [`World`] is a machine with what its threads are at. From each world every step that could come next is taken: threads may be as fast or as
//! slow as they like, any of a bounded number of things may fail, and at any point somebody may cancel, evict or shut down.
//! In every world that can be reached:
//!
//! * no more is reserved than there is;
//! * no more partitions are synthesised and no more calls are made at a time than there are threads;
//! * a partition is admitted only where none that goes before it is left waiting;
//! * what is proven has its parameters, and what is dropped has no user;
//! * a job is told its end once, and before it is forgotten;
//! * where no thread can do anything, no job is left.

use std::collections::{BTreeMap, HashSet, VecDeque};

use super::types::{Part, Resting};
use super::*;

const SRS: u64 = 4;
const RECORDING: u64 = 1;

/// A job to be submitted.
#[derive(Clone, Debug)]
struct Script {
    id: &'static str,
    priority: Priority,
    /// Number of partitions, and which circuit; `None`: the request is no good.
    plan: Option<(usize, Key)>,
    /// The class of provers that makes a proof again.
    again: usize,
}

fn job(id: &'static str, priority: Priority, partitions: usize, circuit: Key) -> Script {
    Script {
        id,
        priority,
        plan: Some((partitions, circuit)),
        again: 0,
    }
}

#[derive(Clone, Copy, Debug)]
struct Chances {
    faults: usize,
    cancels: usize,
    evictions: usize,
    closings: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct World {
    machine: Machine,
    calls: Vec<(usize, Vec<Attempt>)>,
    submitted: usize,
    ended: BTreeMap<Ticket, End>,
    scripts: BTreeMap<Ticket, usize>,
    faults: usize,
    cancels: usize,
    evictions: usize,
    closings: usize,
}

#[derive(Clone, Debug)]
enum Step {
    Submit,
    Prepare,
    Prepared(Ticket),
    Load,
    Loaded(Key, bool),
    Dropped(Key),
    Synthesise,
    Synthesised(Attempt, bool),
    Prove(usize),
    Proved(usize, bool),
    Freed(Attempt),
    Cancel(Ticket),
    Evict(Key),
    Close(Closing),
}

struct Explorer {
    scripts: Vec<Script>,
    /// The batch of each class.
    batch: Vec<usize>,
}

impl Explorer {
    fn way(&self, circuit: Key, class: usize) -> Way {
        Way {
            class,
            srs: (10 * circuit + class as Key, SRS),
            recording: Some((10 * circuit + 9, RECORDING)),
            partition: 2,
            synthesis: 1,
            proving: 1,
            batch: self.batch[class],
        }
    }

    fn plan(&self, script: &Script) -> Option<Plan> {
        let (partitions, circuit) = script.plan?;
        let mut ways = vec![self.way(circuit, 0)];
        if script.again != 0 {
            ways.push(self.way(circuit, script.again));
        }
        Some(Plan { partitions, ways })
    }

    /// All that could happen next; the second list is what others do, which need not happen.
    fn steps(&self, world: &World) -> (Vec<Step>, Vec<Step>) {
        let mut steps = Vec::new();
        let machine = &world.machine;
        if !machine.unprepared.is_empty() && !machine.jobs.values().any(|job| job.preparing) {
            steps.push(Step::Prepare);
        }
        for (ticket, job) in &machine.jobs {
            if job.preparing {
                steps.push(Step::Prepared(*ticket));
            }
            for (part, state) in job.parts.iter().enumerate() {
                match *state {
                    Part::Synthesising { attempt } => {
                        let attempt = Attempt {
                            ticket: *ticket,
                            part,
                            number: attempt,
                        };
                        steps.push(Step::Synthesised(attempt, true));
                        if world.faults > 0 {
                            steps.push(Step::Synthesised(attempt, false));
                        }
                    }
                    Part::Freeing { .. } => {
                        steps.push(Step::Freed(Attempt {
                            ticket: *ticket,
                            part,
                            number: 0,
                        }));
                    }
                    _ => {}
                }
            }
        }
        for (key, resident) in &machine.residents {
            match resident.state {
                Resting::Loading => {
                    steps.push(Step::Loaded(*key, true));
                    // A recording that cannot be had is no reason to fail.
                    if world.faults > 0 && key % 10 != 9 {
                        steps.push(Step::Loaded(*key, false));
                    }
                }
                Resting::Dropping => steps.push(Step::Dropped(*key)),
                _ => {}
            }
        }
        if machine.clone().next_load().is_some() {
            steps.push(Step::Load);
        }
        if machine.clone().next_synthesis().is_some() {
            steps.push(Step::Synthesise);
        }
        for class in 0..self.batch.len() {
            let calls = world.calls.iter().filter(|(of, _)| *of == class).count();
            if calls < machine.limits.provers[class]
                && !machine.clone().next_batch(class).is_empty()
            {
                steps.push(Step::Prove(class));
            }
        }
        for call in 0..world.calls.len() {
            steps.push(Step::Proved(call, true));
            if world.faults > 0 {
                steps.push(Step::Proved(call, false));
            }
        }
        let mut others = Vec::new();
        if world.submitted < self.scripts.len() {
            others.push(Step::Submit);
        }
        if world.cancels > 0 {
            let live = machine.jobs.iter().filter(|(_, job)| !job.ended);
            others.extend(live.map(|(ticket, _)| Step::Cancel(*ticket)));
        }
        if world.evictions > 0 {
            others.extend(machine.residents.keys().map(|key| Step::Evict(*key)));
        }
        if world.closings > 0 {
            others.extend([Step::Close(Closing::Drain), Step::Close(Closing::Now)]);
        }
        (steps, others)
    }

    fn take(&self, world: &World, step: &Step) -> World {
        let mut next = world.clone();
        let machine = &mut next.machine;
        match step {
            Step::Submit => {
                let script = &self.scripts[next.submitted];
                if let Ok(Submitted { ticket, joined }) =
                    machine.submit(&script.id.into(), script.priority, 1)
                {
                    let new = next.scripts.insert(ticket, next.submitted).is_none();
                    assert_eq!(new, !joined, "a number of its own, or that of a live job");
                }
                next.submitted += 1;
            }
            Step::Prepare => drop(machine.next_preparation().expect("a job")),
            Step::Prepared(ticket) => {
                let plan = self.plan(&self.scripts[next.scripts[ticket]]);
                machine.prepared(*ticket, plan);
            }
            Step::Load => drop(machine.next_load().expect("a task")),
            Step::Loaded(key, good) => {
                next.faults -= usize::from(!good);
                machine.loaded(*key, good.then_some(u64::MAX));
            }
            Step::Dropped(key) => machine.dropped(*key),
            Step::Synthesise => drop(machine.next_synthesis().expect("a partition")),
            Step::Synthesised(attempt, good) => {
                next.faults -= usize::from(!good);
                machine.synthesised(attempt, *good);
            }
            Step::Prove(class) => {
                let batch = machine.next_batch(*class);
                assert!(batch.len() <= self.batch[*class]);
                next.calls.push((*class, batch));
                next.calls.sort();
            }
            Step::Proved(call, good) => {
                let (_, batch) = next.calls.remove(*call);
                next.faults -= usize::from(!good);
                // Where a call goes wrong, the proof of its first partition does.
                for (index, attempt) in batch.iter().enumerate() {
                    machine.proved(attempt, *good || index > 0);
                }
            }
            Step::Freed(attempt) => machine.freed(attempt),
            Step::Cancel(ticket) => {
                next.cancels -= 1;
                machine.cancel(*ticket);
            }
            Step::Evict(key) => {
                next.evictions -= 1;
                machine.evict(*key);
            }
            Step::Close(how) => {
                next.closings -= 1;
                machine.close(*how);
            }
        }
        for notice in next.machine.notices() {
            match notice {
                Notice::Ended(ticket, end) => {
                    assert!(next.ended.insert(ticket, end).is_none(), "told twice");
                }
                Notice::Forgotten(ticket) => assert!(next.ended.contains_key(&ticket)),
                Notice::Drop(_) => {}
            }
        }
        check(&world.machine, &next);
        next
    }

    fn run(&self, memory: u64, synthesis: usize, provers: Vec<usize>, chances: Chances) -> Found {
        let limits = Limits {
            memory,
            synthesis,
            provers,
            jobs: 8,
            request_bytes: 8,
        };
        let first = World {
            machine: Machine::new(limits),
            calls: Vec::new(),
            submitted: 0,
            ended: BTreeMap::new(),
            scripts: BTreeMap::new(),
            faults: chances.faults,
            cancels: chances.cancels,
            evictions: chances.evictions,
            closings: chances.closings,
        };
        let mut found = Found::default();
        let mut seen = HashSet::from([first.clone()]);
        let mut queue = VecDeque::from([first]);
        while let Some(world) = queue.pop_front() {
            let (steps, others) = self.steps(&world);
            if steps.is_empty() {
                assert!(world.machine.jobs.is_empty(), "stuck: {world:#?}");
                assert!(world.machine.active.is_empty() && world.machine.waiting.is_empty());
                assert!(world.machine.ids.is_empty());
                found.quiet += 1;
                found.ends.extend(world.ended.values());
            }
            for step in steps.iter().chain(&others) {
                let next = self.take(&world, step);
                if seen.insert(next.clone()) {
                    queue.push_back(next);
                }
            }
        }
        found.worlds = seen.len();
        found
    }
}

#[derive(Debug, Default)]
struct Found {
    worlds: usize,
    quiet: usize,
    ends: HashSet<End>,
}

/// What holds in every world.
fn check(before: &Machine, world: &World) {
    let machine = &world.machine;
    assert!(
        machine.used() <= machine.capacity(),
        "over the budget: {machine:#?}"
    );
    let count = |is: fn(&Part) -> bool| machine.active_parts().filter(|(_, part)| is(part)).count();
    let synthesising =
        count(|part| matches!(part, Part::Synthesising { .. } | Part::Admitted { .. }));
    assert!(synthesising <= machine.limits.synthesis);
    for (attempt, part) in machine.active_parts() {
        let way = machine.way(&attempt);
        if let Part::Proving { .. } = part {
            assert!(machine.is_ready(way.srs.0), "proven without parameters");
        }
        if let (Part::Synthesising { .. }, Some((key, _))) = (part, way.recording) {
            assert!(machine.is_ready(key), "synthesised without its recording");
        }
        assert!(machine.residents.contains_key(&way.srs.0) || machine.jobs[&attempt.ticket].ended);
    }
    for (key, resident) in &machine.residents {
        if resident.state == Resting::Dropping {
            assert_eq!(
                machine.residents().find(|(k, ..)| k == key).map(|r| r.3),
                Some(0)
            );
        }
    }
    let order = |machine: &Machine, ticket: Ticket, part: usize| {
        (Reverse(machine.jobs[&ticket].priority), ticket, part)
    };
    let waits = |machine: &Machine, ticket: Ticket, part: usize| {
        let job = machine.jobs.get(&ticket);
        job.is_some_and(|job| matches!(job.parts.get(part), Some(Part::Waiting { .. })))
    };
    let all = machine
        .jobs
        .iter()
        .flat_map(|(ticket, job)| (0..job.parts.len()).map(|part| (*ticket, part)));
    let left = all
        .clone()
        .filter(|(ticket, part)| waits(machine, *ticket, *part));
    let first_left = left
        .map(|(ticket, part)| order(machine, ticket, part))
        .min();
    for (ticket, part) in all {
        let admitted = matches!(machine.jobs[&ticket].parts[part], Part::Admitted { .. });
        if admitted && waits(before, ticket, part) {
            let me = order(machine, ticket, part);
            assert!(
                first_left.is_none_or(|left| me < left),
                "passed one that goes before it"
            );
        }
    }
}

const QUIET: Chances = Chances {
    faults: 0,
    cancels: 0,
    evictions: 0,
    closings: 0,
};

#[test]
fn two_circuits_that_do_not_fit_beside_each_other_take_turns() {
    let explorer = Explorer {
        scripts: vec![
            job("a", Priority::Normal, 2, 0),
            job("b", Priority::Critical, 1, 1),
            job("a", Priority::Low, 1, 0),
        ],
        batch: vec![1],
    };
    // One partition with its parameters needs 9, two of a circuit 11; two circuits need 14.
    for (memory, synthesis) in [(9, 1), (12, 2)] {
        let found = explorer.run(memory, synthesis, vec![1], Chances { faults: 1, ..QUIET });
        assert!(found.ends.contains(&End::Proven) && found.ends.contains(&End::Failed));
        assert!(found.worlds > 1000, "{found:?}");
    }
}

#[test]
fn cancelling_at_any_point_leaves_nothing_and_frees_the_id() {
    let explorer = Explorer {
        scripts: vec![
            job("a", Priority::Normal, 2, 0),
            job("a", Priority::Normal, 1, 0),
            job("b", Priority::High, 1, 0),
        ],
        batch: vec![2],
    };
    let found = explorer.run(
        16,
        2,
        vec![1],
        Chances {
            cancels: 1,
            evictions: 1,
            ..QUIET
        },
    );
    assert!(found.ends.contains(&End::Cancelled) && found.ends.contains(&End::Proven));
}

#[test]
fn a_wrong_proof_is_made_again_by_another_class() {
    let mut first = job("a", Priority::Normal, 2, 0);
    first.again = 1;
    let explorer = Explorer {
        scripts: vec![first, job("b", Priority::Normal, 1, 0)],
        batch: vec![2, 1],
    };
    for memory in [10, 24] {
        let found = explorer.run(memory, 1, vec![1, 1], Chances { faults: 2, ..QUIET });
        assert!(found.ends.contains(&End::Proven) && found.ends.contains(&End::Failed));
        assert!(
            found
                .ends
                .iter()
                .any(|end| matches!(end, End::NoParameters(_))),
            "{found:?}"
        );
    }
}

#[test]
fn shutting_down_at_any_point_ends_every_job() {
    let bad = Script {
        plan: None,
        ..job("c", Priority::Critical, 0, 0)
    };
    let explorer = Explorer {
        scripts: vec![
            job("a", Priority::Normal, 2, 0),
            job("b", Priority::Low, 1, 1),
            bad,
        ],
        batch: vec![1],
    };
    let found = explorer.run(
        20,
        2,
        vec![2],
        Chances {
            closings: 2,
            ..QUIET
        },
    );
    assert!(found.ends.contains(&End::ShutDown) && found.ends.contains(&End::Failed));
}

#[test]
fn what_never_fits_is_refused_and_the_rest_goes_on() {
    let explorer = Explorer {
        scripts: vec![
            job("a", Priority::Critical, 1, 0),
            job("b", Priority::Low, 1, 0),
        ],
        batch: vec![4],
    };
    let found = explorer.run(8, 1, vec![1], QUIET);
    assert_eq!(found.ends, HashSet::from([End::NeverFits]));
    // With 9 there is room for calls of one partition.
    let found = explorer.run(9, 1, vec![1], QUIET);
    assert_eq!(found.ends, HashSet::from([End::Proven]));
}

#[test]
fn a_full_queue_refuses_and_a_known_id_joins() {
    let limits = Limits {
        memory: 9,
        synthesis: 1,
        provers: vec![1],
        jobs: 2,
        request_bytes: 10,
    };
    let mut machine = Machine::new(limits);
    let mut submit = |id: &str, bytes| machine.submit(&id.into(), Priority::Normal, bytes);
    assert_eq!(submit("a", 11), Err(Refusal::Bytes { held: 0, limit: 10 }));
    assert_eq!(
        submit("a", 6),
        Ok(Submitted {
            ticket: 0,
            joined: false
        })
    );
    assert_eq!(
        submit("b", u64::MAX),
        Err(Refusal::Bytes { held: 6, limit: 10 })
    );
    assert_eq!(
        submit("b", 4),
        Ok(Submitted {
            ticket: 1,
            joined: false
        })
    );
    assert_eq!(submit("c", 0), Err(Refusal::Full { jobs: 2 }));
    assert_eq!(
        submit("a", 6),
        Ok(Submitted {
            ticket: 0,
            joined: true
        })
    );
    assert_eq!(machine.cancel(0), Some(false));
    assert_eq!(machine.cancel(0), None);
    let submit = machine.submit(&"a".into(), Priority::Normal, 6);
    assert_eq!(
        submit,
        Ok(Submitted {
            ticket: 2,
            joined: false
        })
    );
    assert_eq!(machine.ahead_of(2), 1);
    machine.close(Closing::Drain);
    assert_eq!(
        machine.submit(&"a".into(), Priority::Normal, 0),
        Err(Refusal::Closed)
    );
}
