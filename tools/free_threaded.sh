#!/usr/bin/env bash
# Put a free-threaded CPython together: `tools/pythons.sh FOLDER 3.14t` calls this.
#     tools/free_threaded.sh FOLDER/3.14t 3.14 FOLDER/3.14/usr PATCHELF
# Debian has none.  The wheel freeze-core has a whole interpreter, whose own `main` runs programs that
# were frozen; a small library gets in front of that, and starts Python.  The modules written in Python
# and the headers are those of the same version with the GIL.  It serves tests; it is no distribution.
set -eu
root=$(realpath -m "$1")
version=$2
usual=$(realpath "$3")
patchelf=$4
triple=$(gcc -print-multiarch)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pip -q download --no-deps --only-binary=:all: --python-version "$version" --abi "cp${version/./}t" \
  --platform "manylinux2014_$(uname -m)" -d "$work" freeze-core
python3 -m zipfile -e "$work"/freeze_core-*.whl "$work/wheel"
cat > "$work/start.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>

typedef int program(int, char **, char **);
typedef int start(program *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
extern int Py_BytesMain(int, char **);

static int run_python(int count, char **arguments, char **environment)
{
    return Py_BytesMain(count, arguments);
}

int __libc_start_main(program *main, int count, char **arguments, void (*init)(void),
                      void (*end)(void), void (*end_of_loader)(void), void *stack)
{
    start *next = (start *)dlsym(RTLD_NEXT, "__libc_start_main");
    return next(run_python, count, arguments, init, end, end_of_loader, stack);
}
END
modules="$root/usr/lib/python${version}t"
headers="$root/usr/include/python${version}t"
mkdir -p "$root/usr/bin" "$modules" "$root/usr/include"
gcc -shared -fPIC -O1 -o "$root/usr/lib/libstart.so" "$work/start.c" -ldl
python="$root/usr/bin/python${version}t"
cp "$work/wheel/freeze_core/bases/console-cpython-${version/./}t-"* "$python"
chmod +x "$python"
"$patchelf" --add-needed libstart.so --set-rpath '$ORIGIN/../lib' "$python"
cp -r "$usual/lib/python$version/." "$modules"
rm -rf "$modules"/lib-dynload/* "$modules"/_sysconfig*
cp "$work"/wheel/freeze_core/lib/*.so "$modules/lib-dynload"
cp -r "$work/wheel/freeze_core.libs" "$root/usr/lib" # $ORIGIN/../../freeze_core.libs of the modules
# What extensions are built with: the same, but that there is no GIL.
rm -rf "$headers"
cp -rL "$usual/include/python$version" "$headers"
sed 's|/\* #undef Py_GIL_DISABLED \*/|#define Py_GIL_DISABLED 1|' \
  "$usual/include/$triple/python$version/pyconfig.h" > "$headers/pyconfig.h"
suffix="cpython-${version/./}t-$triple"
sed -e "s|'ABIFLAGS': ''|'ABIFLAGS': 't'|" -e "s|'Py_GIL_DISABLED': 0|'Py_GIL_DISABLED': 1|" \
  -e "s|cpython-${version/./}-$triple|$suffix|" \
  -e "s|/usr/include/python$version'|$headers'|" \
  "$usual/lib/python$version/_sysconfigdata__linux_$triple.py" \
  > "$modules/_sysconfigdata_t_linux_$triple.py"
"$python" -c 'import sys, ssl, sqlite3, ctypes; print(sys.version)'
