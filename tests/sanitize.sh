#!/usr/bin/env bash
# Build the C extensions with AddressSanitizer and UBSan, apart from the installed ones, and run
# the tests that exercise them.  Usage: tests/sanitize.sh [python]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
python=$(cd "$root" && command -v "${1:-python3}")
case $python in /*) ;; *) python=$root/$python ;; esac
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
# The pool of threads by itself under ThreadSanitizer, which Python would have to be built with.
gcc -fsanitize=thread -g -O1 -std=c11 -D_GNU_SOURCE -I"$root/src/cutaway/runtime" \
  -o "$build/pool_hammer" "$root/tests/unit/runtime/pool_hammer.c" \
  "$root"/src/cutaway/runtime/{threads,pieces,team,watching}.c -lm -pthread
for threads in 2 4 16; do TSAN_OPTIONS=halt_on_error=1 "$build/pool_hammer" $threads 200; done
# So are the tables that calls read without a lock where there is no GIL.
gcc -fsanitize=thread -g -O1 -std=c11 -D_GNU_SOURCE -o "$build/words_hammer" \
  "$root/tests/unit/dispatch/words_hammer.c" -pthread
for threads in 2 4 16; do TSAN_OPTIONS=halt_on_error=1 "$build/words_hammer" $threads 20000; done
cp -r "$root/src" "$root/setup.py" "$build"
"$python" -c 'import setuptools' 2>/dev/null || "$python" -m pip install -q setuptools
find "$build" -name '*.so' -delete
cd "$build"
flags="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g -O1"
CFLAGS="$flags" LDFLAGS="-fsanitize=address,undefined" \
  "$python" setup.py -q build_ext --inplace
# Python itself does not free everything, and JIT code has frames that ASan does not know.
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0:detect_stack_use_after_return=0:halt_on_error=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export CUTAWAY_HAMMER_SECONDS=${CUTAWAY_HAMMER_SECONDS:-5}
tests() {
  PYTHONPATH="$build/src" "$python" -m pytest -q -n 2 --dist worksteal -p no:cacheprovider -o addopts= "$@"
}
export LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so)"
tests \
  "$root/tests/unit/dispatch" "$root/tests/unit/runtime" "$root/tests/unit/test_leaks.py" \
  "$root/tests/unit/control/test_compiled.py" "$root/tests/unit/control/test_yielding.py" \
  "$root/tests/unit/control/test_fused.py" "$root/tests/unit/caching/test_loader.py"
CUTAWAY_TEST_MODES="machine:compiled+fused+yielding/2 memory:fused+yielding/4" \
tests "$root/tests/corpus"
# Launches, with the driver of the tests; memory that the sanitizer sees.
PYTHONMALLOC=malloc tests \
  "$root"/tests/unit/cuda/driver/test_{launching,arguments,arrays,life_times,reports,streams,hidden}.py \
  -k "not forked"
# Object mode, with memory that the sanitizer sees.
CUTAWAY_TEST_MODES="objects:control+objects+compiled+fused+yielding/4 lifted:control+objects/12 machine:objmode" \
PYTHONMALLOC=malloc tests \
  "$root/tests/corpus" "$root/tests/unit/objects/test_lifting.py" \
  "$root/tests/unit/objects/test_remembered.py" "$root/tests/unit/objmode" \
  -k "not left_behind and not witness and not levels and not passes and not replay and not deep"
# What the C code of indexing, texts, stacks of matrices, random numbers and ufuncs does; a process
# of its own is not told to load the sanitizer.
CUTAWAY_TEST_MODES="machine:taking+putting+texts+pointers+walks machine:linalg/4" \
tests \
  "$root/tests/corpus" "$root/tests/unit/ufuncs" "$root/tests/unit/random_numbers" \
  "$root/tests/unit/library/test_reshaping.py" "$root/tests/unit/library/test_pointers.py" \
  -k "not kept_on_disk"
