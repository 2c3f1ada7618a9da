//! What has to hold: in every world, of every step, and of all worlds together.

use super::*;

/// What holds in every world.
pub(super) fn check(world: &World) {
    let machine = &world.machine;
    assert!(
        machine.used() <= machine.capacity(),
        "over the budget: {machine:#?}"
    );
    let mut again = machine.clone();
    again.admit();
    assert_eq!(again, *machine, "somebody could have been admitted");
    if machine.is_finished() {
        let Held {
            loading,
            loaded,
            dropping,
            ..
        } = world.held.clone();
        let rest = Held {
            loading,
            loaded,
            dropping,
            ..Held::default()
        };
        assert_eq!(world.held, rest, "finished too early");
    }
    let of = |is: fn(&Job) -> bool| {
        let jobs = machine.jobs.iter().filter(|(_, job)| is(job));
        let order = jobs.map(|(ticket, job)| (Reverse(job.priority), *ticket));
        order.collect::<BTreeSet<_>>()
    };
    let waits = |job: &Job| {
        job.parts
            .iter()
            .any(|part| matches!(part, Part::Waiting { .. }))
    };
    assert_eq!(machine.waiting, of(waits));
    assert_eq!(
        machine.active,
        of(|job| job.parts.iter().any(Part::has_memory))
    );
    let mut used_last = machine.used_last.clone();
    used_last.sort_unstable();
    assert!(used_last.iter().eq(machine.residents.keys()), "each once");
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
}

/// What holds of every step.
pub(super) fn nobody_was_passed(before: &Machine, machine: &Machine) {
    if before.closing == Some(Closing::Now) {
        assert_eq!(machine.closing, before.closing);
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

/// Whether no world can be come back to.
pub(super) fn come_to_rest(after: &[Vec<usize>]) -> bool {
    let mut before = vec![0; after.len()];
    for world in after.iter().flatten() {
        before[*world] += 1;
    }
    let mut free: Vec<usize> = (0..after.len())
        .filter(|world| before[*world] == 0)
        .collect();
    let mut taken = 0;
    while let Some(world) = free.pop() {
        taken += 1;
        for next in &after[world] {
            before[*next] -= 1;
            if before[*next] == 0 {
                free.push(*next);
            }
        }
    }
    taken == after.len()
}
