#!/bin/sh
# Stands for perf and for valgrind in tests. What it pretends is written into a file beside it, called `mode`:
#   perf: all, nocache, none, refused     valgrind: good, silent
here=$(dirname "$0")
mode=$(cat "$here/mode")
twice=1
case " $* " in *" --repeat 2 "*) twice=2 ;; esac

if [ "$1" = --version ]; then exit 0; fi

if [ "$1" = stat ]; then
    shift
    while [ "$1" != -- ]; do
        case $1 in
        -e) events=$2 && shift ;;
        -o) out=$2 && shift ;;
        esac
        shift
    done
    shift
    if [ "$mode" = refused ]; then
        echo "WARNING: perf not found for kernel 6.1" >&2
        exit 255
    fi
    for event in $(echo "$events" | tr , ' '); do
        case $mode-$event in
        none-*) echo "<not supported>,,$event,0,100.00,,," ;;
        nocache-cache*) echo "<not supported>,,$event,0,100.00,,," ;;
        *-instructions:u) echo "$((26000 * twice + 5)),,$event,1000,100.00,,," ;;
        *-cycles:u) echo "$((13000 * twice + 5)),,$event,1000,100.00,,," ;;
        *) echo "$((2600 * twice + 5)),,$event,1000,100.00,,," ;;
        esac
    done >"$out"
    exec "$@"
fi

for word in "$@"; do
    case $word in
    --callgrind-out-file=*) out=${word#*=} ;;
    esac
done
while [ "${1#--}" != "$1" ]; do shift; done
if [ "$mode" = good ]; then
    printf 'events: Ir Bc Bcm Bi Bim\ntotals: %s %s 1 %s 1\n' $((52000 * twice)) $((5200 * twice)) $((260 * twice)) >"$out"
fi
exec "$@"
