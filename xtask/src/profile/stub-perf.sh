#!/bin/sh
# Speaks the words of perf, for tests. Its name says what it does wrong: perf-denied, perf-empty, perf-unreadable,
# perf-hardware counts cycles, perf-user sees user mode only, perf-lossy drops samples. It samples nothing: what it
# prints is written down here.
kind=${0##*/}
case $1 in
stat)
    case $kind in
    *hardware*) echo "123456,,cycles:u,100,100.00,," >&2 ;;
    *denied*)
        echo "Error: No permission to enable cycles:u event." >&2
        exit 255
        ;;
    *) echo "<not supported>,,cycles:u,0,100.00,," >&2 ;;
    esac
    ;;
record)
    if [ "$kind" = perf-denied ]; then
        echo "Error: No permission to enable cpu-clock event." >&2
        exit 255
    fi
    while [ "$1" != -- ]; do
        if [ "$1" = -o ]; then out=$2; fi
        if [ "$1" = -e ]; then event=$2; fi
        shift
    done
    shift
    printf '%s %s\n' "$1" "$event" >"$out"
    exec "$@"
    ;;
script)
    while [ "$1" != -i ]; do shift; done
    read -r binary event <"$2"
    case $kind in
    *empty*)
        echo "The file has no samples!" >&2
        exit 0
        ;;
    *unreadable*)
        printf '500000 %s:\n\tthis is no frame\n\n' "$event"
        exit 0
        ;;
    *user*) event=$event:u ;;
    *lossy*) echo "workload 1/1 5.4: PERF_RECORD_LOST lost 12" ;;
    esac
    timed='cuzk_core::synthesis::synthesize'
    for _ in 1 2 3; do
        printf '500000 %s: \n\t 30 enforce (%s)\n\t 99 %s (%s)\n\t 98 main (%s)\n\n' \
            "$event" "$binary" "$timed" "$binary" "$binary"
    done
    printf '500000 %s: \n\t 1 malloc (/lib/libc.so.6)\n\t 99 %s (%s)\n\n' "$event" "$timed" "$binary"
    printf '500000 %s: \n\t 97 workload::synth::check (%s)\n\t 98 main (%s)\n\n' "$event" "$binary" "$binary"
    ;;
esac
