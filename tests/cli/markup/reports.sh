#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does `cairn markup --reports` name the frames that real programs print as addr2line does, and keep the rest of the log?
#
#	reports.sh CAIRN COMPILER...
set -u
LC_ALL=C
export LC_ALL
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
. "$(dirname "$0")/../../lib/test.sh"
unset DEBUGINFOD_URLS
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
cd "$work" || exit 2
for tool in addr2line nm readelf; do
	command -v $tool >/dev/null || skip "no $tool"
done

# Frames of a log on standard input that were named: a module, an offset and the names on each line.
frames() {
	awk '/ = / && match($0, /[^ ()]+\(?\+0x[0-9a-f]+/) {
		place = substr($0, RSTART, RLENGTH)
		sub(/\(?\+0x/, " ", place)
		print place, substr($0, index($0, " = ") + 3)
	}'
}

# expect FILE VA: what addr2line says, in the words of cairn, without columns
expect() {
	addr2line -fie "$1" "$2" | sed 's/ (discriminator [0-9]*)//' | awk '
		NR % 2 { name = $0; next }
		NR > 2 { printf ", inlined in " }
		{ printf "%s %s", name, $0 }
		END { print "" }'
}

# same_log LOG NAMED: each line of NAMED is that of LOG with something from " = " on put in
same_log() {
	awk 'NR == FNR { log_line[NR] = $0; lines = NR; next }
		$0 != log_line[FNR] {
			before = index($0, " = ") - 1
			after = substr(log_line[FNR], before + 1)
			if (before < 0 || substr($0, 1, before) != substr(log_line[FNR], 1, before) ||
				substr($0, length($0) - length(after) + 1) != after) {
				print "not kept: " log_line[FNR]
				bad = 1
			}
		}
		END { exit bad || FNR != lines }' "$1" "$2"
}

# check WHAT LOG LEAST BACK OPTION...: at least LEAST frames of the log that have an offset are named as they should be, and the log is kept.
# BACK is 1 if offsets are those after the call.
check() {
	what=$1 log=$2 least=$3 back=$4
	shift 4
	"$cairn" markup --reports --debug-file-directory="$work/none" "$@" "$log" >out 2>err ||
		fail "$what: exit status $?"
	same_log "$log" out || fail "$what: the log is not kept"
	count=0
	frames <out >named
	while read -r file offset names; do
		case $file in
		*.so*) continue ;;
		esac
		count=$((count + 1))
		said=$(echo "$names" | sed 's/\(:[0-9]*\):[0-9]*/\1/g')
		is=$(expect "./$(basename "$file")" "$(printf '%x' $((0x$offset - back)))")
		case $is in
		*'?'*) continue ;; # there is no line
		esac
		[ "$said" = "$is" ] || fail "$what: $file+0x$offset is '$said', and for addr2line '$is'"
	done <named
	[ $count -ge "$least" ] || {
		fail "$what: $count frames are named, and should be $least"
		cat out err
	}
	ran="$ran $what"
}
ran=

cat >bad.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static volatile int zero;
static inline __attribute__((always_inline)) int inner(int *p) { return p[zero + 5]; }
__attribute__((noinline)) int middle(int *p)
{
	int r = inner(p);
	zero++;
	return r + 1;
}
__attribute__((noinline)) int outer(int n, int *p)
{
	int r = n > 0 ? outer(n - 1, p) : middle(p);
	zero++;
	return r + 1;
}
int main(void)
{
	int *p = malloc(16);
	printf("%d\n", outer(2, p));
	return 0;
}
END
for compiler in "$@" gcc clang; do
	name=$(basename "$compiler")
	command -v "$compiler" >/dev/null || continue
	for form in '' -no-pie; do
		"$compiler" -gdwarf-4 -O1 -fsanitize=address $form bad.c -o "bad-$name$form" 2>/dev/null || continue
		ASAN_OPTIONS=symbolize=0:detect_leaks=0 "./bad-$name$form" >log 2>&1
		grep -q '#5 0x' log || continue
		check "AddressSanitizer-$name$form" log 6 0 --exe "bad-$name$form"
	done
	printf 'int f(int a) { return a + 2147483647; }\nint main(int c, char **v) { (void)v; return f(c) > 0; }\n' >over.c
	if "$compiler" -g -fsanitize=undefined over.c -o "over-$name" 2>/dev/null; then
		UBSAN_OPTIONS=print_stacktrace=1:symbolize=0 "./over-$name" >log 2>&1
		grep -q '#1 0x' log && check "UndefinedBehaviorSanitizer-$name" log 2 0 --exe "over-$name"
	fi
	printf '#include <pthread.h>\nint x; static void *t(void *a) { x++; return a; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0);\nx++; return pthread_join(p, 0); }\n' >race.c
	if "$compiler" -g -fsanitize=thread race.c -o "race-$name" -lpthread 2>/dev/null; then
		TSAN_OPTIONS=symbolize=0 "./race-$name" >log 2>&1
		grep -q '#0 <null>' log && check "ThreadSanitizer-$name" log 3 0 --exe "race-$name"
	fi
done

cat >self.c <<'END'
#include <execinfo.h>
#include <unistd.h>
__attribute__((noinline)) int f(int n)
{
	void *a[50];
	if (n > 0)
		return f(n - 1) + 1;
	backtrace_symbols_fd(a, backtrace(a, 50), 1);
	return n;
}
int main(void)
{
	return f(2) - 2;
}
END
for form in '' -rdynamic; do
	"$1" -g -O1 $form self.c -o "self$form" && "./self$form" >log || fail "no self$form"
	[ -n "$form" ] || check backtrace_symbols log 4 1 --exe self
	[ -z "$form" ] || "$cairn" markup --reports --exe "self$form" log >out 2>err
	same_log log out || fail "backtrace_symbols$form: the log is not kept"
	[ "$(grep -c 'self.c:' out)" -ge 4 ] || fail "backtrace_symbols$form: $(cat out err)"
done
"$1" -g -O1 -no-pie self.c -o self-fixed && ./self-fixed >log || fail "no self-fixed"
check backtrace_symbols-no-pie log 0 1 --exe self-fixed
[ "$(grep -c '= f .*self.c:' out)" -ge 3 ] || fail "backtrace_symbols -no-pie: $(cat out err)"

# what the kernel would print of the program, and of itself, if it were this program
va=$(nm self | awk '$3 == "f" { print $1 }')
size=$(nm -S self | awk '$4 == "f" { print $2 }')
readelf -lW self | awk '$1 == "LOAD" && / R E / { print $2, $3 }' >code
read -r offset start <code
page=$((start & ~4095))
base=$((0x555555554000))
{
	printf 'self[7]: segfault at 0 ip %016x sp 00007ffd12345678 error 6 in self[%x+1000]\n' $((base + 0x$va)) $((base + page))
	printf 'self[7]: segfault at 0 ip %016x sp 00007ffd12345678 error 6 in self[%x,%x+1000] likely on CPU 0\n' \
		$((base + 0x$va)) $((0x$va - start + offset)) $((base + page))
	printf '[    1.0] RIP: 0010:f+0x4/0x%x\n[    1.0]  f+0x5/0x%x [self]\n' $((0x$size)) $(((0x$size + 15) & ~15))
} >log
"$cairn" markup --reports --exe self log >out 2>err
same_log log out || fail "kernel: the log is not kept"
[ "$(grep -c ' = f .*self.c:[3-9]' out)" = 4 ] || fail "kernel: $(cat out err)"

# programs that make names readable themselves, as those of Ceph do
cat >readable.c <<'END'
int inner(int n) __asm__("_ZN5outer5innerEiSt6vectorIiSaIiEE");
__attribute__((noinline)) int inner(int n)
{
	return n + 1;
}
int main(int n, char **a)
{
	(void)a;
	return inner(n) - 2;
}
END
"$1" -g -O1 readable.c -o readable || fail 'no readable'
cat >log <<'END'
 3: (outer::inner(int, std::vector<int, std::allocator<int> >)+0x1) [0x55d3f0b1d1c4]
 3: (outer::inner(int, std::vector<int, std::allocator<int>>)+0x1) [0x55d3f0b1d1c4]
 4: (outer::inner(long)+0x1) [0x55d3f0b1d1c4]
END
"$cairn" markup --reports --exe readable log >out 2>err
same_log log out || fail "readable names: the log is not kept"
[ "$(grep -c '^ 3: .* = outer::inner(.*readable.c:[2-5]' out)" = 2 ] || fail "readable names: $(cat out err)"
[ "$(grep -c ' = ' out)" = 2 ] || fail "readable names: $(cat out err)"

# addresses alone, as glog prints them, of a stripped program: --exe without a BASE is placed by them
cat >chain.c <<'END'
#include <execinfo.h>
#include <stdio.h>
static volatile int zero;
#define LINK(name, inner)                                \
	__attribute__((noinline)) static int name(int n) \
	{                                                \
		int sum = inner(n + 1);                  \
		zero++;                                  \
		return sum + zero;                       \
	}
__attribute__((noinline)) static int print(int n)
{
	void *a[50];
	int count = backtrace(a, 50);
	for (int i = 0; i < count; i++)
		printf("    @     %p  (unknown)\n", a[i]);
	return n;
}
LINK(first, print)
LINK(second, first)
LINK(third, second)
LINK(fourth, third)
int main(void)
{
	return fourth(1) < 0;
}
END
case $(uname -m) in
x86_64 | aarch64)
	"$1" -g -O1 chain.c -o chain && strip -o chain-stripped chain && ./chain-stripped >log || fail 'no chain'
	names=' print first second third fourth main'
	"$cairn" markup --reports --exe chain log >out 2>err
	same_log log out || fail 'addresses alone: the log is not kept'
	[ "$(sed -n 's/.* = \([a-z]*\) .*chain\.c:[0-9]*:[0-9]*$/\1/p' out | tr '\n' ' ')" = "${names# } " ] || fail "addresses alone: $(cat out err)"
	grep -q '^cairn: chain: assuming load address 0x[0-9a-f]*000, because \([0-9]*\) of the [0-9]* addresses of the log that fall into this file follow calls; ' err || fail "addresses alone: $(cat err)"
	cat log | "$cairn" markup --reports --exe chain >piped 2>/dev/null
	cmp -s out piped || fail "addresses alone, from a pipe: $(cat piped)"
	# two processes, one after the other, are at two places
	{
		cat log
		echo
		./chain-stripped
	} >two
	"$cairn" markup --reports --exe chain two >out 2>err
	[ "$(grep -c '= third .*chain\.c' out)" = 2 ] || fail "two processes: $(cat out err)"
	# a program that was not there is not placed
	"$cairn" markup --reports --exe self log >out 2>err
	cmp -s out log && ! grep -q 'assuming load address' err || fail "of another program: $(cat out err)"
	grep -q '^cairn: self: the log does not record the load address, and its [0-9]* addresses are ambiguous; specify the load address with --exe FILE@BASE' err ||
		fail "of another program: $(cat err)"
	"$cairn" where --no-cache --lines chain <log >out 2>err
	[ "$(sed -n 's/^0x[0-9a-f]* ok - \([a-z]*\) .*chain\.c:.*/\1/p' out | tr '\n' ' ')" = "${names# } " ] || fail "where: $(cat out err)"
	grep -q '^cairn: chain: assuming load address 0x[0-9a-f]*000, because [0-9]* of the [0-9]* addresses that fall into this file follow calls; these are looked up as return addresses' err || fail "where: $(cat err)"
	"$cairn" where --no-cache chain $(sed -n 's/.*\(0x[0-9a-f]*\) .*/\1/p' log) >out 2>err
	grep -q ': third+.*chain\.c' out || fail "where, addresses: $(cat out err)"
	ran="$ran addresses-alone"
	;;
esac

# a file at the path that the log has: it is used, and said so; not if it is another build
"$1" -g -O1 self.c -o here && "$work/here" >log || fail 'no here'
"$cairn" markup --reports log >out 2>err
same_log log out || fail 'at its path: the log is not kept'
[ "$(grep -c '= f .*self\.c:' out)" = 3 ] || fail "at its path: $(cat out err)"
grep -q "module '$work/here' (no build ID): used without verification because the log does not record its build ID" err || fail "at its path: $(cat err)"
"$1" -g -O1 chain.c -o here
"$cairn" markup --reports log >out 2>err
grep -q 'chain\.c' out && fail "another build at its path: $(cat out)"
grep -q "module '$work/here' (no build ID): the existing file has no call at the address of a caller: it is from another build" err || fail "another build at its path: $(cat err)"
# without --reports it is mentioned, once; a log without frames says nothing
"$cairn" markup log >out 2>err
cmp -s out log && [ "$(cat err)" = 'cairn: log: contains frames without markup; use --reports to symbolize them' ] || fail "no --reports: $(cat err)"
echo 'nothing at 0x1234 here' | "$cairn" markup >out 2>err
[ -s err ] && fail "no frames: $(cat err)"

if command -v rustc >/dev/null; then
	cat >r.rs <<'END'
#[inline(never)] fn f(a: Option<u32>) -> u32 { a.unwrap() }
fn main() { println!("{}", f(std::env::args().nth(5).map(|_| 1))); }
END
	if rustc -g -O r.rs -o rust 2>/dev/null && strip -o rust-stripped rust; then
		RUST_BACKTRACE=full setarch -R ./rust-stripped >log 2>&1
		"$cairn" markup --reports --exe rust@0x555555554000 log >out 2>err
		grep -q ' = .*unwrap.*, inlined in r::f.* .*r.rs:1' out || fail "rust: $(cat out err)"
		same_log log out || fail "rust: the log is not kept"
		"$cairn" markup --reports --exe rust log >placed 2>err
		cmp -s out placed || fail "rust without a base: $(cat placed err)"
		ran="$ran rust"
	fi
fi
if command -v go >/dev/null; then
	printf 'package main\n//go:noinline\nfunc f(p *int) int { return *p }\nfunc main() { println(f(nil)) }\n' >g.go
	if GOCACHE=$work/gocache go build -o go-program g.go 2>/dev/null; then
		GOTRACEBACK=system ./go-program >log 2>&1
		"$cairn" markup --reports --exe go-program log | cmp -s - log || fail "go: its frames have lines, and stay"
		ran="$ran go"
	fi
fi

# a line comes out when it is complete, in a pipe too
mkfifo slow
"$cairn" markup --reports --exe self slow >out 2>err &
exec 3>slow
sed -n 3p log >/dev/null
printf ' f+0x5/0x%x [self]\n' $((0x$size)) >&3
for turn in 1 2 3 4 5 6 7 8 9 10; do
	[ -s out ] && break
	sleep 0.2
done
grep -q ' = f .*self.c' out || fail "after $turn turns the pipe gave: $(cat out err)"
exec 3>&-
wait
[ $failed = 0 ] && echo "named as by addr2line:$ran"
exit $failed
