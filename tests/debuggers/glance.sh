#!/bin/sh
# SPDX-License-Identifier: MIT
# set cairn auto-symbols on: a stop at which nothing was loaded costs a few commands, however many
# libraries there are; one at which something was loaded, closed, given or taken away asks GDB for
# all modules.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" "$CC_TARGET" strip

cat >"$tmp/loads.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
struct r_debug *volatile list;
volatile int sink;
void __attribute__((noinline)) stop_here(void *library) { sink += library != NULL; }
int main(int argc, char **argv)
{
	void *last = NULL;
	list = &_r_debug;
	for (int i = 1; i < argc; i++) {
		last = dlopen(argv[i], RTLD_NOW);
		if (!last)
			return 1;
	}
	stop_here(last);
	for (int i = 0; i < 100; i++)
		sink += i;
	stop_here(NULL);
	if (last && dlclose(last) != 0)
		return 1;
	stop_here(NULL);
	last = dlopen(argv[argc - 1], RTLD_NOW);
	stop_here(last);
	return 0;
}
END
"$CC_TARGET" -g -O1 -Wl,--build-id=sha1 "$tmp/loads.c" -o "$tmp/loads" -ldl || skip 'the program does not compile'
mkdir "$tmp/lib"
"$CC_TARGET" -g -O1 -Wl,--build-id=sha1 -shared -fPIC -DNAME=first "$programs/plug.c" -o "$tmp/lib/last.so"
"$CAIRN" gsym create --quiet "$tmp/lib/last.so" -o "$tmp/lib/last.so.gsym" || fail 'no GSYM'
strip -s "$tmp/lib/last.so"
for i in $(seq 40); do
	echo "int number_$i(void) { return $i; }" >"$tmp/one.c"
	"$CC_TARGET" -shared -fPIC "$tmp/one.c" -o "$tmp/one$i.so"
done

# session LIBRARIES...: what GDB does at each stop, between two lines
session() {
	cat >"$tmp/script" <<END
source $CAIRN_GDB
set cairn auto-symbols on
break stop_here
run $*
set trace-commands on
echo quiet\\n
stepi
echo again\\n
stepi
echo end\\n
continue
continue
echo closed\\n
info functions ^first\$
continue
echo loaded\\n
set cairn directory $tmp/lib
echo given\\n
stepi
echo end\\n
set var list->r_map->l_next->l_next = list->r_map
stepi
print \$cairn_ok
set var list->r_map->l_next->l_next = (struct link_map *) 1
stepi
print \$cairn_ok
set var list->r_map = 0
stepi
print \$cairn_ok
echo damaged\\n
END
	within 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-iex 'set confirm off' -iex 'set width 0' -x "$tmp/script" "$tmp/loads" \
		</dev/null >"$tmp/said" 2>&1 || :
}

# part FROM TO: the commands between two marks
part() {
	sed -n "/^$1\$/,/^$2\$/p" "$tmp/said" | grep '^+'
}

# count OF: commands at a stop at which nothing happened
count() {
	part quiet again >"$tmp/quiet"
	grep -q '_cairn follow' "$tmp/quiet" || fail "$1: the hook does not run"
	if grep '_cairn gather' "$tmp/quiet"; then fail "$1: GDB is asked although nothing was loaded"; fi
	wc -l <"$tmp/quiet"
}

session "$tmp/lib/last.so"
# twice: it is closed and loaded once more
said 2 "^$tmp/lib/last.so: [0-9]* functions from "
if sed -n '/^closed$/,/^loaded$/p' "$tmp/said" | grep -v '\^first\$' | grep -w first; then fail 'the symbols of a closed library are there'; fi
few=$(count 'one library')
part loaded end | grep -q '_cairn gather' || fail 'a directory was given, and GDB is not asked'
said 1 '^damaged$'
said 3 '^\$[1-3] = 1$'
[ "$(grep -c '^+*_cairn gather$' "$tmp/said")" -ge 6 ] || fail 'a damaged list counts as nothing new'
part end closed | grep -q '_cairn gather' || fail 'a library was closed, and GDB is not asked'
part closed loaded | grep -q '_cairn gather' || fail 'a library was loaded, and GDB is not asked'

# shellcheck disable=SC2046 # names without blanks
session $(seq -f "$tmp/one%g.so" 40) "$tmp/lib/last.so"
said 2 "^$tmp/lib/last.so: [0-9]* functions from "
many=$(count '41 libraries')
[ "$few" -le 32 ] && [ "$many" = "$few" ] || {
	cat "$tmp/quiet"
	fail "$few commands at a stop with one library, $many with 41"
}
echo "a stop at which nothing was loaded takes $few commands"

# A static program has no list and loads nothing: a quiet stop costs no more.
cat >"$tmp/static.c" <<'END'
volatile int sink;
void __attribute__((noinline)) stop_here(void) { sink++; }
int main(void)
{
	stop_here();
	return sink == 0;
}
END
"$CC_TARGET" -static -g -O1 -Wl,--build-id=sha1 "$tmp/static.c" -o "$tmp/static" || skip 'nothing can be linked statically'
cat >"$tmp/script" <<END
source $CAIRN_GDB
set cairn auto-symbols on
break stop_here
run
set trace-commands on
echo quiet\\n
stepi
echo again\\n
END
within 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -iex 'set width 0' \
	-x "$tmp/script" "$tmp/static" </dev/null >"$tmp/said" 2>&1 || :
alone=$(count 'a static program')
[ "$alone" = "$few" ] || fail "$alone commands at a stop of a static program"
echo "and in a static program $alone"
