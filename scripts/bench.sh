#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures cairn beside its peers on this machine, and prints a table of Markdown:
#
#	scripts/bench.sh quick|full|programs|lookups|growth [--write] [--fresh] [ROW...]
#	scripts/bench.sh compare REVISION [ROW...]
#	scripts/bench.sh doubling [INPUT...]
#
# quick takes some minutes and downloads nothing. full has Debian's large packages and sources of npm besides,
# which it downloads into build/tests/bench/inputs; a row that was measured stays, so that a run that was
# stopped goes on where it was (--fresh: begin anew); so does programs, which has four of Debian that nothing was tuned to,
# and lookups, which has GDB's stacks and symbols, and lookups in memory, of six other ones.
# growth measures everything at 1, 10 and 100 times the size. --write puts the tables into docs/performance/ and
# redraws growth.svg or peers.svg there.
# compare counts the instructions of what the command does, beside an older revision, and fails where one takes 3 % more.
# doubling counts those of `where` for 1, 2, 4, ... 65,536 addresses, and fails where twice as many take more than twice as much.
# ROW, as tests/bench/rows.sh, growth.sh and compare.sh name them: these are measured anew, and the others of the table are as
# they were. Who is not installed is missing from the table.
#
# Everybody runs in turns; processor time is the best of some turns, memory the highest peak. The limit of a
# row is the bytes that must be touched, over what the memory of this machine delivers to one thread.
set -eu
LC_ALL=C
export LC_ALL
unset DEBUGINFOD_URLS
root=$(cd "$(dirname "$0")/.." && pwd)
: "${BUILD:=$root/build}"
build=$(cd "$BUILD" && pwd)
cairn=$build/core/cli/cairn
inputs=$build/tests/bench/inputs
usage() {
	sed -n '5,7s/^#	/usage: /p' "$0" >&2
	exit 2
}
kind=${1:-}
shift || usage
write= fresh=
while :; do
	case ${1:-} in
	--write) write=yes ;;
	--fresh) fresh=yes ;;
	-*) usage ;;
	*) break ;;
	esac
	shift
done
results=$build/tests/bench/rows/$kind
case $kind in
quick) rounds=3 limit=10 many=2000 ;;
full) rounds=5 limit=60 many=19000 ;;
programs) rounds=3 limit=20 many=19000 ;;
lookups) rounds=5 limit=120 many=19000 ;;
growth) rounds=3 limit=60 many=19000 ;;
compare) [ $# -gt 0 ] || usage ;;
doubling) ;;
*) usage ;;
esac
# shellcheck source=../tests/bench/inputs.sh
. "$root/tests/bench/inputs.sh"
# shellcheck source=../tests/bench/rows.sh
. "$root/tests/bench/rows.sh"
# shellcheck source=../tests/bench/programs.sh
. "$root/tests/bench/programs.sh"
# shellcheck source=../tests/bench/lookups.sh
. "$root/tests/bench/lookups.sh"
# shellcheck source=../tests/bench/growth.sh
. "$root/tests/bench/growth.sh"
# shellcheck source=../tests/bench/compare.sh
. "$root/tests/bench/compare.sh"
# shellcheck source=../tests/bench/doubling.sh
. "$root/tests/bench/doubling.sh"

[ -x "$cairn" ] || { echo "no $cairn: build first (meson compile -C $build)" >&2; exit 1; }
mkdir -p "$inputs" "$results"
work=$(mktemp -d "${TMPDIR:-/tmp}/bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
timed=$work/timed
cc -O2 -std=c11 -D_POSIX_C_SOURCE=200809L "$root/tests/bench/timed.c" -o "$timed"
cc -O3 -std=c11 -D_POSIX_C_SOURCE=200809L "$root/tests/bench/bandwidth.c" -o "$work/bandwidth"

version_of() {
	command -v "$1" >/dev/null || return 0
	"$@" 2>&1 | grep -m 1 -E '[0-9]+\.[0-9]+' | sed 's/^ *//'
}

print_machine() {
	echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) processors," \
		"$(awk '/MemTotal/ { printf "%.0f GB", $2 / 1e6 }' /proc/meminfo), load $(cut -d' ' -f1 /proc/loadavg)" \
		"at the start; one thread reads $(awk -v rate="$bandwidth" 'BEGIN { printf "%.1f", rate / 1e9 }') GB/s."
	echo
	for tool in 'cc --version' 'llvm-symbolizer-19 --version' 'eu-addr2line --version' 'addr2line --version' \
		'gdb --version' 'lldb-19 --version'; do
		# shellcheck disable=SC2086 # a command and its option
		version_of $tool
	done | sed 's/$/;/' | tr '\n' ' ' | sed 's/; $/./'
	printf '\n\n'
}

file_of_row() {
	echo "$1" | tr ':' '-'
}

# measure ROW: into its file, whole or not at all
measure() {
	row_file=$(file_of_row "$1")
	[ ! -s "$results/$row_file" ] || return 0
	lacking='it fails'
	printf '%-24s ' "$1" >&2
	case $1 in
	*:*) set -- "$1" "${1#*:}" "row_${1%%:*}" ;;
	*) set -- "$1" '' "row_$1" ;;
	esac
	began=$(date +%s)
	if "$3" "$2" >"$results/$row_file.new"; then
		mv "$results/$row_file.new" "$results/$row_file"
		echo "$(($(date +%s) - began)) s" >&2
	else
		rm -f "$results/$row_file.new"
		echo "left out: $lacking" >&2
		missing="$missing$1: $lacking. "
	fi
}

# put NAME FILE: in docs/performance/NAME.md, below its line
put() {
	page=$root/docs/performance/$1.md
	awk '{ print } $0 == "---" { exit }' "$page" >"$work/page"
	{ echo; cat "$2"; } >>"$work/page"
	cp "$work/page" "$page"
}

missing= absent=
case $kind in
compare)
	compare_all "$@"
	exit
	;;
doubling)
	doubling_all "$@"
	exit
	;;
esac
bandwidth=$("$work/bandwidth")
print_machine >"$work/tables"
eval "rows=\$${kind}_rows"
if [ $# -gt 0 ]; then
	for row in "$@"; do
		rm -f "$results/$(file_of_row "$row")"
	done
else
	case $kind in full | programs | lookups) [ -z "$fresh" ] ;; *) false ;; esac || rm -f "$results"/*
	# shellcheck disable=SC2086,SC2154 # a list of names
	set -- $rows
fi
for row in "$@"; do
	measure "$row"
done
for row in $rows; do
	row_file=$(file_of_row "$row")
	[ ! -f "$results/$row_file" ] || cat "$results/$row_file"
done >"$work/results"
"print_$kind" >>"$work/tables"
[ -z "$missing" ] || printf '\nLeft out: %s\n' "$missing" >>"$work/tables"
absent=$(printf '%s\n' "$absent" | tr ' ' '\n' | sort -u | tr '\n' ' ' | sed 's/^ *//; s/ *$//')
[ -z "$absent" ] || printf '\nNot installed: %s.\n' "$absent" >>"$work/tables"
cat "$work/tables"
if [ "$write" ]; then
	put "$kind" "$work/tables"
	(cd "$root/docs/performance" &&
		awk -f "$root/tests/bench/peers.awk" quick.md full.md programs.md lookups.md >"$work/peers.svg" &&
		cp "$work/peers.svg" .)
fi
