#!/bin/sh
# Print the first Python of the given versions that is found, or with --all every one of them: 3.14
# for one with the GIL, 3.14t for the free-threaded one.
# Looked for are pythonX.Y on the PATH, python3 if it is of that version, pyenv's, and those of
# `make pythons`.
all=
[ "$1" = --all ] && { all=1; shift; }
for version in "$@"; do
  for candidate in "python$version" python3 "$HOME"/.pyenv/versions/"$version".*/bin/python \
      "$(dirname "$0")/../.pythons/$version/usr/bin/python$version"; do
    found=$("$candidate" -c \
      'import sys; print("%d.%d" % sys.version_info[:2] + "t" * ("t" in sys.abiflags))' 2>/dev/null)
    if [ "$found" = "$version" ]; then
      "$candidate" -c 'import sys; print(sys.executable)'
      [ -n "$all" ] && break
      exit 0
    fi
  done
done
exit 0
