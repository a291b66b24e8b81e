#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does `cairn crash` report a crash, within its limits and without doing what it must not? The process is
# held where it ends and traced by the harness, so that a handler that used ptrace would fail.
#
#	handler.sh CAIRN CRASH_PROGRAM HOLD_CRASH READ_JSON [JIT_PROGRAM]
cairn=$1
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") # the process runs in another folder
hold=$3
read_json=$4
jit_program=${5:+$(cd "$(dirname "$5")" && pwd)/$(basename "$5")}
work=$(mktemp -d "${TMPDIR:-/tmp}/crash.XXXXXX") || exit 2
held=
handler=
trap 'exec 9>&-; [ -z "${map:-}" ] || rm -f "$map"; [ -z "$handler" ] || kill -KILL $handler 2>/dev/null; [ -z "$held" ] || wait $held; rm -rf "$work"' EXIT
failed=0
umask 022
# in a directory that the reader of root, which is another user's, may enter
chmod 755 "$work"
mkdir "$work/programs"
cp "$program" ${jit_program:+"$jit_program"} "$work/programs/"
program=$work/programs/$(basename "$program")
jit_program=${jit_program:+$work/programs/$(basename "$jit_program")}
secret=not-to-be-seen
export secret
# names come from the files of the programs alone
HOME=$work XDG_CACHE_HOME=$work/cache
export HOME XDG_CACHE_HOME

fail() {
	echo "not as it should be: $1"
	failed=1
}

case $(cat /proc/sys/kernel/core_pattern 2>/dev/null) in
'' | *'|'* | */* | *%*)
	echo 'skipped: core_pattern is not the plain name of a file here'
	exit 77
	;;
esac

root=
[ "$(id -u)" = 0 ] && root=yes
[ -n "$root" ] || echo 'skipped: dropped privileges, deleted programs and a full disk, which need root'

# Holds a crash of the program with these arguments: $pid, $signal, $core.
crash() {
	let_go
	rm -rf "$work/in"
	mkdir "$work/in"
	rm -f "$work/go" "$work/said"
	mkfifo "$work/go"
	"$hold" "$work/in" "${copy:-$program}" "$@" <"$work/go" >"$work/said" &
	held=$!
	exec 9>"$work/go"
	tries=0
	until [ -s "$work/said" ]; do
		sleep 0.05
		tries=$((tries + 1))
		kill -0 $held 2>/dev/null && [ $tries -lt 400 ] || {
			wait $held
			[ $? = 77 ] && echo 'skipped: processes may not be traced here' && exit 77
			echo 'the program could not be held'
			exit 1
		}
	done
	read -r pid signal <"$work/said"
	core=$(ls "$work"/in/core* 2>/dev/null | head -n 1)
	[ -s "$core" ] || { echo 'skipped: the kernel writes no core here'; exit 77; }
}

let_go() {
	exec 9>&-
	[ -z "$held" ] || wait $held
	held=
}

fresh() {
	rm -rf "$work/reports" "$work/cores"
	mkdir -m 755 "$work/reports" "$work/cores"
}

# The handler as the kernel calls it, with more options.
handle() {
	"$cairn" crash --pid "$pid" --tid "$pid" --signal "$signal" --reports "$work/reports" "$@" \
		>"$work/out" 2>"$work/errors"
}

reports() {
	ls "$work/reports"
}

report() {
	cat "$work"/reports/*.json
}

# Is it one object of JSON in each report?
sound() {
	for each in "$work"/reports/*.json; do
		[ "$(wc -l <"$each")" = 1 ] && "$read_json" <"$each" || fail "$1: not one line of JSON: $each"
	done
}

expect() {
	report | grep -qF "$2" || { fail "$1: no $2 in"; report | cut -c 1-1500; }
}

refute() {
	report | grep -qF "$2" && fail "$1: $2 is there"
}

crash null
grep -q '^TracerPid:[[:space:]]*[1-9]' "/proc/$pid/status" || fail 'the process is not traced'

# The report is what bt tells of the same core, with a head.
fresh
handle --dump-mode 1 <"$core" || fail "a plain crash: exit status $?"
[ -s "$work/out" ] || [ -s "$work/errors" ] && fail 'something is printed'
[ "$(reports | grep -c .)" = 1 ] || fail "one report: $(reports)"
sound 'a plain crash'
"$cairn" bt --json - <"$core" >"$work/bt"
expect 'a plain crash' "\"threads\":[$(cat "$work/bt")],\"complete\":true"
expect 'the head' '{"crash_report":1,'
expect 'the head' "\"pid\":$pid,\"tid\":$pid,\"signal\":\"SIGSEGV\",\"signal_number\":11,\"dump_mode\":1,"
expect 'the process' "\"process\":{\"name\":\"crash_program\",\"program\":\"$program\",\"program_deleted\":false,"
expect 'the process' "\"arguments\":[\"$program\",\"null\"],\"user\":$(id -u),\"group\":$(id -g),"
refute 'no environment' not-to-be-seen
[ "$(stat -c %a "$work"/reports/*.json)" = 640 ] || fail 'a report has mode 0640'
id=$("$cairn" bt --list-modules "$core" | awk -v program="$program" '$4 == program { print $3 }')
expect 'modules with build IDs' "\"module\":\"$program\",\"build_id\":\"$id\""

fresh
handle --dump-mode 2 --core "$work/cores" --environment <"$core" || fail "mode 2: exit status $?"
sound 'mode 2'
expect 'the environment when it is asked for' '"secret=not-to-be-seen"'
[ "$(stat -c %a "$work"/reports/*.json "$work"/cores/* | sort -u)" = 600 ] || fail 'mode 2 is for root alone'
"$cairn" bt --json - <"$core" | sed 's/"core":"[^"]*"//' >"$work/bt"
"$cairn" bt --json "$work"/cores/* | sed 's/"core":"[^"]*"//' | cmp -s - "$work/bt" || fail 'the core that is kept'
expect 'the core that is kept' "\"core_file\":\"$(ls "$work/cores")\",\"core_bytes\":$(stat -c %s "$work"/cores/*),"
[ "$(ls -A "$work/cores" | grep -c .)" = 1 ] || fail 'nothing but the core'

# A minidump is kept under the rules of cores, with the core's stacks; none is made of what is no core.
dumps() {
	rm -rf "$work/dumps"
	mkdir -m 755 "$work/dumps"
}
fresh
dumps
handle --dump-mode 1 -m "$work/dumps" <"$core" || fail "with a minidump: exit status $?"
sound 'with a minidump'
expect 'with a minidump' "\"minidump_file\":\"$(ls "$work/dumps")\""
[ "$(ls -A "$work/dumps" | grep -c '^crash-.*\.dmp$')" = 1 ] || fail "one minidump: $(ls -A "$work/dumps")"
[ "$(stat -c %a "$work"/dumps/*)" = 640 ] || fail 'a minidump has mode 0640'
"$cairn" bt --json "$core" | grep -o '"pc":"[^"]*"' >"$work/bt"
"$cairn" bt --json "$work"/dumps/* | grep -o '"pc":"[^"]*"' | cmp -s - "$work/bt" || fail 'the stacks of the minidump are others'
grep -q . "$work/bt" || fail 'no stack to compare with'
handle --dump-mode 2 --minidump "$work/dumps" --keep 1 <"$core" || fail "a second minidump: exit status $?"
handle --dump-mode 2 --minidump "$work/dumps" --keep 1 <"$core" || fail "a third minidump: exit status $?"
[ "$(ls -A "$work/dumps" | grep -c .)" = 2 ] || fail "--keep counts for minidumps: $(ls -A "$work/dumps")"
[ "$(stat -c %a "$work"/dumps/* | sort -u)" = 600 ] || fail 'a minidump of mode 2 is for root alone'
fresh
dumps
echo 'not a core' | handle --dump-mode 1 -m "$work/dumps" && fail 'a text has exit status 0'
expect 'no minidump of a text' '"minidump_missing":"none could be made of the core"'
[ -z "$(ls -A "$work/dumps")" ] || fail 'a minidump of a text'
fresh
handle --dump-mode 1 -m "$work/nowhere" <"$core" || fail "without a folder of minidumps: exit status $?"
grep -qxF "cairn: $work/nowhere: cannot use the minidump directory: No such file or directory" "$work/errors" ||
	fail 'why there is no minidump'
refute 'a report without a minidump' minidump

# What names code that the process made is kept with the core, and names it when both are gone.
if [ -n "$jit_program" ]; then
	copy=$jit_program
	crash abort
	copy=
	map=/tmp/perf-$pid.map
	fresh
	handle --dump-mode 1 --core "$work/cores" <"$core" || fail "code of its own: exit status $?"
	sound 'code of its own'
	expect 'code of its own' '"made at run time"'
	expect 'the map that is kept' "\"map_file\":\"$(cd "$work/cores" && ls ./*.perf-map | cut -c 3-)\""
	cmp -s "$work"/cores/*.perf-map "$map" || fail 'the map that is kept is another'
	[ "$(stat -c %a "$work"/cores/* | sort -u)" = 640 ] || fail 'a map has the mode of its core'
	rm -f "$map"
	"$cairn" bt "$work"/cores/*.core* >"$work/bt"
	grep -q 'in made at run time ()' "$work/bt" || { fail 'the kept core has the names'; cat "$work/bt"; }
	touch "$work"/cores/*.perf-map -d '+1 hour'
	"$cairn" bt "$work"/cores/*.core* | grep -q 'made at run time' && fail 'a map that is newer than its core counts'
	fresh
	handle --dump-mode 1 <"$core" || fail "code of its own without a core: exit status $?"
	refute 'without a core nothing is kept' map_file
	crash null
fi

fresh
handle <"$core"
[ "$(stat -c %a "$work"/reports/*.json)" = 600 ] || fail 'an unknown dump mode is for root alone'

# The command gets the same bytes, and its arguments.
fresh
handle --dump-mode 1 --core "$work/cores" --then /bin/sh -c 'cat >"$0"; echo "$@" >"$0.words"' "$work/passed" --signal 11 <"$core" ||
	fail "then: exit status $?"
cmp -s "$work/passed" "$core" || fail 'the command has another core'
[ "$(cat "$work/passed.words")" = '--signal 11' ] || fail 'the words of the command'
sound then
expect 'a report beside the command' '"complete":true'
[ "$(ls "$work/cores" | grep -c .)" = 1 ] || fail 'a core beside the command'
# one that takes nothing, and one that is not there, do no harm
for command in /bin/true /nowhere/program; do
	fresh
	handle --dump-mode 1 --then $command <"$core" || fail "$command: exit status $?"
	expect "$command" '"complete":true'
done
grep -q "^cairn: $work/reports: the --then command failed: it " "$work/errors" || fail 'why the command was not run'
# and without a directory of cores, or with one of reports that goes meanwhile
fresh
handle --dump-mode 1 --core "$work/nowhere" <"$core" || fail "without a folder of cores: exit status $?"
grep -qxF "cairn: $work/nowhere: cannot use the core directory: No such file or directory" "$work/errors" ||
	fail 'why there is no core'
expect 'a report without a core' '"complete":true'
fresh
mkfifo "$work/late"
handle --dump-mode 1 <"$work/late" &
handler=$!
exec 8>"$work/late"
tries=0
until [ -n "$(reports)" ]; do
	sleep 0.05
	tries=$((tries + 1))
	[ $tries -lt 400 ] || { fail 'there is no report before the core'; break; }
done
rm -r "$work/reports"
cat "$core" >&8
exec 8>&-
wait $handler
[ $? = 1 ] || fail 'reports that go meanwhile'
grep -qxF "cairn: $work/reports: cannot update the report: No such file or directory" "$work/errors" ||
	fail 'why there is no report any more'
# without a place for reports the command gets the core all the same
rm -f "$work/passed"
"$cairn" crash -p "$pid" -s 11 -r "$work/nowhere" --then /bin/sh -c 'cat >"$0"' "$work/passed" <"$core" 2>"$work/errors"
[ $? = 3 ] && cmp -s "$work/passed" "$core" || fail 'the command without a folder of reports'
grep -q 'cannot use the report directory' "$work/errors" || fail 'why there is no report'

# Links are not followed, other people's directories are not used, and nobody's file is replaced.
fresh
ln -s reports "$work/link"
mkdir "$work/reports/inner"
for folder in link link/inner reports/../link; do
	"$cairn" crash -p "$pid" -s 11 -d 1 -r "$work/$folder" <"$core" 2>"$work/errors"
	[ $? = 3 ] || fail "a link on the way: $folder"
done
rmdir "$work/reports/inner"
[ -z "$(ls -A "$work/reports")" ] || fail 'a report past a link'
chmod 777 "$work/reports"
handle --dump-mode 1 <"$core"
[ $? = 3 ] && [ -z "$(ls -A "$work/reports")" ] || fail 'a folder that anybody may write'
fresh
echo victim >"$work/victim"
ln -s "$work/victim" "$work/reports/crash-20010909T014640Z-u7-p$pid.json"
handle --dump-mode 1 --time 1000000000 --uid 7 <"$core" || fail 'a name that is taken'
[ "$(cat "$work/victim")" = victim ] || fail 'a file behind a link was written'
[ -f "$work/reports/crash-20010909T014640Z-u7-p$pid-1.json" ] || fail "another name: $(reports)"
rm -f "$work/reports/.crash-lock"
ln -s "$work/victim" "$work/reports/.crash-lock"
handle --dump-mode 1 <"$core" || fail 'a lock that is a link'
[ "$(cat "$work/victim")" = victim ] || fail 'a lock behind a link was written'

# Limits.
fresh
for i in 1 2 3; do handle --dump-mode 1 --uid 7 --rate 2 --core "$work/cores" <"$core"; done
handle --dump-mode 1 --uid 8 --rate 2 <"$core" || fail 'the rate of another user'
sound rate
[ "$(reports | grep -c json)" = 4 ] || fail 'a report for each call'
[ "$(ls "$work/cores" | grep -c .)" = 2 ] || fail 'no core past the rate'
[ "$(report | grep -c '"failure":"there are too many crashes of this user in a minute"')" = 1 ] || fail 'the rate'
fresh
: >"$work/reports/other"
for i in 1 2 3 4 5; do handle --dump-mode 1 --uid 7 --keep 3 <"$core"; done
handle --dump-mode 1 --uid 8 --keep 3 <"$core"
for i in 1 2 3 4 5; do handle --dump-mode 1 --uid 7 --keep 3 <"$core"; done
[ "$(reports | grep -c json)" -le 4 ] && [ "$(reports | grep -c -- -u8-)" = 1 ] || fail "what is kept: $(reports)"
[ -f "$work/reports/other" ] || fail "somebody's file is gone"

# Broken cores: the report says so, and has what /proc had.
: >"$work/empty"
echo 'not a core' >"$work/text"
head -c 20000 "$core" >"$work/cut"
{ head -c 4000 "$core"; head -c 100000 /dev/zero; } >"$work/zeros"
for broken in empty text; do
	fresh
	handle --dump-mode 1 --core "$work/cores" <"$work/$broken"
	[ $? = 1 ] || fail "$broken: not exit status 1"
	sound $broken
	expect $broken '"failure":"the core could not be read"'
	expect $broken "\"build_id\":\"$id\""
	expect $broken '"messages":"'
done
for broken in cut zeros; do
	fresh
	handle --dump-mode 1 <"$work/$broken" || fail "$broken: exit status $?"
	sound $broken
	expect $broken '"complete":false'
done

# A stream that does not end, and handlers that are killed.
fresh
rm -f "$work/endless"
mkfifo "$work/endless"
exec 8<>"$work/endless"
before=$(date +%s)
handle --dump-mode 1 --core "$work/cores" --timeout 1 <"$work/endless" 8<&-
[ $? = 1 ] || fail 'a stream without an end'
[ $(($(date +%s) - before)) -lt 40 ] || fail 'it waits for ever'
sound endless
expect endless '"failure":"the core could not be read'
expect endless '"stream_cut":true'
expect endless '"core_missing":"the stream of the core did not end in time"'
[ -z "$(ls -A "$work/cores")" ] || fail 'half a core'

# A command that takes nothing is given up, and so is the handler of a core that does not come.
fresh
head -c 3000000 /dev/zero >"$work/more"
{ cat "$core" "$work/more"; } | handle --dump-mode 1 --timeout 8 --then /bin/sleep 100
[ $? = 0 ] || fail 'a command that takes nothing'
expect 'a command that takes nothing' '"complete":true'

start_endless() {
	fresh
	"$cairn" crash -p "$pid" -t "$pid" -s 11 -d 1 -r "$work/reports" <"$work/endless" 8<&- >"$work/out" 2>"$work/errors" &
	handler=$!
	reader=
	tries=0
	until [ -n "$reader" ] && grep -q '^NoNewPrivs:[[:space:]]*1' "/proc/$reader/status" 2>/dev/null; do
		sleep 0.05
		reader=$(cat /proc/$handler/task/$handler/children 2>/dev/null | cut -d ' ' -f 1)
		tries=$((tries + 1))
		[ $tries -lt 400 ] || { fail 'there is no reader'; return; }
	done
}

start_endless
for key in CapInh CapPrm CapEff CapAmb; do
	grep -q "^$key:[[:space:]]*0000000000000000$" "/proc/$reader/status" || fail "the reader has capabilities: $key"
done
if [ -n "$root" ]; then
	[ "$(grep -cE '^(Uid|Gid):([[:space:]]+65534){4}$' "/proc/$reader/status")" = 2 ] || fail 'the reader has another user'
	grep -q '^Groups:[[:space:]]*$' "/proc/$reader/status" || fail 'the reader has groups'
	ls -l "/proc/$reader/fd" | grep -q "$work/reports" && fail 'the reader has the folder of reports open'
fi
kill -KILL "$reader"
wait $handler
[ $? = 1 ] || fail 'a reader that is killed'
handler=
sound 'reader killed'
expect 'reader killed' '"failure":"the core could not be read: it was ended by signal 9"'
expect 'reader killed' "\"build_id\":\"$id\""

start_endless
kill -KILL $handler
wait $handler 2>/dev/null
handler=
sound 'handler killed'
expect 'handler killed' '"failure":"the handler was ended before the report was made"'
sleep 0.5
[ -d "/proc/$reader" ] && grep -vq '^State:[[:space:]]*Z' "/proc/$reader/status" 2>/dev/null && ! grep -q '^State:[[:space:]]*Z' "/proc/$reader/status" && fail 'a reader stays'
[ "$(reports | grep -c .)" = 1 ] || fail "a killed handler leaves one report: $(reports)"
exec 8>&-

# Another process of the same number, and none.
fresh
right=$pid
pid=$$
handle --dump-mode 1 <"$core" || fail 'another process'
expect 'another process' '"process_missing":"/proc had another process of this number"'
refute 'another process' '"process":'
expect 'its stacks are there' '"function":"write_nowhere"'
fresh
pid=4194304
handle --dump-mode 1 <"$core" || fail 'no process'
expect 'no process' '"process_missing":"No such process"'
expect 'no process' '"function":"write_nowhere"'
pid=$right

# Names of any bytes.
odd=$(printf 'a"b\\\n\001\377\033c')
crash null "$odd" "$(printf '\300\200\n"%4000s' x)"
fresh
handle --dump-mode 1 <"$core" || fail "odd names: exit status $?"
sound 'odd names'
expect 'odd names' '"process":{"name":"a\"b\\\n\u0001\ufffd\u001bc"'

# The name of a thread that crashed, as /proc has it; and what overflowed is cut at so many frames.
crash deep
fresh
handle --dump-mode 1 --count 50 <"$core" || fail "a stack overflow: exit status $?"
sound 'a stack overflow'
[ "$(report | grep -o '"function":"go_deep"' | grep -c .)" = 50 ] || fail '50 frames'
expect 'a stack overflow' '"end":"limit"'

crash abort
fresh
handle --dump-mode 1 <"$core" || fail "abort: exit status $?"
expect abort '"signal":"SIGABRT","signal_number":6,'

if [ -n "$root" ]; then
	# What is mapped is read where it is mapped.
	copy=$work/gone
	cp "$program" "$copy"
	crash null
	rm "$copy"
	fresh
	handle --dump-mode 1 <"$core" || fail "a deleted program: exit status $?"
	if readlink "/proc/$pid/map_files/$(sed -n '1s/ .*//p' "/proc/$pid/maps")" >/dev/null; then
		expect 'a deleted program' '"function":"write_nowhere"'
		expect 'a deleted program' "\"module\":\"$copy\",\"build_id\":\"$id\",\"deleted\":true"
	fi
	copy=
	crash null
fi

# A full disk: old reports give way; without any the report has the reason, or the exit status tells.
full='
	mount -t tmpfs -o size=256k,mode=755 tmpfs "$1/reports" || exit 77
	shift
	i=0
	while [ $i -lt 12 ]; do "$@" --time $((1000000000 + i)); i=$((i + 1)); done <"$core"
	df -k . >/dev/null
	head -c 1000000 /dev/zero >"$reports/filler" 2>/dev/null
	"$@" --time 1000000100 <"$core"
	status=$?
	cp "$reports"/*.json "$reports/../shown/"
	rm "$reports"/crash-*
	head -c 1000000 /dev/zero >>"$reports/filler" 2>/dev/null
	"$@" --time 1000000200 <"$core"
	echo "$status $?"
	cp "$reports"/*.json "$reports/../shown/" 2>/dev/null
	exit 0'
if [ -n "$root" ] && unshare -m true 2>/dev/null; then
	fresh
	mkdir "$work/shown"
	core=$core reports=$work/reports unshare -m sh -c "$full" full "$work" "$cairn" crash -p "$pid" -s 11 -d 1 \
		-r "$work/reports" --rate 0 >"$work/said" 2>"$work/errors"
	case $? in
	77) echo 'skipped: a full disk, because nothing may be mounted' ;;
	0)
		[ "$(cut -d ' ' -f 1 "$work/said")" = 0 ] || { fail "a full disk: $(cat "$work/said")"; cat "$work/errors"; }
		[ -f "$work/shown/crash-20010909T014820Z-u$(id -u)-p$pid.json" ] || fail "a full disk: $(ls "$work/shown")"
		case $(cut -d ' ' -f 2 "$work/said") in
		3) grep -q 'cannot create a report: No space left' "$work/errors" || fail 'why there is no report' ;;
		1) grep -q '"failure":"No space left on device"' "$work"/shown/crash-20010909T0150*.json || fail 'why the report is short' ;;
		0) ;;
		*) fail "a full disk without reports: $(cat "$work/said")" ;;
		esac
		;;
	*) fail 'a full disk' ;;
	esac
else
	echo 'skipped: a full disk, because nothing may be mounted'
fi
exit $failed
