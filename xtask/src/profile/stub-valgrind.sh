#!/bin/sh
# Speaks the words of valgrind's callgrind, for tests: runs the workload, and counts ten instructions a run and five for
# everything else.
case $1 in
--version)
    echo valgrind-3.19.0
    exit 0
    ;;
esac
while :; do
    case $1 in
    --callgrind-out-file=*) out=${1#*=} ;;
    --*) ;;
    *) break ;;
    esac
    shift
done
binary=$1
repeat=1
for word in "$@"; do
    if [ "$before" = --repeat ]; then repeat=$word; fi
    before=$word
done
printf 'positions: instr\nevents: Ir\n\nob=%s\nfn=enforce\n0x30 %s\nfn=setup\n0x50 5\n\ntotals: %s\n' \
    "$binary" "$((10 * repeat))" "$((10 * repeat + 5))" >"$out"
exec "$@"
