#!/bin/sh
# SPDX-License-Identifier: MIT
# Each read of the target fails in turn while a command runs, and Ctrl-C comes in the middle of a
# long one: GDB survives, and the next command works.
#
# The reads are made to fail by a reader around the module: it loads it, and passes on GDB's
# callbacks with a target_read of its own, which a file tells which call to refuse.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${SHARED_SYMBFILE:?path of shared_symbfile}"
need "$GDB" "$CC_TARGET" objcopy

build sample.c sample -g -O1 -pthread
cat >"$tmp/around.c" <<'END'
#include <gdb/jit-reader.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
GDB_DECLARE_GPL_COMPATIBLE_READER
static struct gdb_reader_funcs *inner, outer;
static gdb_target_read *real;
static long calls, refused, interrupted;

/* Ctrl-C in a read: GDB answers it there, and nothing behind it is reached. */
static enum gdb_status reads(GDB_CORE_ADDR address, void *buffer, int size)
{
	if (++calls == refused)
		return GDB_FAIL;
	if (calls == interrupted)
		raise(SIGINT);
	enum gdb_status status = real(address, buffer, size);
	if (interrupted && calls == interrupted)
		interrupted = calls + 1; /* it was not answered */
	return status;
}

static void rearm(void)
{
	FILE *f = fopen(FAULT, "r");

	calls = refused = interrupted = 0;
	if (f && fscanf(f, "%ld %ld", &refused, &interrupted) < 1)
		refused = 0;
	if (f)
		fclose(f);
}

static enum gdb_status unwind(struct gdb_reader_funcs *self, struct gdb_unwind_callbacks *cb)
{
	struct gdb_unwind_callbacks mine = *cb;

	(void)self;
	rearm();
	real = cb->target_read;
	mine.target_read = reads;
	enum gdb_status status = inner->unwind(inner, &mine);
	FILE *f = fopen(FAULT ".calls", "a");
	fprintf(f, "%ld\n", calls);
	fclose(f);
	return status;
}

static struct gdb_frame_id frame_id(struct gdb_reader_funcs *self, struct gdb_unwind_callbacks *cb)
{
	struct gdb_unwind_callbacks mine = *cb;

	(void)self;
	rearm();
	real = cb->target_read;
	mine.target_read = reads;
	return inner->get_frame_id(inner, &mine);
}

static enum gdb_status read_info(struct gdb_reader_funcs *self, struct gdb_symbol_callbacks *cb,
                                 void *memory, long size)
{
	(void)self;
	return inner->read(inner, cb, memory, size);
}

static void destroy(struct gdb_reader_funcs *self)
{
	(void)self;
	inner->destroy(inner);
}

struct gdb_reader_funcs *gdb_init_reader(void)
{
	static struct gdb_reader_funcs *(*init)(void);

	if (!init)
		init = dlsym(dlopen(MODULE, RTLD_NOW), "gdb_init_reader");
	inner = init();
	outer = (struct gdb_reader_funcs){ GDB_READER_INTERFACE_VERSION, 0, read_info, unwind, frame_id, destroy };
	return &outer;
}
END
"$CC_TARGET" -shared -fPIC -fexceptions -Wl,-z,nodelete "-DFAULT=\"$tmp/fault\"" \
	"-DMODULE=\"$MODULE\"" "$tmp/around.c" -o "$tmp/around.so" -ldl
# with no process the module would be loaded anew, without what is around it
sed "s|$MODULE|$tmp/around.so|" "$CAIRN_GDB" >"$tmp/around.gdb"
grep -q around.so "$tmp/around.gdb" || fail 'the script does not name the module'

session() {
	within "$1" "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex 'set width 0' -ex 'set exec-wrapper env -i' -x "$tmp/script" "$tmp/no/sample" \
		</dev/null >"$tmp/out" 2>&1
}

# more than a question takes; that is looked at below
reads=40
cat >"$tmp/script" <<END
break stop_here
run recurse
source $tmp/around.gdb
set \$i = 0
while \$i < $reads
set \$i = \$i + 1
eval "shell echo %d >$tmp/fault", \$i
cairn bt 3
cairn where \$pc
cairn sframe
bt 3
shell echo 0 >$tmp/fault
echo next:
cairn bt 1
end
END
session 280 || {
	tail "$tmp/out"
	fail 'GDB ended badly'
}
most=$(sort -n "$tmp/fault.calls" | tail -n 1)
good=$(grep -c '^next:#0  *0x[0-9a-f]* in stop_here' "$tmp/out" || :)
[ "$good" = $reads ] || {
	grep -v '^#\|^ \|^0x' "$tmp/out" | sort | uniq -c | sort -rn | head -n 20
	fail "after a failed read $good of $reads commands work"
}
[ "$most" -gt 3 ] && [ "$most" -lt $reads ] || fail "$most reads in a command: not all were refused"
if grep -q 'internal-error\|no answer' "$tmp/out"; then fail 'a command had no answer'; fi

cat >"$tmp/script" <<END
source $CAIRN_GDB
break stop_here
run deep
END
# enough of them to last longer than it takes until the signal comes
set --
for _ in 1 2 3 4 5 6 7 8; do
	set -- "$@" -ex 'cairn bt 20000'
done
timeout -s INT -k 200 4 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' \
	-iex 'set auto-load no' -x "$tmp/script" "$@" \
	-ex 'echo alive\n' -ex 'cairn bt 2' \
	-ex 'bt 1' "$tmp/no/sample" </dev/null >"$tmp/long" 2>&1 || :
grep -q '^Quit' "$tmp/long" || fail 'the long command was not interrupted'
sed -n '/^alive/,$p' "$tmp/long" >"$tmp/out"
grep -q '^#1  *0x[0-9a-f]* in recurse' "$tmp/out" || {
	cat "$tmp/out"
	fail 'the command after Ctrl-C'
}

# While a file that needs converting is read Ctrl-C is answered, though nothing in it comes to be
# loaded: a large one takes reads of the target that a small one does not, and the command ends there.
records() { # COUNT
	case $kind in
	breakpad) awk -v n="$1" 'BEGIN { print "MODULE Linux x86_64 0011 long"
		while (n-- > 0) print "FILE " n " /long.c" }' ;;
	symbfile) "$SHARED_SYMBFILE" pads "$1" ;;
	esac
}
# ask READ COMMAND: how many reads the longest question of the command takes, with Ctrl-C in one; 0: none
ask() {
	echo "0 $1" >"$tmp/fault"
	: >"$tmp/fault.calls"
	within 200 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex 'set width 0' -ex 'set exec-wrapper env -i' -ex 'break stop_here' -ex 'run recurse' \
		-ex "source $tmp/around.gdb" -ex "$2" \
		-ex 'echo next:' -ex 'cairn bt 1' "$tmp/no/sample" </dev/null >"$tmp/out" 2>&1 || :
	grep -q '^next:#0  *0x[0-9a-f]* in stop_here' "$tmp/out" || {
		tail "$tmp/out"
		fail "$2: the next command"
	}
	sort -n "$tmp/fault.calls" | tail -n 1
}
# judge_interrupt COMMAND: of $tmp/few and $tmp/many
judge_interrupt() {
	small=$(ask 0 "$1 $tmp/few")
	large=$(ask 0 "$1 $tmp/many")
	[ "$large" -ge $((small + 3)) ] || fail "$1: $small reads of a small file, $large of a large"
	left=$(ask $((small + 2)) "$1 $tmp/many")
	grep -q '^Quit' "$tmp/out" && [ "$left" -lt "$large" ] || {
		cat "$tmp/out"
		fail "$1: Ctrl-C is not answered while the file is read"
	}
	rm -f "$tmp/many"
}
for kind in breakpad symbfile; do
	case $kind in
	breakpad) few=10 many=100000 ;;
	symbfile) few=10000 many=20000000 ;;
	esac
	records $few >"$tmp/few"
	records $many >"$tmp/many"
	judge_interrupt "cairn add-$kind -module sample -force"
done
# nothing can be read there, and in a read that fails GDB does not look for Ctrl-C
for count in 10 20000; do
	[ $count = 10 ] && text=$tmp/few || text=$tmp/many
	awk -v n=$count 'BEGIN { while (n-- > 0) print "{{{pc:0x1000}}}" }' >"$text"
done
judge_interrupt 'cairn markup -file'
echo "$most reads refused one by one, Ctrl-C survived"
