#!/bin/sh
# Print the first Python of the given versions that is found, or with --all every one of them.
# Looked for are pythonX.Y on the PATH, python3 if it is of that version, and pyenv's.
all=
[ "$1" = --all ] && { all=1; shift; }
for version in "$@"; do
  for candidate in "python$version" python3 "$HOME"/.pyenv/versions/"$version".*/bin/python; do
    found=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
    if [ "$found" = "$version" ]; then
      "$candidate" -c 'import sys; print(sys.executable)'
      [ -n "$all" ] && break
      exit 0
    fi
  done
done
exit 0
