#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Which source files open something by its name?  file.c, stream.c, write.c and atomic_file.c of core/os do, where what lies
# there is looked at first, and in the plugins plugin/common/base; every other one is named by the block "opens" of docs/SECURITY.md, with its reason.  Prints each one
# that is not named, each one named that opens nothing or is not there, and each one named without a reason.
#
#	opens.sh BUILD [ROOT]
LC_ALL=C
export LC_ALL
build=$1
cd "${2:-.}" || exit 1
root=$(pwd)
if ! command -v nm >/dev/null; then
	echo "opens: nm is not there"
	exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# "object source" for each source of core/ and plugin/ that was compiled
awk -v root="$root/" '
/^ *"file": / { source = $0; sub(/^ *"file": "/, "", source); sub(/",?$/, "", source) }
/^ *"output": / {
	object = $0; sub(/^ *"output": "/, "", object); sub(/",?$/, "", object)
	if (index(source, root) == 1) source = substr(source, length(root) + 1)
	# from a build directory outside the tree, the path passes through directories above it
	if (source ~ /^\.\.\//) while (source !~ /^(core|plugin)\// && sub(/^[^\/]*\//, "", source)) ;
	if (source ~ /^(core|plugin)\//) print object, source
}' "$build/compile_commands.json" >"$work/list"
cd "$build" || exit 1
while read -r object source; do
	[ ! -f "$object" ] || echo "$object $source"
done <"$work/list" | sort -u -k 2,2 >"$work/built"
if [ ! -s "$work/built" ]; then
	echo "opens: nothing was built"
	exit 77
fi
cut -d ' ' -f 1 "$work/built" | xargs nm -A -u >"$work/symbols" 2>/dev/null
cd "$root" || exit 1
# calls that the C library has no function for
grep -rlE 'syscall\((SYS|__NR)_(open|openat|openat2|creat|open_tree)\b' core plugin --include='*.c' --include='*.cpp' >"$work/calls"

awk '
function fail(what) { print what; failed = 1 }

# the functions of the C library, with what headers make of them; of C++; and of libraries, which open by names in what they read
function opens(name) {
	sub(/@.*/, "", name)
	sub(/64(_2)?$/, "", name)
	if (name ~ /^_ZN?K?St.*(filebuf|[io]?fstream|filesystem)/) return 1
	if (name ~ /^(dwarf_begin(_elf)?|dwarf_getalt|dwarf_cu_info|dwfl_[a-z_]*report_[a-z]+|elf_begin|debuginfod_find_[a-z]+|gzopen|archive_read_open_filename)$/) return 1
	sub(/^__/, "", name)
	sub(/_2$/, "", name)
	return name ~ /^(open|openat|creat|fopen|freopen|opendir|scandir|scandirat|ftw|nftw|fts_open|glob|dlopen|dlmopen|mkstemps?|mkostemps?|tmpfile|shm_open|name_to_handle_at|open_by_handle_at|posix_spawn_file_actions_addopen)$/
}

FILENAME == "docs/SECURITY.md" {
	if (/^```/) block = /^```opens$/
	else if (block && NF) {
		named[$1] = 1
		if (NF < 3) fail("docs/SECURITY.md: no reason: " $1)
	}
	next
}
FILENAME ~ /built$/ { source_of[$1] = $2; compiled[$2] = 1; next }
FILENAME ~ /calls$/ { does[$1] = does[$1] " syscall"; next }
{
	object = $1
	sub(/:$/, "", object)
	if (opens($NF)) does[source_of[object]] = does[source_of[object]] " " $NF
}

END {
	exempt = "^(core/os/(atomic_file|file|stream|write)[.]c$|plugin/common/base/)"
	for (source in does)
		if (source !~ exempt && !(source in named))
			fail("opens by name, and docs/SECURITY.md does not say why: " source ":" does[source])
	for (source in named) {
		if ((getline line <source) < 0) fail("docs/SECURITY.md: there is no " source)
		else if (source in compiled && !(source in does)) fail("docs/SECURITY.md: opens nothing: " source)
		else if (source ~ exempt) fail("docs/SECURITY.md: need not be named: " source)
	}
	exit failed
}' docs/SECURITY.md "$work/built" "$work/calls" "$work/symbols"
