#!/bin/sh
# Stands for nvcc where only Rust code is to be checked, on a machine without a CUDA toolkit. It says a version, leaves
# preprocessing to the C compiler, and makes empty objects: a program that is linked with them has no kernels.
set -eu
out= preprocess= last=
for word in "$@"; do
    case $word in
    --version)
        echo "nvcc stand-in, for type checks only"
        echo "Cuda compilation tools, release 12.0, V12.0.0"
        exit 0
        ;;
    -E) preprocess=yes ;;
    esac
    if [ "$last" = -o ]; then out=$word; fi
    last=$word
done
if [ -n "$preprocess" ]; then
    exec "${CC:-cc}" -E "$last"
fi
case $out in
'') ;; # Asked whether a flag is known: yes.
*.o) "${CC:-cc}" -x c -c /dev/null -o "$out" ;;
*) echo 'int main(void) { return 1; }' | "${CC:-cc}" -x c - -o "$out" ;;
esac
