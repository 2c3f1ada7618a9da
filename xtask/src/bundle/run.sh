#!/bin/sh
# Runs the comparison of this folder on this host: ./run [--limit 10m] [--json FILE]
# Here only what would end in "No such file" otherwise; every other check is the runner's.
set -u
arch='@ARCH@'
glibc='@GLIBC@'
loader='@LOADER@'
runner='@RUNNER@'

fail() {
    echo "error: $*" >&2
    exit 2
}

self=$(readlink -f -- "$0" 2>/dev/null) || self=$0
here=$(CDPATH='' cd -- "$(dirname -- "$self")" && pwd) || fail "the folder of $0 is not found"
[ "$(uname -s)" = Linux ] || fail "this bundle is for Linux, and this host runs $(uname -s)"
[ "$(uname -m)" = "$arch" ] || fail "this bundle is for $arch, and this host is $(uname -m): make one on a host like it"
if [ -n "$loader" ] && [ ! -e "$loader" ]; then
    fail "this bundle needs glibc $glibc or newer, and this host has no $loader: it uses another C library"
fi
if [ -n "$glibc" ]; then
    have=$(getconf GNU_LIBC_VERSION 2>/dev/null || ldd --version 2>/dev/null | head -n 1)
    have=${have##* }
    case $have in
    [0-9]*.[0-9]*)
        minor=${have#*.}
        minor=${minor%%[!0-9]*}
        if [ "${have%%.*}" -lt "${glibc%%.*}" ] ||
            { [ "${have%%.*}" -eq "${glibc%%.*}" ] && [ "$minor" -lt "${glibc#*.}" ]; }; then
            fail "this bundle needs glibc $glibc or newer, and this host has $have: make one on a host as old as this"
        fi
        ;;
    esac
fi
[ -f "$here/bin/runner" ] || fail "$here/bin/runner: missing; the bundle was not copied whole, copy it again"
if command -v sha256sum >/dev/null 2>&1; then
    found=$(sha256sum <"$here/bin/runner")
    [ "${found%% *}" = "$runner" ] ||
        fail "$here/bin/runner: damaged, its SHA-256 is ${found%% *} and not $runner; copy the bundle again"
fi
[ -x "$here/bin/runner" ] || chmod +x "$here"/bin/* 2>/dev/null ||
    fail "$here/bin/runner: may not be executed; copy the bundle with its permissions"
exec "$here/bin/runner" run-bundle "$here" "$@"
