#!/bin/sh
# Speaks the command line of a workload binary, for tests of the runner. What it does wrong is asked for by options:
#   speed=PERMILLE  wrong=VECTOR  matrix=TEXT  broken=METRIC  fail=odd (exit code 2 on an odd seed)  unsure=yes  thin=yes
verb=$1
name=$2
if [ "$verb" = list ]; then
    options='[{"key":"speed"},{"key":"wrong"},{"key":"matrix"},{"key":"broken"},{"key":"fail"},{"key":"unsure"}]'
    printf '[{"name":"synth/sha256","size":{"default":8},"repeats":true,"has_matrices":true,"headline":%s,"options":%s},' \
        '[{"name":"wall_s.warm","unit":"s"},{"name":"peak_bytes","unit":"bytes"}]' "$options"
    printf '{"name":"prove/sha256","size":{"default":1},"needs_parameters":true,"options":[{"key":"thin"}]}]\n'
    exit 0
fi
shift 2
speed=1000 seed=0 size=8 cache=.
while [ $# -gt 0 ]; do
    case $1 in
    --seed) seed=$2 ;;
    --size) size=$2 ;;
    --vector) vector=$2 ;;
    --out) out=$2 ;;
    --cache) cache=$2 ;;
    --option)
        case $2 in
        speed=*) speed=${2#*=} ;;
        wrong=*) wrong=${2#*=} ;;
        matrix=*) matrix=${2#*=} ;;
        broken=*) broken=${2#*=} ;;
        fail=*) fail=${2#*=} ;;
        unsure=*) unsure=${2#*=} ;;
        thin=*) thin=${2#*=} ;;
        esac
        ;;
    esac
    shift 2
done

# A vector's digest depends on its name and the seed; the wrong one's on something else too.
digest() {
    if [ "$1" = "$wrong" ]; then echo "bad-$1-$seed"; else echo "good-$1-$seed"; fi
}

# The time in microseconds: a second, and a little that depends on the seed as noise does.
time_us=$(((1000000 + seed % 9973) * speed / 1000))

case $verb in
prepare)
    mkdir -p "$cache" && : >"$cache/prepared"
    ;;
matrices)
    printf '{"digests":{"matrix_a":"1","matrix_b":"2%s","matrix_c":"3"},"constraints":26}\n' "$matrix"
    ;;
dump)
    # Four zeros of 32 bytes; in the wrong vector, element 2 is 258.
    head -c 64 /dev/zero >"$out"
    if [ "$vector" = "$wrong" ]; then printf '\002\001' >>"$out"; else printf '\000\000' >>"$out"; fi
    head -c 62 /dev/zero >>"$out"
    ;;
run)
    if [ "$fail" = odd ] && [ $((seed % 2)) = 1 ]; then
        echo "no memory left" >&2
        exit 2
    fi
    ok=true
    if [ "$unsure" = yes ]; then ok=false; fi
    if [ -n "$broken" ]; then broken="\"$broken\":null,"; fi
    printf '{"schema":1,"workload":"%s","seed":%s,"size":%s,"threads":1,"ok":%s,"check":"a stub",' \
        "$name" "$seed" "$size" "$ok"
    if [ "$name" = prove/sha256 ]; then
        if [ ! -f "$cache/prepared" ]; then
            echo "no parameters" >&2
            exit 2
        fi
        if [ -z "$thin" ]; then
            printf '"metrics":{"wall_s.total":%se-6,"wall_s.prove":0.5,"peak_bytes":1000},' "$time_us"
        else
            printf '"metrics":{"wall_s.total":%se-6},' "$time_us"
        fi
        printf '"answers":{"proof":"%s"},' "$(digest proof)"
    else
        printf '"metrics":{%s"wall_s.cold":2.5,"wall_s.warm":%se-6,"peak_bytes":1000,"constraints":26},' \
            "$broken" "$time_us"
        printf '"answers":{"a":"%s","aux_assignment":"%s"},' "$(digest a)" "$(digest aux_assignment)"
    fi
    printf '"process":{"user_s":0.001,"system_s":0.001}}\n'
    if [ $ok = false ]; then exit 1; fi
    ;;
esac
