//! Every history of a few jobs.
//!
//! A [`World`] is a machine with what its threads are at. From each world every step that could come next is taken: threads may be as fast or as
//! slow as they like, any of a bounded number of things may fail, and at any point somebody may cancel, evict or shut down.
//! In every world that can be reached:
//!
//! * what threads hold has been reserved, and no more is reserved than there is;
//! * no more partitions are synthesised and no more calls are made at a time than there are threads;
//! * a partition is admitted only where none that goes before it is left waiting;
//! * what is proven has its parameters, and what is dropped has no user;
//! * a job is told its end once, and before it is forgotten;
//! * whoever could be admitted has been, so that nobody has to ask again;
//! * where no thread can do anything, no job is left, and threads come to that whatever they do.

mod checks;
mod scenarios;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use super::types::{Part, Resting};
use super::*;
use checks::{check, come_to_rest, nobody_was_passed};

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
    preloads: usize,
    closings: usize,
}

/// What threads hold, as they were told: the machine's own books are not asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Held {
    preparing: BTreeSet<Ticket>,
    loading: BTreeSet<Key>,
    loaded: BTreeSet<Key>,
    dropping: BTreeSet<Key>,
    synthesising: BTreeSet<Attempt>,
    synthesised: BTreeSet<Attempt>,
    calls: Vec<(usize, Vec<Attempt>)>,
    rubbish: BTreeSet<Attempt>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct World {
    machine: Machine,
    held: Held,
    submitted: usize,
    ended: BTreeMap<Ticket, End>,
    scripts: BTreeMap<Ticket, usize>,
    faults: usize,
    cancels: usize,
    evictions: usize,
    preloads: usize,
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
    Preload(Key),
    Close(Closing),
}

struct Explorer {
    scripts: Vec<Script>,
    /// The batch of each class.
    batch: Vec<usize>,
    /// Bytes of a partition of each circuit, and of its proof.
    weights: [(u64, u64); 2],
}

const EVEN: [(u64, u64); 2] = [(2, 1); 2];

impl Explorer {
    fn way(&self, circuit: Key, class: usize) -> Way {
        Way {
            class,
            srs: (10 * circuit + class as Key, SRS),
            recording: Some((10 * circuit + 9, RECORDING)),
            // What another class takes is more.
            partition: self.weights[circuit as usize].0 + class as u64,
            synthesis: 1,
            proving: self.weights[circuit as usize].1,
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

    /// So many are never ahead of provers: what those could begin with at once, and what was begun with when one was missing of that.
    fn most_ahead(&self, machine: &Machine) -> usize {
        let slots = machine.limits.provers.iter().zip(&self.batch);
        slots.map(|(slots, batch)| slots * batch).sum::<usize>() + machine.limits.synthesis
    }

    /// All that could happen next; the second list is what others do, which need not happen.
    fn steps(&self, world: &World) -> (Vec<Step>, Vec<Step>) {
        let mut steps = Vec::new();
        let (machine, held) = (&world.machine, &world.held);
        let faulty = world.faults > 0;
        if held.preparing.is_empty() && machine.clone().next_preparation().is_some() {
            steps.push(Step::Prepare);
        }
        steps.extend(held.preparing.iter().copied().map(Step::Prepared));
        for attempt in &held.synthesising {
            steps.push(Step::Synthesised(*attempt, true));
            if faulty {
                steps.push(Step::Synthesised(*attempt, false));
            }
        }
        steps.extend(held.rubbish.iter().copied().map(Step::Freed));
        for key in &held.loading {
            steps.push(Step::Loaded(*key, true));
            // A recording that cannot be had is no reason to fail.
            if faulty && key % 10 != 9 {
                steps.push(Step::Loaded(*key, false));
            }
        }
        steps.extend(held.dropping.iter().copied().map(Step::Dropped));
        if machine.clone().next_load().is_some() {
            steps.push(Step::Load);
        }
        if machine.clone().next_synthesis().is_some() {
            steps.push(Step::Synthesise);
        }
        for class in 0..self.batch.len() {
            let calls = held.calls.iter().filter(|(of, _)| *of == class).count();
            if calls < machine.limits.provers[class]
                && !machine.clone().next_batch(class).is_empty()
            {
                steps.push(Step::Prove(class));
            }
        }
        for call in 0..held.calls.len() {
            steps.push(Step::Proved(call, true));
            if faulty {
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
        if world.preloads > 0 {
            // Those of both circuits, and some that nobody needs.
            others.extend([0, 10, 50].map(Step::Preload));
        }
        if world.closings > 0 {
            others.extend([Step::Close(Closing::Drain), Step::Close(Closing::Now)]);
        }
        (steps, others)
    }

    fn take(&self, world: &World, step: &Step) -> World {
        let mut next = world.clone();
        let (machine, held) = (&mut next.machine, &mut next.held);
        match step {
            Step::Submit => {
                let script = &self.scripts[next.submitted];
                if let Ok(Submitted { ticket, joined }) =
                    machine.submit(&script.id.into(), script.priority, 1)
                {
                    let new = next.scripts.insert(ticket, next.submitted).is_none();
                    assert_eq!(new, !joined, "a number of its own, or that of a live job");
                    assert!(!next.ended.contains_key(&ticket), "joined one that ended");
                }
                next.submitted += 1;
            }
            Step::Prepare => {
                let ticket = machine.next_preparation().expect("a job");
                let job = &machine.jobs[&ticket];
                let me = (Reverse(job.priority), ticket);
                assert!(
                    machine.unprepared.first().is_none_or(|other| me < *other),
                    "looked at before one that goes before it"
                );
                held.preparing.insert(ticket);
            }
            Step::Prepared(ticket) => {
                held.preparing.remove(ticket);
                let plan = self.plan(&self.scripts[next.scripts[ticket]]);
                machine.prepared(*ticket, plan);
            }
            Step::Load => {
                let going = machine.is_making_room();
                match machine.next_load().expect("a task") {
                    LoadTask::Load(key) => {
                        let over =
                            machine.closing.is_some() && machine.jobs.values().all(|job| job.ended);
                        assert!(!over, "loaded for nobody");
                        let waits = |r: &Resident| r.state == Resting::Unwanted;
                        assert!(
                            !machine.residents.values().any(waits),
                            "somebody waits for the memory"
                        );
                        assert!(held.loading.insert(key) && !held.loaded.contains(&key));
                    }
                    LoadTask::Drop(key) => {
                        assert!(
                            going && held.loaded.remove(&key),
                            "dropped what is not there"
                        );
                        held.dropping.insert(key);
                    }
                }
            }
            Step::Loaded(key, good) => {
                next.faults -= usize::from(!good);
                held.loading.remove(key);
                if *good {
                    held.loaded.insert(*key);
                }
                machine.loaded(*key, good.then_some(u64::MAX));
            }
            Step::Dropped(key) => {
                held.dropping.remove(key);
                machine.dropped(*key);
            }
            Step::Synthesise => {
                let attempt = machine.next_synthesis().expect("a partition");
                assert!(attempt.number < 2, "tried a third time");
                assert!(
                    !next.ended.contains_key(&attempt.ticket),
                    "begun after its end"
                );
                held.synthesising.insert(attempt);
            }
            Step::Synthesised(attempt, good) => {
                next.faults -= usize::from(!good);
                held.synthesising.remove(attempt);
                let wanted = machine.synthesised(attempt, *good);
                assert_eq!(wanted, *good && !next.ended.contains_key(&attempt.ticket));
                match wanted {
                    true => held.synthesised.insert(*attempt),
                    false => held.rubbish.insert(*attempt),
                };
            }
            Step::Prove(class) => {
                let batch = machine.next_batch(*class);
                assert!(batch.len() <= self.batch[*class]);
                for attempt in &batch {
                    let way = machine.way(attempt);
                    assert!(held.synthesised.remove(attempt), "proven without vectors");
                    assert!(
                        held.loaded.contains(&way.srs.0),
                        "proven without parameters"
                    );
                    assert_eq!((way.class, way.srs), (*class, machine.way(&batch[0]).srs));
                }
                held.calls.push((*class, batch));
                held.calls.sort();
            }
            Step::Proved(call, good) => {
                let (_, batch) = held.calls.remove(*call);
                next.faults -= usize::from(!good);
                // Where a call goes wrong, the proof of its first partition does.
                for (index, attempt) in batch.iter().enumerate() {
                    let again = machine.proved(attempt, *good || index > 0);
                    assert!(!again || attempt.number == 0, "made a third time");
                    held.rubbish.insert(*attempt);
                }
            }
            Step::Freed(attempt) => {
                held.rubbish.remove(attempt);
                machine.freed(attempt);
            }
            Step::Cancel(ticket) => {
                next.cancels -= 1;
                machine.cancel(*ticket);
            }
            Step::Evict(key) => {
                next.evictions -= 1;
                machine.evict(*key);
            }
            Step::Preload(key) => {
                next.preloads -= 1;
                let answer = machine.preload(*key, SRS);
                let going = machine.is_making_room();
                match answer {
                    Preload::Ready => assert!(held.loaded.contains(key)),
                    Preload::Coming => assert!(machine.residents.contains_key(key)),
                    Preload::Later => assert!(going, "waits for nothing"),
                    Preload::Closed => assert!(machine.closing.is_some()),
                    Preload::NoRoom { used } => assert!(used + SRS > machine.capacity()),
                }
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
                Notice::Drop(attempt) => {
                    assert!(next.held.synthesised.remove(&attempt), "dropped twice");
                    next.held.rubbish.insert(attempt);
                }
            }
        }
        nobody_was_passed(&world.machine, &next.machine);
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
            held: Held::default(),
            submitted: 0,
            ended: BTreeMap::new(),
            scripts: BTreeMap::new(),
            faults: chances.faults,
            cancels: chances.cancels,
            evictions: chances.evictions,
            preloads: chances.preloads,
            closings: chances.closings,
        };
        let mut found = Found::default();
        let mut seen = HashMap::from([(first.clone(), 0)]);
        let mut queue = VecDeque::from([first]);
        // Of each world: those that threads can come to from it.
        let mut after: Vec<Vec<usize>> = Vec::new();
        while let Some(world) = queue.pop_front() {
            let (steps, others) = self.steps(&world);
            if steps.is_empty() {
                let machine = &world.machine;
                assert!(machine.jobs.is_empty(), "stuck: {world:#?}");
                assert!(machine.active.is_empty() && machine.waiting.is_empty());
                assert!(machine.ids.is_empty() && machine.unprepared.is_empty());
                assert_eq!(machine.is_finished(), machine.closing.is_some());
                // What nobody had begun to load when it was closed stays as it is.
                let weight = self.weight(&world);
                assert!(weight == machine.used() || machine.closing.is_some());
                found.quiet += 1;
                found.ends.extend(world.ended.values());
            }
            let mut reached = Vec::new();
            for (index, step) in steps.iter().chain(&others).enumerate() {
                let next = self.take(&world, step);
                let count = seen.len();
                let number = *seen.entry(next.clone()).or_insert(count);
                if number == count {
                    check(&next);
                    assert!(
                        self.weight(&next) <= next.machine.used(),
                        "held and not reserved"
                    );
                    assert!(next.held.synthesised.len() < self.most_ahead(&next.machine));
                    queue.push_back(next);
                }
                if index < steps.len() {
                    reached.push(number);
                }
            }
            after.push(reached);
        }
        assert!(come_to_rest(&after), "threads run in circles");
        found.worlds = seen.len();
        found
    }

    /// Bytes that threads hold.
    fn weight(&self, world: &World) -> u64 {
        let (machine, held) = (&world.machine, &world.held);
        let partition = |attempt: &Attempt| machine.way(attempt).partition;
        let attempts = held.synthesising.iter().chain(&held.synthesised);
        let proving = held.calls.iter().flat_map(|(_, batch)| batch);
        attempts.chain(&held.rubbish).map(partition).sum::<u64>()
            + held.synthesising.len() as u64
            + proving
                .map(|attempt| partition(attempt) + machine.way(attempt).proving)
                .sum::<u64>()
            + SRS * held.parameters()
            + held.recordings()
    }
}

impl Held {
    fn residents(&self) -> impl Iterator<Item = &Key> {
        self.loading
            .iter()
            .chain(&self.loaded)
            .chain(&self.dropping)
    }

    fn parameters(&self) -> u64 {
        self.residents().filter(|key| *key % 10 != 9).count() as u64
    }

    fn recordings(&self) -> u64 {
        RECORDING * self.residents().filter(|key| *key % 10 == 9).count() as u64
    }
}

#[derive(Debug, Default)]
struct Found {
    worlds: usize,
    quiet: usize,
    ends: HashSet<End>,
}
