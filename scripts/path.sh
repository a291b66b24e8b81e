#!/bin/sh
# SPDX-License-Identifier: MIT
# Which source files does a request run?  scripts/path.sh [--count] REQUEST
#
# Prints the files below core and plugin with executed lines, in the order in which the request comes to them first, so that a
# newcomer can read along; then how many they are, and in how many directories.  Headers are left out unless --headers is
# given: they hold inlined helpers.  --count prints the last line alone.  Requests: where, bt, markup, gsym-create, gdb (the module
# answers one frame; the order is alphabetical), or after -- the arguments of cairn.  The build is build-path, without optimization, which is made when it is missing; PATH_BUILD names another.
# Needs valgrind, a compiler, and gdb for bt's core.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
count= headers=
while :; do
	case ${1:-} in
	--count) count=yes ;;
	--headers) headers=yes ;;
	*) break ;;
	esac
	shift
done
[ $# -gt 0 ] || {
	sed -n '3,10s/^# \{0,1\}//p' "$0"
	exit 2
}
command -v valgrind >/dev/null || {
	echo 'path.sh: no valgrind'
	exit 77
}
build=${PATH_BUILD:-$top/build-path}
[ -f "$build/build.ninja" ] || meson setup "$build" "$top" --buildtype=debug >/dev/null
[ -n "${PATH_BUILD:-}" ] || ninja -C "$build" core/cli/cairn >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"
unset DEBUGINFOD_URLS

cat >"$work/program.c" <<'END'
#include <stdlib.h>
static inline __attribute__((always_inline)) int add(int a) { return a * 3 + 1; }
__attribute__((noinline)) int work(int a) { if (a > 1) abort(); return add(a); }
int main(int argc, char **argv) { (void)argv; return work(argc); }
END
cc -g -O1 -Wl,--build-id=sha1 "$work/program.c" -o "$work/program"
address=$(nm "$work/program" | sed -n 's/ T work$//p')
request=$1
shift
case $request in
where) set -- where "$work/program" "0x$address" ;;
bt)
	gdb -q -batch -nx -ex 'run x' -ex "generate-core-file $work/core" "$work/program" >/dev/null 2>&1
	set -- bt "$work/core"
	;;
markup)
	id=$(readelf -n "$work/program" | awk '/Build ID/ { print $3 }')
	printf '{{{module:1:%s:elf:%s}}}{{{mmap:0x10000:0x10000:load:1:rx:0}}}{{{pc:0x%x}}}\n' "$work/program" "$id" \
		$((0x10000 + 0x$address)) >"$work/log"
	set -- markup --directory "$work" "$work/log"
	;;
gdb)
	[ -n "${PATH_BUILD:-}" ] || ninja -C "$build" plugin/gdb/cairn-gdb.so >/dev/null
	gdb -q -batch -nx -ex 'run x' -ex "generate-core-file $work/core" "$work/program" >/dev/null 2>&1
	;;
gsym-create) set -- gsym create "$work/program" -o "$work/program.gsym" ;;
--) ;;
*)
	echo "path.sh: $request is no request"
	exit 2
	;;
esac

# First what was executed, by file and line; then the functions in the order in which their code is first run.
status=0
if [ "$request" = gdb ]; then
	set -- gdb -q -batch -nx -ex "jit-reader-load $build/plugin/gdb/cairn-gdb.so" -ex 'bt 1' "$work/program" "$work/core"
else
	set -- "$build/core/cli/cairn" --no-sandbox "$@"
fi
valgrind -q --tool=callgrind --dump-line=yes --callgrind-out-file="$work/profile" "$@" >"$work/said" 2>&1 || status=$?
[ $status -le 1 ] && [ -s "$work/profile" ] || {
	cat "$work/said"
	exit 2
}
rm -rf "$work/cache"
: >"$work/order"
[ "$request" = gdb ] || valgrind --tool=none --trace-flags=10000000 --trace-notbelow=0 "$@" 2>&1 >/dev/null |
	sed -n 's/^==* SB [0-9]* (evchecks [0-9]*) \[tid [0-9]*\] 0x[0-9a-fA-F]* \([A-Za-z_0-9]*\).*/\1/p' |
	awk '!seen[$0]++' >"$work/order"

awk -v top="$top/" -v headers="$headers" -v count="$count" '
# The name behind "fl=(7) name" is written once; later lines have its number alone.
function name_of(text, kind,   id) {
	id = text; sub(/\).*/, ")", id)
	if (text ~ /\) /) { sub(/^\([0-9]*\) /, "", text); name[kind, id] = text }
	return name[kind, id]
}
FILENAME ~ /order$/ { order[++functions] = $0; next }
/^(fl|fi|fe)=/ { file = name_of(substr($0, 4), "f"); if (/^fl=/) home = file; next }
/^fn=/ { at = name_of(substr($0, 4), "n"); sub(/\x27[0-9]+$/, "", at); if (!(at in of)) of[at] = home; next }
/^c(fi|fl)=/ { name_of(substr($0, 5), "f"); next }
/^cfn=/ { name_of(substr($0, 5), "n"); next }
/^calls=/ { getline; next }
/^[+*0-9-]/ { run[file] = 1; if (!((at, file) in has)) { has[at, file] = 1; files[at] = files[at] "\n" file } }
function tell(path) {
	if (!index(path, "core/") && !index(path, "plugin/")) return
	sub(/^.*\/\.\.\//, "", path)
	if (index(path, top) == 1) path = substr(path, length(top) + 1)
	sub(/^(\.\.\/)+/, "", path)
	if (path !~ /^(core|plugin)\// || path ~ /^core\/include\// || (path ~ /\.h$/ && !headers) || told[path]++) return
	total++
	if (!count) print path
	sub(/\/[^\/]*$/, "", path)
	if (!folder[path]++) folders++
}
END {
	for (i = 1; i <= functions; i++) {
		if (of[order[i]] in run) tell(of[order[i]])
		many = split(files[order[i]], each, "\n")
		for (k = 1; k <= many; k++) tell(each[k])
	}
	for (path in run) tell(path)
	printf "%d files in %d folders\n", total, folders
}' "$work/order" "$work/profile"
