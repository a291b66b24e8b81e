#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does `cairn bt --pid` name code that a process has made, by its perf map, and believe no map of somebody else,
# of an earlier process, or behind a link?
#
#	jit.sh CAIRN JIT_PROGRAM
cairn=$1
. "$(dirname "$0")/../../lib/start_jit.sh"
start_jit "$2"
map=/tmp/perf-$pid.map

# named WHAT COUNT: how many frames have the name
named() {
	"$cairn" bt --quiet --pid $pid >"$work/out" 2>&1
	if grep -q 'cannot be traced' "$work/out"; then
		echo 'skipped: processes may not be traced here'
		exit 77
	fi
	[ "$(grep -c 'in made at run time ()' "$work/out")" = "$2" ] || { echo "$1:"; cat "$work/out"; failed=1; }
}

named 'a map of its own' 1
grep -q 'made before' "$work/out" && { echo 'a name that another one replaced'; failed=1; }
grep -q ' main (' "$work/out" || { echo 'no stack above the code'; failed=1; }
touch -d '2001-01-01' "$map"
named 'an old map' 0
touch "$map"
mv "$map" "$work/map"
ln -s "$work/map" "$map"
named 'a link' 0
rm "$map"
mkfifo "$map"
named 'a pipe' 0
rm "$map"
cp "$work/map" "$map"
if [ "$(id -u)" = 0 ] && chown 65534 "$map" 2>/dev/null; then
	named "somebody else's" 0
	chown 0 "$map"
fi
named 'its own again' 1
ln "$map" "$work/second" 2>/dev/null && named 'its own by two names' 1
rm -f "$work/second"

# a map that is too large: its first 64 MiB count
truncate -s 20G "$map"
named 'a map of 20 GB' 1
truncate -s 0 "$map"
truncate -s $((64 << 20)) "$map"
{ echo; cat "$work/map"; } >>"$map"
named 'a name past 64 MiB' 0
cp "$work/map" "$map"

# what .NET (DOTNET_PerfMapEnabled=1) and LuaJIT (-DLUAJIT_USE_PERFTOOLS) write for a function: a signature with its assembly
# and tier, at an address of 16 capital digits; a trace with the line that it begins at
read -r address size rest <"$map"
named_as() {
	"$cairn" bt --quiet --pid $pid >"$work/out" 2>&1
	[ "$(grep -cF " in $2" "$work/out")" = 1 ] || { echo "$1:"; cat "$map" "$work/out"; failed=1; }
}
for tier in PreJIT Tier0 OptimizedTier1 Optimized; do
	name="instance int32 [hot] Hot.Loops\`1[System.__Canon]::Spin(int32,float64[])[$tier]"
	echo "$(printf %16s "$address" | tr ' a-f' '0A-F') $size $name" >"$map"
	named_as ".NET, $tier" "$name"
done
echo "$address $size TRACE_17::hot.lua:31" >"$map"
named_as LuaJIT 'TRACE_17::hot.lua:31'

# PHP has its code in memory that its processes share, which is a file to the kernel
kill -KILL $pid
rm -rf "$map" "$work"
before=$failed
start_jit "$2" shared
named 'shared memory' 1
[ "$before" = 0 ] || failed=1

# code that keeps no frame pointer is followed to its return; that of the JVM can be written where it is executed
for kind in bare writable; do
	kill -KILL $pid
	rm -rf "/tmp/perf-$pid.map" "$work"
	before=$failed
	start_jit "$2" $kind
	named "$kind code" 1
	grep -q ' main (' "$work/out" || { echo "$kind code: no stack above it"; cat "$work/out"; failed=1; }
	[ "$before" = 0 ] || failed=1
done

# code that ends in a trap has what called it on top of the stack, which nothing proves
kill -KILL $pid
rm -rf "/tmp/perf-$pid.map" "$work"
before=$failed
start_jit "$2" trapped
named 'code that ends in a trap' 1
[ "$(grep -A1 'in made at run time ()' "$work/out" | grep -c ' in main (.*\[call\]$')" = 1 ] || { echo 'no caller of the trap'; cat "$work/out"; failed=1; }
"$cairn" bt --quiet --explain --pid $pid | grep -qF '(a guess: no readable code confirms it)' || { echo 'the guess is not explained'; failed=1; }
[ "$before" = 0 ] || failed=1

# code without a return ends the stack, with the run-time's name where its module tells
for name in program node; do
	kill -KILL $pid
	rm -rf "/tmp/perf-$pid.map" "$work"
	before=$failed
	copy=$(mktemp -d "${TMPDIR:-/tmp}/jit.XXXXXX")
	cp "$2" "$copy/$name"
	start_jit "$copy/$name" endless
	named "code of $name that never returns" 1
	case $name in
	node) reason='JIT code of V8, of which nothing is recorded: start Node.js with --perf-prof' ;;
	*) reason='JIT code of the program, of which nothing is recorded' ;;
	esac
	grep -qx "Backtrace stopped: $reason" "$work/out" || { echo "the end of $name:"; cat "$work/out"; failed=1; }
	"$cairn" bt --quiet --json --pid $pid | grep -qF '"end":"no-module","why":"'"$reason"'"' || { echo "JSON of $name"; failed=1; }
	rm -rf "$copy"
	[ "$before" = 0 ] || failed=1
done

# A user mounts a file of root's over his map, in a namespace of his own: its text would get into a report that he may read.
kill -KILL $pid
rm -rf "/tmp/perf-$pid.map" "$work"
before=$failed
if [ "$(id -u)" != 0 ] || ! unshare -m setpriv --reuid=65534 --clear-groups true 2>/dev/null ||
	! command -v nsenter >/dev/null; then
	echo "without processes of another user: that needs root, unshare, setpriv and nsenter"
	exit $failed
fi
cp "$2" "/tmp/jit-program.$$" && chmod 755 "/tmp/jit-program.$$"
start_jit unshare -m setpriv --reuid=65534 --clear-groups "/tmp/jit-program.$$"
rm -f "/tmp/jit-program.$$"
[ "$before" = 0 ] || failed=1
map=/tmp/perf-$pid.map
[ "$(stat -c %u "$map")" = 65534 ] || { echo "the map is not the user's"; failed=1; }
named "the map of a process of a user's" 1
cp "$map" "$work/secret"
chmod 600 "$work/secret"
nsenter -m -t $pid mount --bind "$work/secret" "$map" || { echo 'nothing can be mounted'; failed=1; }
named "a file of root's that is mounted over it" 0
nsenter -m -t $pid umount "$map"
named 'its own, once more' 1
chown 0 "$map"
named "root's map of a process of a user's" 0
chown 65534 "$map"
rm "$map"
cp "$work/secret" "$work/linked"
chmod 644 "$work/linked"
ln "$work/linked" "$map" 2>/dev/null && named "a link to a file of root's" 0
exit $failed
