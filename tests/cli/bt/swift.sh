#!/bin/sh
# SPDX-License-Identifier: MIT
# Async stacks and tasks of Swift programs, from the cores of ../shared/swift:
#
#	swift.sh CAIRN DIR SID
#
# Every async frame and task is the one in expected.json, in the core, in a minidump of it, and as threads in GDB. SID is a
# Debian with Swift's libraries (default $SWIFT_ROOT), without which nothing can be found, and the test is skipped.
set -u
cairn=$1 dir=$2 sid=${3:-${SWIFT_ROOT:-}}
. "$(dirname "$0")/../../lib/test.sh"

# programs without Swift, and inputs without tasks
why="the program does not use Swift's concurrency runtime"
sh "$(dirname "$0")/../../fixtures/bt/core.sh" >"$work/core"
"$cairn" bt --tasks --quiet "$work/core" 2>&1 >"$work/printed" | grep -q "no tasks are shown: $why" || fail 'bt --tasks without Swift'
"$cairn" bt --quiet "$work/core" | cmp -s - "$work/printed" || fail '--tasks changes the stacks of threads'
"$cairn" open --tasks -o "$work/threads" "$work/core" 2>&1 | grep -q "$why" || fail 'open --tasks without Swift'
printf '    #0 0x401234 in f (/none+0x1234)\n' >"$work/log"
"$cairn" open --tasks -o "$work/threads" "$work/log" 2>&1 | grep -q 'log: not a core' || fail 'open --tasks of a log'
[ $failed = 0 ] || exit 1

[ -f "$dir/expected.json" ] || skip "needs the cores of $dir"
[ -f "$sid/usr/libexec/swift/lib/swift/linux/libswift_Concurrency.so" ] || skip 'needs Swift libraries in SWIFT_ROOT'
for tool in xz python3 tar; do
	command -v $tool >/dev/null || skip "needs $tool"
done
tar -C "$work" -xf "$dir/root.tar.xz"
[ -e "$work/root/usr" ] || ln -s "$sid/usr" "$work/root/usr"

# check CORE INPUT [--tasks]: compare the answer for INPUT with what is expected of CORE
check() {
	"$cairn" bt --json --quiet ${3:+"$3"} --sysroot "$work/root" "$2" >"$work/answer" || fail "$1: exit status $?"
	python3 - "$dir/expected.json" "$1" "$work/answer" ${3:+"$3"} <<'PYTHON' || fail "$1 differs ($2)"
import json, sys
want = json.load(open(sys.argv[1]))[sys.argv[2]]
got = [json.loads(line) for line in open(sys.argv[3])]
bad = []
def pcs(frames): return [int(f["pc"], 16) for f in frames]
for o in got:
    if o.get("kind") == "task": continue
    w = want["threads"].get(str(o["tid"]), {"async": [], "task": None})
    if pcs(w["async"]) != pcs(f for f in o["frames"] if f.get("async")): bad.append("thread %d" % o["tid"])
    if w["task"] != o.get("task"): bad.append("task of thread %d" % o["tid"])
if len(sys.argv) > 4:
    tasks = {o["task"]: o for o in got if o.get("kind") == "task"}
    wanted = {t["task"]: t for t in want["tasks"] if t["state"] != "new"}
    if tasks.keys() != wanted.keys(): bad.append("tasks %s, not %s" % (sorted(tasks), sorted(wanted)))
    for i in tasks.keys() & wanted.keys():
        t, w = tasks[i], wanted[i]
        for key in "state", "name", "parent", "waits_for", "on", "priority":
            if (t.get(key) or None) != (w.get(key) or None): bad.append("%s of task %d" % (key, i))
        if w["state"] != "running" and pcs(t["frames"]) != pcs(w["frames"]): bad.append("stack of task %d" % i)
        if w["state"] == "running" and not t["frames"][1:]: bad.append("no stack of task %d" % i)
print("\n".join(bad))
sys.exit(bool(bad))
PYTHON
}

for packed in "$dir"/cores/*.core.xz; do
	name=$(basename "$packed" .core.xz)
	xz -dc "$packed" >"$work/core"
	check "$name" "$work/core" --tasks
	check "$name" "$packed" --tasks
	"$cairn" minidump --quiet --sysroot "$work/root" -o "$work/dump" "$work/core" || fail "$name: no minidump"
	check "$name" "$work/dump"
	waiting=$("$cairn" bt --tasks --quiet --sysroot "$work/root" "$work/core" | grep -c '^Task .*waiting')
	"$cairn" bt --json --tasks --quiet --sysroot "$work/root" "$work/core" >"$work/answer"
	[ "$("$cairn" bt "$work/answer" | grep -c '^Task .*waiting')" = "$waiting" ] || fail "$name: the report has other tasks"
	"$cairn" group --each "$work/answer" | grep -c '"id":"' | grep -qx 1 || fail "$name: tasks have signatures"
	"$cairn" bt --folded --quiet --sysroot "$work/root" "$work/core" | grep -q ';swift_job_run;' || fail "$name: folded"
	"$cairn" open --tasks --sysroot "$work/root" -o "$work/threads" "$work/core" | grep -q "; $waiting of the threads are tasks" ||
		fail "$name: open --tasks"
	command -v gdb >/dev/null || continue
	program=$(ls "$work"/root/sw/work/"${name%%.*}")
	gdb -nx -batch -iex 'set debuginfod enabled off' -iex "set sysroot $work/root" -ex 'thread apply all bt' \
		"$program" "$work/threads" >"$work/gdb" 2>&1
	[ "$(grep -c '^Thread .*LWP 10000000' "$work/gdb")" = "$waiting" ] || fail "$name: GDB shows other threads"
	[ "$waiting" = 0 ] || grep -q 'TQ[0-9]*_' "$work/gdb" || fail "$name: GDB does not walk the stacks of tasks"
done
exit $failed
