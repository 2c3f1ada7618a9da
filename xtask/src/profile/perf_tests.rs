use super::*;

const BINARY: &str = "/w/target/profile/arms/0/workload";

fn frame_of(name: &str, address: Option<u64>) -> RawFrame {
    RawFrame {
        name: name.to_owned(),
        address,
    }
}

#[test]
fn what_perf_prints() {
    let text = format!(
        "workload 1/1 5.4: PERF_RECORD_MMAP2 1/1: [0x55b4b73e1000(0x4ef000) @ 0x175000 fe:00 5 2]: r-xp {BINARY}\n\
         workload 1/1 5.4: PERF_RECORD_MMAP2 1/1: [0x7f317c346000(0x35000) @ 0 fe:00 3 0]: r--p /usr/lib/ld.so\n    \
         500000 cpu-clock: \n\
         \tffffffff816188e9 clear_page_erms ([kernel.kallsyms])\n\
         \t          2ccaad <a::B<T> as c::D<T>>::enforce ({BINARY})\n\
         \t           27249 __libc_start_call_main (/usr/lib/libc.so.6)\n\n    \
         500000 cpu-clock: \n\
         \t    55b4b73e1010 a::f ({BINARY})\n\
         \tffffffffffffffff [unknown] ([unknown])\n\n\
         workload 1/1 5.4: PERF_RECORD_LOST lost 12\n"
    );
    let mut script = parse(&text, Path::new(BINARY)).expect("readable");
    script.stacks.sort_by_key(|stack| stack.frames.len());
    assert_eq!((script.lost, script.user_only), (12, false));
    assert_eq!(
        script.stacks[0].frames,
        [
            frame_of("a::f", Some(0x175010)),
            frame_of("[unknown]", None)
        ]
    );
    assert_eq!(
        script.stacks[1].frames,
        [
            frame_of("clear_page_erms_[k]", None),
            frame_of("<a::B<T> as c::D<T>>::enforce", Some(0x2ccaad)),
            frame_of("__libc_start_call_main", None)
        ]
    );
}

#[test]
fn the_same_stack_is_counted() {
    let sample = "500000 cpu-clock:u: \n\t 10 f (/lib/x.so)\n\n".repeat(3);
    let script = parse(&sample, Path::new(BINARY)).expect("readable");
    assert_eq!(script.stacks.len(), 1);
    assert_eq!(script.stacks[0].weight, 3);
    assert!(script.user_only);
}

#[test]
fn a_line_of_another_form_is_quoted() {
    let error = parse("1 cpu-clock:\n\tno address\n", Path::new(BINARY)).expect_err("bad");
    assert!(error.to_string().contains("no address"), "{error}");
}

#[test]
fn advice_names_the_setting_only_where_it_matters() {
    assert!(advice(Some(3)).contains("kernel.perf_event_paranoid=1"));
    assert!(advice(Some(1)).contains("no obstacle"));
    assert!(advice(None).contains("callgrind"));
}
