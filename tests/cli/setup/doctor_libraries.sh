#!/bin/sh
# SPDX-License-Identifier: MIT
# What `cairn doctor` says of optional libraries, in this build and in one that lacks two:
# doctor_libraries.sh CAIRN LACKING
set -u
cairn=$1 lacking=$2
. "$(dirname "$0")/../../lib/test.sh"

cat >"$work/expected" <<'END'
note
built without liblzma (not found): .gnu_debugdata and files compressed with xz are not read; libcurl (disabled): 'cairn symbfile' cannot serve, fetch or push
'apt-get install liblzma-dev libcurl4-openssl-dev libmicrohttpd-dev libzstd-dev' on Debian, then rebuild cairn without options that disable parts
END
"$lacking" | diff "$work/expected" - || exit 1

# The doctor of this build and the program agree on zstd: what it names as built unpacks.
mkdir "$work/bin"
HOME=$work PATH=$work/bin "$cairn" doctor --json >"$work/said"
line=$(grep '"check":"libraries"' "$work/said") || {
	cat "$work/said"
	exit 1
}
printf '(\265/\375' >"$work/core.zst"
"$cairn" bt "$work/core.zst" >"$work/bt" 2>&1
case $line in
*'libzstd ('*) grep -q 'built without libzstd' "$work/bt" ;;
*) ! grep 'built without libzstd' "$work/bt" ;;
esac || {
	echo "doctor libraries: $line"
	exit 1
}
