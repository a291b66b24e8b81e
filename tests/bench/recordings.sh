#!/bin/sh
# SPDX-License-Identifier: MIT
# recordings.sh CAIRN TIMED.C UNIT.CPP [THOUSANDS...]: `cairn profile convert` beside `perf script` and `go tool pprof`, on
# recordings with copied stacks (perf record --call-graph dwarf,8192; 8.4 KB a sample) of a program with 150 MB of DWARF, which it
# builds: 96 copies of a unit, at four levels of optimization. By default of 10, 20, 40 and 80 thousand samples. Prints
# seconds of processor time and megabytes, the best of three; perf and pprof are waited for LIMIT seconds of the clock where
# they look for inlined calls, and are asked of the one with 40 thousand alone. It takes 2 GB of TMPDIR, and some minutes.
set -eu
LC_ALL=C
export LC_ALL
unset DEBUGINFOD_URLS
: "${LIMIT:=60}"
LEVELS='-O1 -O2 -O3 -Os' COPIES=24 RATE=4000
case $1 in */*) cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") ;; *) cairn=$1 ;; esac
timed_source=$2 unit=$3
shift 3
[ $# -gt 0 ] || set -- 10 20 40 80
for tool in perf g++ objcopy go; do
	command -v $tool >/dev/null || { echo "skipped: no $tool: scripts/setup.sh --profiles installs it"; exit 77; }
done
work=$(mktemp -d "${TMPDIR:-/tmp}/recordings.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cc -O2 -std=c11 -D_POSIX_C_SOURCE=200809L "$timed_source" -o "$work/timed"
cp "$unit" "$work/unit.cpp"
cd "$work"
HOME=$work # where perf keeps what it records
export HOME
perf record -N -q -e cpu-clock -o probe.data true 2>errors || { echo "skipped: perf cannot record here: $(head -n 1 errors)"; exit 77; }

# write_main COUNT: runs the copies in turns for some milliseconds of processor time
write_main() {
	printf '#include <cstdlib>\n#include <ctime>\n'
	seq -f 'extern "C" unsigned work_%g(unsigned);' 0 $(($1 - 1))
	echo 'static unsigned (*const units[])(unsigned) = {'
	seq -f 'work_%g,' 0 $(($1 - 1))
	cat <<'END'
};
int main(int, char **argv)
{
	const std::clock_t end = std::clock_t(atoi(argv[1])) * (CLOCKS_PER_SEC / 1000);
	unsigned seed = 1;
	while (std::clock() < end)
		seed = seed * 1664525u + 1013904223u + units[(seed >> 8) % (sizeof(units) / sizeof(units[0]))](seed >> 8) % 2;
	return seed == 0;
}
END
}

number=0
for level in $LEVELS; do
	g++ -std=c++17 -g "$level" -c -o "unit$level.o" unit.cpp
	for _ in $(seq $COPIES); do
		objcopy --redefine-sym _Z4workj=work_$number "unit$level.o" "copy$number.o"
		number=$((number + 1))
	done
done
write_main $number >main.cpp
g++ -O2 -g -o program main.cpp copy*.o -Wl,--build-id=sha1
rm -f copy*.o unit-*.o

# measure SECONDS COMMAND...: seconds of processor time, of the clock, megabytes; more seconds than the limit have a '>'
measure() {
	seconds=$1
	shift
	./timed "$seconds" /dev/null "$@" | awk '{ printf "%s%.2f %.2f %.0f\n", $NF == 124 ? ">" : "", $1 / 1e6, $(NF - 1) / 1e6, $2 / 1024 }'
}

best() {
	for _ in 1 2 3; do measure 600 "$@"; done | sort -n | head -n 1
}

row() {
	printf '| %s | %s | %s | %s | %s |\n' "$@"
}

row 'samples' 'command' 'processor, s' 'clock, s' 'memory, MB'
row '---' '---' '---' '---' '---'
for thousands; do
	perf record -N -q -e cpu-clock -F $RATE -m 2048 --call-graph dwarf,8192 -o recording ./program $((thousands * 1000000 / RATE)) 2>errors
	# shellcheck disable=SC2046 # three fields
	row "$thousands,000" 'perf script --no-inline' $(best perf script --no-inline -i recording)
	# shellcheck disable=SC2046
	row "$thousands,000" 'cairn profile convert --no-inline' $(best "$cairn" profile convert --no-inline -o out.pb.gz recording)
	# shellcheck disable=SC2046
	row "$thousands,000" 'cairn profile convert' $(best "$cairn" profile convert -o out.pb.gz recording)
	[ "$thousands" = 40 ] || continue
	# shellcheck disable=SC2046
	row "$thousands,000" 'perf script' $(measure "$LIMIT" perf script -i recording)
	"$cairn" profile convert --quiet --no-symbolize -o raw.pb.gz recording
	# shellcheck disable=SC2046
	row "$thousands,000" 'go tool pprof -proto' $(measure "$LIMIT" go tool pprof -proto -symbolize=local -output out.pb.gz raw.pb.gz)
	# shellcheck disable=SC2046
	row "$thousands,000" 'cairn profile convert, the same' $(best "$cairn" profile convert -o out.pb.gz raw.pb.gz)
done
