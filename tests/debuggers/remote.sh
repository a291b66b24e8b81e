#!/bin/sh
# SPDX-License-Identifier: MIT
# Two remotes that a real server is not: one whose memory all reads, for which cairn's reads are counted
# beside GDB's own, and one that closes the connection in the place of the first, second, third ...
# answer of a backtrace.  GDB lives, the next connection is as good as the first, and cairn adds no
# error internal to GDB that GDB alone does not have there.  Packets are counted, because each one is a
# place where a connection can close: on an ordinary program, and on one that needs cairn.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET" objcopy gdbserver
[ -n "${REMOTE_STUB:-}" ] || fail 'REMOTE_STUB is not set'
build sample.c sample -O2 -g -pthread
ulimit -c 0 # where GDB ends itself

# 1. All memory reads.
ALL_MAX=320 # four searches of 64 pages; then none in what was searched
for with in without with; do
	debug $with '' -ex 'set architecture i386:x86-64' -ex "target remote | $REMOTE_STUB all $tmp/reads.$with" \
		-ex bt -ex bt -ex stepi -ex 'echo still alive\n' >"$tmp/said"
	said 1 '^still alive'
	said 2 '^#0 '
done
read -r alone rest <"$tmp/reads.without"
read -r loaded rest <"$tmp/reads.with"
[ "$rest" = 'reads of memory' ] || fail "the stub counted nothing: $rest"
echo "all memory reads: $alone reads by GDB alone, $loaded with cairn"
[ "$loaded" -gt "$alone" ] || fail 'cairn read nothing'
[ "$loaded" -le $((alone + ALL_MAX)) ] || fail "$loaded reads, $alone without cairn"

# 2. The connection closes at each packet of a backtrace.
# stop in a callback of qsort()
close='maint packet qCairn.close:'
# count PROGRAM WITH COMMANDS...: packets of each command, in $tmp/counts
count() {
	program=$1 with=$2
	shift 2
	connect="target remote | $REMOTE_STUB relay $tmp/report env -i $(command -v gdbserver) --once - $program qsort"
	for command; do
		set -- "$@" -ex "${close}0" -ex "$command"
		shift
	done
	rm -f "$tmp/report"
	debug "$with" "$program" -ex 'set sysroot /' -ex "$connect" -ex 'break stop_here' \
		"$@" -ex "${close}0" -ex kill >"$tmp/said"
	awk '$2 == "passed" { print $1 }' "$tmp/report" >"$tmp/counts"
}
# compare_packets PROGRAM FIRST FIRST_BT AGAIN AGAIN_BT: how many packets more cairn may cost at the first
# stop, in the backtrace there, at a later stop, and in the backtrace there
commands='continue bt continue bt stepi bt'
compare_packets() {
	# shellcheck disable=SC2086 # commands are words
	count "$1" without $commands
	mv "$tmp/counts" "$tmp/counts.alone"
	# shellcheck disable=SC2086
	count "$1" with $commands
	echo "$commands" | tr ' ' '\n' >"$tmp/commands"
	paste "$tmp/commands" "$tmp/counts.alone" "$tmp/counts" >"$tmp/packets"
	echo "packets of each command on ${1#"$tmp/"}, alone and with cairn:"
	cat "$tmp/packets"
	awk 'NF != 3 { exit 1 } END { exit NR != 6 }' "$tmp/packets" || fail 'packets were not counted'
	awk -v stop="$2" -v bt="$3" -v again="$4" -v again_bt="$5" '
		NR == 3 { stop = again; bt = again_bt }
		$3 - $2 > ($1 == "bt" ? bt : stop) { exit 1 }' "$tmp/packets" ||
		fail "cairn reads more than is stated of ${1#"$tmp/"}"
}
# An ordinary program needs nothing of cairn: at a later stop its headers are compared, once for each of
# the two frames that GDB asks about.
"$CC_TARGET" -O2 -g -pthread "$programs/sample.c" -o "$tmp/eh/plain"
compare_packets "$tmp/eh/plain" 15 60 2 20
compare_packets "$tmp/no/sample" 20 70 10 25

# close_each WITH COUNT: one GDB, whose connection closes at each packet of `bt`, of at most so many; the
# last backtrace, which is whole, has no more than that
close_each() {
	with=$1 last=$2 k=1
	rm -f "$tmp/report"
	set --
	while [ "$k" -le "$last" ]; do
		set -- "$@" -ex "echo round $k\\n" -ex "$connect" -ex continue -ex "$close$k" -ex bt
		k=$((k + 1))
	done
	debug "$with" "$tmp/no/sample" -ex 'set sysroot /' -ex 'break stop_here' "$@" \
		-ex 'echo the last round\n' -ex "$connect" -ex continue -ex "${close}0" -ex bt \
		-ex "${close}0" -ex kill -ex 'echo still alive\n' >"$tmp/said" || :
	# 16.3 ends at one of the packets ("Recursive internal problem"), without cairn
	if [ "$with" = without ] && ! grep -q '^still alive' "$tmp/said"; then
		bears=no
		echo "this GDB alone does not bear a connection that closes in bt: $(tail -n 1 "$tmp/said")"
		return
	fi
	said 0 'internal-error'
	said 1 '^still alive'
	said "$last" '^round '
	tail -n 2 "$tmp/report" | head -n 1 >"$tmp/last"
	read -r counted state <"$tmp/last"
	closed=$(grep -c ' closed$' "$tmp/report")
	[ "$state" = passed ] && [ "$closed" -ge "$counted" ] || {
		cat "$tmp/said"
		fail "$closed connections closed, and the last backtrace has $counted packets ($state)"
	}
	echo "closed at each of $closed packets of bt, $with cairn: GDB lives"
}
alone=$(sed -n 2p "$tmp/counts.alone")
loaded=$(sed -n 2p "$tmp/counts")
bears=yes
close_each without "$alone"
[ $bears = no ] || {
	close_each with "$loaded"
	sed -n '/^the last round/,$p' "$tmp/said" | grep '^#.* main' >/dev/null || {
		tail -n 20 "$tmp/said"
		fail 'the connection after the last that closed has no whole backtrace'
	}
}

# 3. While GDB handles a stop it asks for frames, and a connection that closes then is what it cannot
# always bear, alone neither.  What it prints with cairn it prints alone, too.
# at_stop WITH K: the errors internal to GDB, without numbers of lines
at_stop() {
	debug "$1" "$tmp/no/sample" -ex 'set sysroot /' -ex "$connect" -ex 'break stop_here' \
		-ex "$close$2" -ex continue >"$tmp/said" || :
	sed -n -e 's/.*internal-error: //p' -e 's/^\(A fatal error internal to GDB\).*/\1/p' \
		"$tmp/said" | sort -u
}
alone=$(sed -n 1p "$tmp/counts.alone")
loaded=$(sed -n 1p "$tmp/counts")
k=$((alone - 12))
while [ $k -le "$alone" ]; do
	at_stop without $k
	k=$((k + 1))
done | sort -u >"$tmp/errors.alone"
k=$((alone - 4))
while [ $k -le "$loaded" ]; do
	at_stop with $k
	k=$((k + 11))
done | sort -u >"$tmp/errors.with"
echo 'closed while GDB handles a stop, alone:'
cat "$tmp/errors.alone"
comm -13 "$tmp/errors.alone" "$tmp/errors.with" >"$tmp/added"
[ ! -s "$tmp/added" ] || {
	cat "$tmp/added"
	fail 'with cairn GDB has errors that it does not have alone'
}
