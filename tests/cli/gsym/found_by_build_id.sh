#!/bin/sh
# SPDX-License-Identifier: MIT
# A GSYM file is found by its build ID whatever it is called, and what looking for it costs: found_by_build_id.sh CAIRN CC...
# Beside a stripped program and in --directory; only after the names that cairn/symbol_file.h promises; each directory read once
# a run, and at most 64 files of it opened.
set -u
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
. "$(dirname "$0")/../../lib/test.sh"
cd "$work" || exit 2
export XDG_CACHE_HOME="$work/cache"
for tool in strip gdb; do
	command -v $tool >/dev/null || skip "no $tool on this machine"
done

cat >crash.c <<'C'
__attribute__((noinline, noclone)) int first(int n) { return n + *(volatile int *)0; }
C
cat >other.c <<'C'
int first(int);
__attribute__((noinline, noclone)) int second(int n) { return first(n) + 1; }
C
cat >main.c <<'C'
int second(int);
int main(int argc, char **argv) { return argv ? second(argc) : 0; }
C
mkdir bin
for name in first:crash.c second:other.c; do
	"$@" -g -O1 -fPIC -shared -Wl,--build-id=sha1 "${name#*:}" -o "bin/lib${name%%:*}.so.1" || skip 'no library can be linked'
done
"$@" -g -O1 -Wl,--build-id=sha1 main.c bin/libsecond.so.1 bin/libfirst.so.1 -Wl,-rpath,"$work/bin" -o bin/srv || skip 'no program can be linked'
gdb -nx -batch -ex run -ex "generate-core-file $work/core" bin/srv </dev/null >log 2>&1
[ -s core ] || skip "no core can be made: $(tail -n 1 log)"

# what `gsym create` says of where each of them will be found
says() {
	"$cairn" gsym create bin/srv -o "$1" | grep -q "^  found: $2\$" || fail "gsym create -o $1: does not say '$2'"
}
mkdir store
says bin/srv.debug.gsym 'by its build ID, in the directory of the program'
says store/any.gsym 'by its build ID, with --directory store'
says srv.gsym 'by its build ID, with --directory [.]'
says bin/symbols 'by its build ID, in the directory of the program, if it is among the first 64 files there'
rm -r store srv.gsym bin/symbols
"$cairn" gsym create --quiet bin/libfirst.so.1 -o bin/names-of-first # whose name ends otherwise
"$cairn" gsym create --quiet bin/libsecond.so.1 -o bin/0.gsym
strip bin/srv bin/lib*.so.1

# named WHAT: the stack of the core has all three functions with their lines
named() {
	"$cairn" bt core ${directory:+--directory "$directory"} >said 2>&1
	for place in 'first (...) at .*/crash.c:1' 'second (...) at .*/other.c:2' 'main (...) at .*/main.c:2'; do
		grep -q "^#[0-2] .*$place\$" said || fail "$1: no '$place': $(grep '^#' said)"
	done
}
directory=
named 'beside the program'
"$cairn" where bin/srv main >said 2>&1 || fail "where: $(cat said)"
grep -q ': main at .*/main.c:2$' said || fail "where: $(cat said)"
"$cairn" gsym lookup bin/srv main | grep -q ': main at .*/main.c:2$' || fail 'gsym lookup'
[ ! -e cache/cairn ] || fail "the cache was used: $(ls cache/cairn)"

# another build is not believed, nor a file that only begins like GSYM
"$cairn" gsym dump bin/0.gsym >/dev/null || fail 'a file is damaged'
mkdir store
mv bin/*.gsym store
printf 'GSYM' >bin/aa.gsym
head -c 100 store/0.gsym >bin/bb.gsym
mkdir bin/folder.gsym
mkfifo bin/cc.gsym
"$cairn" where bin/srv main >said 2>&1 && fail "where: found where there is none: $(cat said)"
directory=store
named 'in --directory'
directory=/nonexistent:store
named 'in the second of --directory'
"$cairn" where --directory store bin/srv main >said 2>&1 || fail "where --directory: $(cat said)"
rm -r bin/*.gsym
mv store/* bin
directory=

# the cost
command -v strace >/dev/null || {
	echo 'what it costs is not counted: no strace on this machine'
	exit $failed
}
i=0
while [ $i -lt 200 ]; do
	printf 'GSYM of nothing' >"bin/zz$i.gsym"
	i=$((i + 1))
done
# counted ARGUMENTS...: the calls that open something in `calls`
counted() {
	strace -f -qq -e trace=open,openat -o calls "$cairn" "$@" >said 2>&1 </dev/null
	[ -s calls ] || {
		echo 'what it costs is not counted: strace may not trace here'
		exit $failed
	}
	reads=$(grep -c 'bin/*", [^)]*O_DIRECTORY' calls)
	opened=$(grep -o '/bin/[a-z0-9.-]*", [^)]*O_PATH[^)]*) = [0-9]' calls | grep -v 'srv"\|so.1"' | sort -u | grep -c .)
}
counted bt "$work/core"
grep -q ' main (...) at .*main.c' said || fail "not found among many: $(cat said)"
[ "$reads" = 1 ] || fail "bt: the folder of three modules was read $reads times"
[ "$opened" -gt 60 ] && [ "$opened" -le 64 ] || fail "bt: $opened files of it were opened"
counted where "$work/bin/srv" main
[ "$reads" = 1 ] || fail "where: the folder was read $reads times"
[ "$opened" -le 64 ] || fail "where: $opened files of it were opened"
# the promised names go first: then no directory is read at all
mv bin/srv.debug.gsym bin/srv.gsym
counted where "$work/bin/srv" main
[ "$reads" = 0 ] || fail "where: the folder was read although srv.gsym is there"
cp bin/srv.gsym "bin/aaa.gsym"
counted where "$work/bin/srv" main
! grep -q 'aaa[.]gsym\|names-of-first' calls || fail 'another name was opened before the promised one'
exit $failed
