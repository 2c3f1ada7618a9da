#!/bin/sh
# Stands for nvcc in tests: answers from the files `version`, `codes`, `newest-gcc`, `links` and `broken` of its toolkit.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
host=
for word in "$@"; do
    case $word in
    --version)
        version=$(cat "$root/version")
        echo "Cuda compilation tools, release ${version%.*}, V$version"
        exit 0
        ;;
    --list-gpu-code)
        cat "$root/codes"
        exit 0
        ;;
    -arch=sm_*)
        if ! grep -qx "${word#-arch=}" "$root/codes"; then
            echo "nvcc fatal   : Unsupported gpu architecture '${word#-arch=}'" >&2
            exit 1
        fi
        ;;
    -ccbin=*) host=${word#-ccbin=} ;;
    esac
done
case " $* " in
*" --dryrun "*)
    echo "#\$ TOP=$root/bin/.." >&2
    echo "#\$ LIBRARIES=  \"-L/nowhere\" \"-L$(cat "$root/links" 2>/dev/null)\"" >&2
    ;;
*" -E "*)
    found=$("$host" --version | sed 's/.*) \([0-9]*\)\..*/\1/')
    if [ "$found" -gt "$(cat "$root/newest-gcc")" ]; then
        echo "host_config.h:137: error: #error -- unsupported GNU version! gcc versions later than $(cat "$root/newest-gcc") are not supported!" >&2
        exit 1
    fi
    ;;
*)
    if [ -e "$root/broken" ]; then
        cat "$root/broken" >&2
        exit 1
    fi
    ;;
esac
