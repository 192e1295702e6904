#!/bin/sh
# Install one service into an environment of its own: deploy/install.sh NAME FOLDER
# NAME is a file of deploy/requirements: ingest, search, compactor, embedder, web, or cli for the command `everword`.
# For machines without containers. What the file names is installed, and nothing else.
set -eu

if [ $# -ne 2 ] || [ ! -f "$(dirname "$0")/requirements/$1.txt" ] || [ "$1" = build ]; then
  sed -n '2,3s/^# //p' "$0" >&2
  exit 2
fi
name=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
requirements=$root/deploy/requirements
python=${PYTHON:-python3}
# Locks are for one version of Python: another would take other wheels.
"$python" -c 'import sys; sys.exit(None if sys.version_info[:2] == (3, 11) else "deploy/install.sh needs Python 3.11: PYTHON=/path/to/python3.11")'

# The time in archives and compiled files: that of the commit, where the caller does not say.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 1577836800)}
# What is compiled from C names no folder of this run, and has to be compiled: without, search is half as fast.
export SOURCE_DATE_EPOCH CFLAGS=-g0 CIBUILDWHEEL=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PYTHONHASHSEED=0
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

# Write the lines of the locks, versions and hashes, of each distribution that a file names.
lock() {
  awk 'FNR == NR { if (!/^#/) names[$1]; next }
    /^[^ #]/ { name = $1; sub(/[=[].*/, "", name); wanted = name in names; if (wanted) found[name] }
    wanted
    END { for (name in names) if (!(name in found)) { print name " is not locked" > "/dev/stderr"; exit 1 } }' \
    "$requirements/$1.txt" "$root/requirements.lock" "$root/requirements-models.lock" >"$build/$1.lock"
}

"$python" -m venv --clear "$folder"
# All that is needed is named; nothing is resolved here.
lock "$name"
"$folder/bin/pip" install --quiet --no-compile --no-deps --require-hashes -r "$build/$name.lock"

"$python" -m venv "$build/env"
lock build
"$build/env/bin/pip" install --quiet --no-deps --require-hashes -r "$build/build.lock"
# Built from a copy: setuptools leaves files beside what it builds.
for package in $(sed -n 's/^# packages: //p' "$requirements/$name.txt"); do
  mkdir -p "$build/$package"
  cp -R "$root/$package/." "$build/$package"
  PATH="$build/env/bin:$PATH" "$build/env/bin/pip" wheel --quiet --no-deps --no-build-isolation \
    --wheel-dir "$build/wheels" "$build/$package"
done
for wheel in "$build"/wheels/*.whl; do
  file=$(basename "$wheel")
  "$folder/bin/pip" install --quiet --no-compile --no-deps --no-index --find-links "$build/wheels" "${file%%-*}"
done

# Nothing is installed later.
"$folder/bin/pip" uninstall --quiet --yes pip setuptools
# Compiled once, for a file system that is read-only.
"$folder/bin/python" -m compileall -q -j 0 --invalidation-mode unchecked-hash "$folder/lib" || echo "some files of packages are not for this Python, and stay uncompiled" >&2
# The same commit gives the same files.
find "$folder" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
