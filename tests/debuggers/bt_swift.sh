#!/bin/sh
# SPDX-License-Identifier: MIT
# bt_swift.sh gdb|lldb DIR: async callers of Swift in `cairn bt` of a debugger.
#
# A library and a program in C stand for Swift's runtime and a program: live and in a core, the stack is that of `cairn bt
# --json` of the core. Then the same for the cores of DIR (../shared/swift), which need Swift's libraries in SWIFT_ROOT.
set -u
export LC_ALL=C
debugger=${1:?usage: bt_swift.sh gdb|lldb DIR} dir=${2:-/none}
: "${CAIRN?path of cairn}" "${GDB:=gdb}" "${LLDB:=lldb-19}" "${CC_TARGET:=cc}"
. "$(dirname "$0")/../lib/test.sh"
for tool in "$GDB" python3 $([ "$debugger" = gdb ] || echo "$LLDB"); do
	command -v "$tool" >/dev/null || skip "no $tool on this machine"
done
case $debugger in
gdb) [ -n "${CAIRN_GDB:-}" ] && [ -n "${MODULE:-}" ] || skip 'cairn was configured without <gdb/jit-reader.h>' ;;
lldb) [ -n "${LLDB_PLUGIN:-}" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer' ;;
esac
export XDG_CACHE_HOME="$work/cache" HOME="$work"
cd "$work" || exit 2

# session COMMAND... -- ARGUMENTS: what the debugger prints
session() {
	set -- "$@" --end
	commands=
	while [ "$1" != -- ]; do
		commands="$commands$1
"
		shift
	done
	shift
	arguments=
	while [ "$1" != --end ]; do
		arguments="$arguments $1"
		shift
	done
	printf %s "$commands" >commands
	# shellcheck disable=SC2086 # several arguments
	case $debugger in
	gdb) timeout 200 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -iex "set sysroot ${sysroot:-/}" \
		-iex 'set auto-solib-add on' -ex "source $CAIRN_GDB" -x commands $arguments </dev/null ;;
	lldb) timeout 200 "$LLDB" -x -b -O 'settings set symbols.enable-external-lookup false' -O 'settings set use-color false' \
		-O "plugin load $LLDB_PLUGIN" -s commands $arguments </dev/null ;;
	esac >said 2>&1
}

# compare WHAT LEAST CORE ARGUMENT...: the stacks that the debugger printed are those of the command line, with at least so many
# async frames
compare() {
	what=$1 least=$2 core=$3
	shift 3
	"$CAIRN" bt --json --quiet "$@" "$core" >wanted || [ $? = 1 ] || fail "$what: no answer of the command line"
	python3 - "$least" <<'PYTHON' || fail "$what: $(head -c 3000 said)"
import json, sys
def stack(o): return [(f["pc"], f.get("async", False)) for f in o["frames"] if not f.get("inlined")]
want = [stack(json.loads(line)) for line in open("wanted")]
got = [stack(json.loads(line)) for line in open("said") if line.startswith("{")]
flags = sum(f[1] for s in got for f in s)
print(len(got), "stacks,", flags, "async frames")
if flags < int(sys.argv[1]) or sorted(got) != sorted(want):
    print("wanted:", want, "but:", got)
    sys.exit(1)
PYTHON
}

case $(uname -m) in
x86_64) enter='movq %1, %%r14; call *%0' kept='"r14", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"' ;;
aarch64) enter='mov x22, %1; blr %0' kept='"x22", "x30", "x0", "x1", "x2", "x3", "x4", "x5"' ;;
*) skip 'a machine that cairn does not read tasks of' ;;
esac
cat >runtime.c <<END
typedef void function(void);
void swift_job_run(function *resume, void *context);
static void adapter(void) {}
static const long class_of_tasks;
#define VARIABLE(type, name, value) extern type _swift_concurrency_debug_##name; type _swift_concurrency_debug_##name = value
VARIABLE(long, internal_layout_version, LAYOUT);
VARIABLE(const void *, asyncTaskMetadata, &class_of_tasks);
VARIABLE(long, asyncTaskSize, 208);
VARIABLE(function *, future_adapter, adapter);
VARIABLE(function *, non_future_adapter, adapter);
VARIABLE(function *, task_future_wait_resume_adapter, adapter);
VARIABLE(function *, task_wait_throwing_resume_adapter, adapter);
void swift_job_run(function *resume, void *context)
{
	__asm__ volatile("$enter" : : "r"(resume), "r"(context) : $kept, "memory");
}
END
cat >main.c <<'END'
#include <stdlib.h>
typedef void function(void);
void swift_job_run(function *resume, void *context);
extern const void *_swift_concurrency_debug_asyncTaskMetadata;
struct context { struct context *parent; function *resume; };
static struct { const void *isa; char head[48]; function *resume; struct context *context; char rest[24];
	unsigned status; char more[108]; struct context outermost; } task __attribute__((aligned(16)));
static struct context contexts[3] __attribute__((aligned(16)));
void loadTQ0_(void), boardTQ3_(void), boardTY2_(void), finish(void);
void loadTQ0_(void) {}
void boardTQ3_(void) {}
void finish(void) {}
static __attribute__((noinline)) void sink(void) { __builtin_trap(); }
void boardTY2_(void) { sink(); }
int main(void)
{
	function *resume[3] = { loadTQ0_, boardTQ3_, loadTQ0_ };
	task.isa = _swift_concurrency_debug_asyncTaskMetadata;
	task.resume = boardTY2_;
	task.status = 0x800;
	task.outermost.resume = finish;
	for (int i = 0; i < 3; i++)
		contexts[i] = (struct context){ i == 2 ? &task.outermost : &contexts[i + 1], resume[i] };
	swift_job_run(boardTY2_, contexts);
}
END
"$CC_TARGET" -O0 -fPIC -shared -DLAYOUT=1 runtime.c -o libswift_Concurrency.so -Wl,--build-id,--hash-style=gnu || fail 'cannot compile'
"$CC_TARGET" -O0 -g main.c -o made -L. -lswift_Concurrency -Wl,-rpath,"$work",--build-id || fail 'cannot compile'
"$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -ex run -ex 'generate-core-file core.made' ./made >said 2>&1 </dev/null
[ -f core.made ] || skip "GDB wrote no core: $(tail -n 1 said)"
sysroot=/
case $debugger in
gdb) session 'cairn bt -json' 'cairn bt' -- ./made core.made ;;
lldb) session 'cairn bt -json' 'cairn bt' -- ./made -c core.made ;;
esac
compare 'a core' 4 core.made
[ "$(grep -c '\[async\]$' said)" = 4 ] || fail "not marked: $(cat said)"
case $debugger in
gdb) session run 'cairn bt -json' 'cairn bt 4' 'cairn bt -2' 'generate-core-file core.live' kill -- ./made ;;
lldb) session run 'cairn bt -json' 'cairn bt 4' 'cairn bt -2' 'process save-core -s full core.live' kill -- ./made ;;
esac
[ "$(grep -o '"async":true' said | wc -l)" = 4 ] || fail "a process: $(cat said)"
[ "$(grep -c '\[async\]$' said)" = 2 ] || fail "a count: $(cat said)"
if [ "$debugger" = gdb ]; then
	compare 'a process' 4 core.live
fi

# a layout that nobody knows
"$CC_TARGET" -O0 -fPIC -shared -DLAYOUT=77 runtime.c -o libswift_Concurrency.so -Wl,--build-id,--hash-style=gnu
session run 'cairn bt' kill -- ./made
[ "$(grep -c 'cairn: async callers are missing' said)" = 1 ] || fail "an unknown layout: $(cat said)"
! grep -q '\[async\]' said || fail "an unknown layout: $(cat said)"
[ $failed = 0 ] || exit 1

sid=${SWIFT_ROOT:-/none}
[ -f "$dir/expected.json" ] && [ -f "$sid/usr/libexec/swift/lib/swift/linux/libswift_Concurrency.so" ] && [ "$(uname -m)" = x86_64 ] &&
	command -v xz >/dev/null || exit 0
tar -xf "$dir/root.tar.xz"
[ -e root/usr ] || ln -s "$sid/usr" root/usr
for link in lib lib64; do
	[ -e root/$link ] || ln -s "usr/$link" root/$link
done
sysroot=$work/root
# all threads of a core are walked by LLDB's Python, which some builds of LLDB lack
if [ $debugger = lldb ] && ! "$LLDB" -b -o 'script print(len(lldb.debugger.GetVersionString()) > 0)' 2>&1 | grep -qx True; then
	echo 'not tested: the cores of Swift programs, because this LLDB has no Python'
	exit $failed
fi
for packed in "$dir"/cores/*.core.xz; do
	name=$(basename "$packed" .core.xz)
	xz -dc "$packed" >core.real
	program=root/sw/work/${name%%.*}
	case $debugger in
	gdb) session 'thread apply all cairn bt -json' -- "$program" core.real ;;
	lldb) session "platform select remote-linux --sysroot $sysroot" "target create $program --core core.real" \
		'thread list' 'script for t in lldb.process: lldb.process.SetSelectedThread(t); lldb.debugger.HandleCommand("cairn bt -json")' -- ;;
	esac
	compare "$name" 4 core.real --sysroot "$sysroot"
done
exit $failed
