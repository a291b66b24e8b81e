#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Do recordings of perf become the stacks that the programs know themselves, however they were built and recorded, and is none of
# them wrong? Of the samples in the hot code 97 % have to be whole. What `perf script` makes of the same file is
# beside it in the table that is printed.
#
#	recorded.sh CAIRN SOURCES COMPILER...
. "$(dirname "$0")/../../lib/test.sh"
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$2
shift 2
compiler=$*
cd "$work" || exit 2
export HOME="$work/home" # where perf does not keep what it records
command -v perf >/dev/null || skip "perf is not there: scripts/setup.sh --profiles installs it"
perf record -N -q -e cpu-clock -o probe.data true 2>errors || skip "perf cannot record here: $(head -n 1 errors)"

# share FILE: per cent of the folded stacks in the hot code that are whole and right, or nothing
share() {
	awk '{
		count = $NF
		sub(/ [0-9]+$/, "")
		if ($0 !~ /;(hot_function|innermost_inlined)$/)
			next
		all += count
		if ($0 ~ /^(_start;.*main;|.*clone[0-9]*;(.*;)?run_thread;)(.*;)?outer_function;hot_function(;innermost_inlined)?$/)
			whole += count
		else if ($0 !~ /^(.*;)?(outer_function;)?hot_function(;innermost_inlined)?$/)
			print "wrong: " $0 >"wrong"
	}
	END { if (all > 20) printf "%.1f\n", 100 * whole / all }' "$1"
}

# fold_script FILE: the stacks of `perf script`, as folded text
fold_script() {
	perf script --no-inline -F ip,sym -i "$1" 2>/dev/null | awk '
		NF == 0 { if (stack != "") print stack " 1"; stack = ""; next }
		{ name = $2; sub(/\+0x.*/, "", name); stack = name (stack == "" ? "" : ";") stack }
		END { if (stack != "") print stack " 1" }'
}

# check NAME PERF_OPTIONS WAY
check() {
	rm -f wrong
	# shellcheck disable=SC2086 # several options
	perf record -N -q -e cpu-clock -F 997 $2 -o "$1.data" ./program $3 2>errors || { fail "$1: perf"; cat errors; return; }
	"$cairn" profile convert --to folded -o folded "$1.data" 2>report || { fail "$1: not converted"; cat report; return; }
	ours=$(share folded)
	[ ! -e wrong ] || { fail "$1: a wrong stack"; head -n 3 wrong; }
	fold_script "$1.data" >script
	printf '%-28s %6s %6s\n' "$1" "$ours" "$(share script)"
	[ "${ours%.*}" -ge 97 ] || { fail "$1: $ours per cent are whole"; cat report; sort folded | tail -n 3; }
}

printf '%-28s %6s %6s\n' '' cairn perf
while IFS='|' read -r name options; do
	# shellcheck disable=SC2086 # several options
	$compiler -O2 -g $options -o program "$root/tests/cli/profile/recorded.c" -pthread -Wl,--build-id=sha1 2>log || {
		echo "$name: not built here"
		continue
	}
	check "$name" '--call-graph dwarf' ''
done <<'END'
pie|-fPIE -pie
no-pie|-no-pie
static|-static
static-pie|-static-pie
no-frame-pointer|-fomit-frame-pointer
lld|-fuse-ld=lld
gold|-fuse-ld=gold
one-segment|-Wl,-z,noseparate-code
no-header|-Wl,--no-eh-frame-hdr -static
END
$compiler -O2 -g -o program "$root/tests/cli/profile/recorded.c" -pthread -Wl,--build-id=sha1
for way in thread fork exec callback; do
	check "$way" '--call-graph dwarf' $way
done
check packed '--call-graph dwarf -z' ''
grep -q 'of [0-9]* copied stacks, [0-9]* are complete and [0-9]* are truncated' report || { fail 'no report of stacks'; cat report; }
check build-ids '--call-graph dwarf --buildid-mmap' ''
$compiler -O2 -g -fno-omit-frame-pointer -o program "$root/tests/cli/profile/recorded.c" -pthread -Wl,--build-id=sha1

# through a pipe, and by frame pointers, which end in a C library without them
perf record -N -q -e cpu-clock -F 997 --call-graph dwarf -o - ./program >pipe.data 2>errors
"$cairn" profile convert --quiet --to folded - <pipe.data >folded || fail 'a pipe'
[ "$(share folded | cut -d . -f 1)" -ge 97 ] || { fail 'a pipe: stacks'; sort folded | tail -n 3; }
perf record -N -q -e cpu-clock -F 997 -g -o chain.data ./program 2>errors
"$cairn" profile convert --to folded -o folded chain.data 2>report || fail 'chains'
grep -Eq 'main;(outer_function;)?hot_function;innermost_inlined [0-9]' folded || { fail 'chains: stacks'; sort folded | tail -n 3; }

# the kernel's names, also where the recording tells no build ID of it: compressed, and through a pipe
if grep -q '^f.* T _text$' /proc/kallsyms; then
	for how in '-o kernel.data' '-z -o kernel.data' '-o -'; do
		# shellcheck disable=SC2086 # several options
		perf record -N -q -e cpu-clock -F 997 -g $how dd if=/dev/zero of=/dev/null bs=1M count=4000 >piped.data 2>errors
		[ ! -s piped.data ] || mv piped.data kernel.data
		"$cairn" profile convert --to folded -o kernel.folded kernel.data 2>report || fail "the kernel, $how"
		grep -q ';read_zero' kernel.folded && ! grep -q '\[kernel.kallsyms\]+0x' kernel.folded || { fail "the kernel has no names, $how"; cat report; }
	done
fi

# a program that is not here any more, as perf has kept it
id=$(perf buildid-list -i chain.data | sed -n 's| .*/program$||p')
mkdir -p "kept/.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" | cut -c 3-)"
cp program "$(echo kept/.build-id/*/*)/elf"
mv program away
"$cairn" profile convert --quiet --to folded --directory kept -o folded.kept chain.data || fail 'a program that perf keeps'
grep -q 'main;.*hot_function' folded.kept || { fail 'a program that perf keeps: no names'; sort folded.kept | tail -n 3; }
mv away program

# the default is pprof; OpenTelemetry's message has the same samples
"$cairn" profile convert --quiet -o chain.pb.gz chain.data || fail 'no profile of pprof'
"$cairn" profile convert --quiet --no-symbolize --to folded --sample-type samples chain.pb.gz | sort >again
sort folded | cmp - again || fail 'pprof has other stacks'
"$cairn" profile convert --quiet -o chain.otlp chain.data || fail 'no message of OpenTelemetry'
"$cairn" profile convert --quiet --no-symbolize --to folded chain.otlp >again || fail 'the message is not read'
[ "$(wc -l <again)" = "$(wc -l <folded)" ] || fail 'the message has another number of stacks'
exit $failed
