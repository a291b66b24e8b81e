#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Do recordings that no machine at hand makes have the stacks that they were made with, and that `perf script` reads from them: calls that
# the processor has kept (LBR), in user code and below the kernel, branches that are no stack, user stacks that come later? Are stacks copied on aarch64, by emulated programs, whole? Are recordings that are
# directories (perf record --threads) read, packed or not? Is a large one never in memory as a whole?
#
#	made.sh CAIRN MAKER SANITIZER SOURCES
. "$(dirname "$0")/../../lib/test.sh"
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
sanitizer=$3
root=$4
maker=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$work" || exit 2
export HOME="$work/home" # where perf does not keep what it records

# fold FILE: the recording as folded text, counted in samples
fold() {
	"$cairn" profile convert --to folded --sample-type samples -o folded "$1" 2>report || { fail "$1: not converted"; cat report; }
}

# expect WAY STACKS: what is made in this way
expect() {
	"$maker" "$1" "$1.data" || fail "$1: not made"
	fold "$1.data"
	[ "$(sort folded)" = "$2" ] || { fail "$1"; cat folded report; }
}

# agree WAY: perf reads the same stacks
agree() {
	perf script --no-inline -F ip,sym -i "$1.data" 2>/dev/null | awk '
		NF == 0 { if (stack != "") print stack; stack = ""; next }
		{ name = $2 == "[unknown]" ? "0x" $1 : $2; stack = name (stack == "" ? "" : ";") stack }
		END { if (stack != "") print stack }' | sort | uniq -c | awk '{ print $2, $1 }' >script
	sort folded | cmp - script || { fail "$1: perf has other stacks"; cat folded script; }
}

while read -r way first second; do
	expect "$way" "$(printf '%s 3\n%s 1\n' "$first" "$second" | sort)"
	# where no call was kept, perf 6.1 reads what is behind the list; without a chain it prints no stacks
	if [ "$way" = lbr ] && command -v perf >/dev/null; then agree "$way"; fi
done <<'END'
lbr outer_function;middle_function;leaf_function outer_function;middle_function;leaf_function;0xffffffff81000100
branches leaf_function 0xffffffff81000100
shallow outer_function;leaf_function outer_function;leaf_function;0xffffffff81000100
deferred outer_function;middle_function;leaf_function outer_function;middle_function;leaf_function;0xffffffff81000100
unanswered leaf_function 0xffffffff81000100
END
grep -q ': the user stacks of 4 samples were lost' report || { fail 'no word on user stacks that were lost'; cat report; }

# copied NAME COMMAND...: the stack that a program has copied of itself is whole
copied() {
	name=$1
	shift
	"$@" copied copied.data || { fail "$name does not run"; return; }
	fold copied.data
	grep -q '^_start;.*;main;outer_function;middle_function;leaf_function;copy_stack 1$' folded || { fail "$name"; cat folded report; }
	grep -q 'of 1 copied stacks, 1 are complete' report || { fail "$name: not whole"; cat report; }
}
case $(uname -m) in x86_64 | aarch64) copied native "$maker" ;; esac
if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then
	while read -r options; do
		# shellcheck disable=SC2086 # several options
		aarch64-linux-gnu-gcc -O2 -g $options -o emulated "$root/tests/cli/profile/made_recording.c" -Wl,--build-id=sha1 2>log || { cat log; continue; }
		copied "aarch64 $options" qemu-aarch64 ./emulated
		qemu-aarch64 ./emulated lbr lbr.data
		fold lbr.data
		grep -q '^outer_function;middle_function;leaf_function 3$' folded || { fail "aarch64 $options: kept calls"; cat folded; }
	done <<'END'
-static
-static-pie
-static -fomit-frame-pointer
-static -mbranch-protection=standard
END
else
	echo 'not checked: no compiler for aarch64, or no qemu-aarch64'
fi

# 100 MB take a fraction of that
"$maker" large large.data || fail 'large: not made'
if [ -x /usr/bin/time ]; then
	/usr/bin/time -o memory -f %M "$cairn" profile convert --quiet --to folded -o folded large.data || fail 'large: not converted'
	[ "$(cat folded)" = 'leaf_function 12500' ] || { fail 'large'; cat folded; }
	[ "$(tail -n 1 memory)" -le 40000 ] || [ "$sanitizer" != none ] || fail "large: $(cat memory) KB of memory"
fi
rm -f large.data

# a directory
"$cairn" profile convert --to folded . 2>errors
[ $? = 3 ] && grep -q 'cannot read a recording in this directory: No such file or directory' errors || { fail 'a directory without a recording'; cat errors; }
mkdir parts
"$maker" lbr whole.data
cp whole.data parts/data
fold parts
cp folded one
grep -q 'leaf_function 3$' one || fail 'a directory with its header alone'
# the records of the second file, without a header
tail -c +233 whole.data >parts/data.0
: >parts/data.1
fold parts
grep -q 'leaf_function 6$' folded || { fail 'a directory with more records'; cat folded report; }
number=1
while [ $number -lt 4095 ]; do
	number=$((number + 1))
	: >"parts/data.$number"
done
"$cairn" profile convert --quiet --to folded -o folded parts 2>errors || { fail 'a directory with 4,096 files of records'; cat errors; }
: >parts/data.4096
"$cairn" profile convert --quiet --to folded -o folded parts 2>errors
[ $? = 3 ] && grep -q 'cannot read a recording in this directory: Too many open files' errors || { fail 'a directory with 4,097 files of records'; cat errors; }
rm -r parts
if command -v perf >/dev/null && perf record -N -q -e cpu-clock -o probe.data true 2>errors; then
	for packed in '' -z; do
		# shellcheck disable=SC2086 # no word, or one
		perf record -N -q --threads $packed -g -e cpu-clock -F 997 -o threads sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done' 2>errors ||
			{ cat errors; continue; }
		fold threads
		samples=$(perf script -F ip -i threads 2>/dev/null | awk 'NF && !in_stack { count++ } { in_stack = NF > 0 } END { print count + 0 }')
		[ "$(awk '{ sum += $NF } END { print sum + 0 }' folded)" = "$samples" ] && [ "$samples" -gt 20 ] ||
			{ fail "threads $packed: not $samples samples"; cat report; }
		rm -rf threads
	done
fi

# a group has a sample of each event that has counted something, and samples of a fixed period weigh as much
if command -v perf >/dev/null && perf record -N -q -e cpu-clock -o probe.data true 2>errors; then
	while read -r options; do
		# shellcheck disable=SC2086 # several options
		perf record -N -q $options -o counted.data sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' 2>errors ||
			{ cat errors; continue; }
		for event in cpu-clock page-faults; do
			"$cairn" profile convert --quiet --to folded --sample-type $event -o folded counted.data 2>errors || : >folded
			perf script -F event,period -i counted.data 2>/dev/null |
				awk -v event=$event: '$2 == event { sum += $1 } END { printf "%d\n", sum }' >script
			awk '{ sum += $NF } END { printf "%d\n", sum }' folded | cmp -s - script || fail "$options: $event is not as perf counts it: $(cat script)"
		done
	done <<'EOF'
-F 997 -e {cpu-clock,page-faults}:S
-F 997 -e {cpu-clock,page-faults}:S -g
-F 997 -e {cpu-clock,page-faults}
-F 997 -e cpu-clock -e page-faults
-c 100000 -e cpu-clock
-c 3 -e page-faults
EOF
fi

# in a container a path leads to another file: without a build ID it names nothing, and with one its file is found by that
if command -v perf >/dev/null && unshare -m true 2>errors &&
	cc -O2 -g -o inner "$root/tests/cli/profile/recorded.c" -pthread -Wl,--build-id=sha1 2>log; then
	mkdir mnt
	cp "$maker" mnt/inner
	for option in '' --buildid-mmap; do
		# shellcheck disable=SC2086 # no word, or one
		perf record -N -q --namespaces $option -e cpu-clock -F 997 -o contained.data \
			unshare -m sh -c 'mount -t tmpfs none mnt && cp inner mnt/inner && exec mnt/inner' 2>errors ||
			{ cat errors; continue; }
		fold contained.data
		# whole names: the kernel has functions such as put_cpu_partial()
		! grep -Eq '(^|;)(write_(bytes|record|map|comm|sample|large_sample|copied_sample)|put_(text|ids|branch|calls|chain|attr|header)|main|outer_function|middle_function|leaf_function)[; ]' folded || { fail "names of another file at the path of a container's"; cat folded; }
		[ "$option" ] || grep -q '/proc/[0-9]*/root/.*/mnt/inner' report || { fail 'the path of a container'; cat report; }
		[ "$option" ] || continue
		id=$(LC_ALL=C readelf -n inner | sed -n 's/.*Build ID: //p')
		tree=tree/.build-id/$(echo "$id" | cut -c 1-2)
		mkdir -p "$tree"
		cp inner "$tree/$(echo "$id" | cut -c 3-).debug"
		"$cairn" profile convert --to folded --directory tree -o folded contained.data 2>report
		grep -Eq 'hot_function|innermost_inlined' folded || { fail "a container's file by its build ID"; cat folded report; }
	done
fi
exit $failed
