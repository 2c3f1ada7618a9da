//! The jobs that are tried, and what is tried on them.

use super::*;

const QUIET: Chances = Chances {
    faults: 0,
    cancels: 0,
    evictions: 0,
    preloads: 0,
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
        weights: EVEN,
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
        weights: EVEN,
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
        weights: EVEN,
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
        weights: EVEN,
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
fn a_small_job_does_not_pass_a_large_one() {
    let explorer = Explorer {
        scripts: vec![
            job("small", Priority::Normal, 2, 1),
            job("large", Priority::Normal, 1, 0),
            job("late", Priority::Normal, 1, 1),
        ],
        batch: vec![2],
        weights: [(5, 2), (1, 1)],
    };
    // The large one needs 14 or, in calls of one, 13; a small one 10, and 2 for each more.
    for memory in [13, 17] {
        let found = explorer.run(memory, 2, vec![1], Chances { faults: 1, ..QUIET });
        assert!(found.ends.contains(&End::Proven) && found.ends.contains(&End::Failed));
    }
}

#[test]
fn no_more_is_ahead_of_provers_than_they_could_begin_with() {
    for (batch, synthesis) in [(1, 1), (2, 1), (1, 2)] {
        let explorer = Explorer {
            scripts: vec![job("a", Priority::Normal, 6, 0)],
            batch: vec![batch],
            weights: EVEN,
        };
        let found = explorer.run(60, synthesis, vec![1], QUIET);
        assert_eq!(found.ends, HashSet::from([End::Proven]));
    }
}

#[test]
fn loading_ahead_and_giving_up_at_any_point_is_in_nobodys_way() {
    let explorer = Explorer {
        scripts: vec![
            job("a", Priority::Normal, 1, 0),
            job("b", Priority::High, 1, 1),
        ],
        batch: vec![1],
        weights: EVEN,
    };
    let chances = Chances {
        preloads: 1,
        evictions: 1,
        ..QUIET
    };
    for memory in [9, 14] {
        let found = explorer.run(memory, 1, vec![1], chances);
        assert_eq!(found.ends, HashSet::from([End::Proven]));
    }
}

#[test]
fn closing_while_something_is_loaded_ahead_loads_nothing_for_nobody() {
    let explorer = Explorer {
        scripts: vec![job("a", Priority::Normal, 1, 0)],
        batch: vec![1],
        weights: EVEN,
    };
    let chances = Chances {
        preloads: 2,
        evictions: 1,
        closings: 1,
        ..QUIET
    };
    let found = explorer.run(14, 1, vec![1], chances);
    assert_eq!(found.ends, HashSet::from([End::Proven, End::ShutDown]));
}

#[test]
fn the_least_recently_used_go_first_and_only_where_that_helps() {
    let limits = Limits {
        memory: 13,
        synthesis: 1,
        provers: vec![1],
        jobs: 2,
        request_bytes: 8,
    };
    let mut machine = Machine::new(limits);
    let loads = |machine: &mut Machine| match machine.next_load() {
        Some(LoadTask::Load(key)) => machine.loaded(key, Some(u64::MAX)),
        Some(LoadTask::Drop(key)) => machine.dropped(key),
        None => {}
    };
    for key in [1, 2, 3] {
        assert_eq!(machine.preload(key, 4), Preload::Coming);
        loads(&mut machine);
    }
    assert_eq!(machine.preload(4, 14), Preload::NoRoom { used: 12 });
    assert!(!machine.is_making_room(), "dropping some would help nobody");
    assert_eq!(machine.preload(4, 4), Preload::Later);
    assert!(machine.is_going(1) && !machine.is_going(2) && !machine.is_going(3));
    loads(&mut machine);
    assert_eq!(machine.preload(4, 4), Preload::Coming);
    loads(&mut machine);
    // The one that a partition needs stays, and is the last to go afterwards.
    let way = Way {
        class: 0,
        srs: (2, 4),
        recording: None,
        partition: 2,
        synthesis: 1,
        proving: 1,
        batch: 1,
    };
    let submitted = machine.submit(&"a".into(), Priority::Normal, 0);
    let ticket = submitted.expect("is taken").ticket;
    machine.next_preparation();
    let plan = Plan {
        partitions: 1,
        ways: vec![way],
    };
    machine.prepared(ticket, Some(plan));
    assert!(
        machine.is_going(3),
        "the first of those that it does not need"
    );
    loads(&mut machine);
    let attempt = machine.next_synthesis().expect("fits now");
    assert!(machine.synthesised(&attempt, true));
    assert_eq!(machine.next_batch(0), [attempt]);
    assert_eq!(machine.evict(2), Evicted::InUse);
    machine.proved(&attempt, true);
    machine.freed(&attempt);
    assert_eq!(machine.preload(5, 8), Preload::Later);
    assert!(machine.is_going(4) && !machine.is_going(2));
}

#[test]
fn what_never_fits_is_refused_and_the_rest_goes_on() {
    let explorer = Explorer {
        scripts: vec![
            job("a", Priority::Critical, 1, 0),
            job("b", Priority::Low, 1, 0),
        ],
        batch: vec![4],
        weights: EVEN,
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
