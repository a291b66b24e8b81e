#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn open` makes cores of what programs print, and `cairn bt` shows the frames of the logs in them.
#
#	logs.sh CAIRN COMPILER...
set -u
LC_ALL=C
export LC_ALL
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
. "$(dirname "$0")/../../lib/test.sh"
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
cd "$work" || exit 2
cat >program.c <<'END'
#include <execinfo.h>
#include <stdlib.h>
__attribute__((noinline)) int outer(int depth, int *p)
{
	void *frames[50];
	if (depth > 0)
		return outer(depth - 1, p) + 1;
	if (p)
		return p[5];
	backtrace_symbols_fd(frames, backtrace(frames, 50), 1);
	return 0;
}
int main(int argc, char **argv)
{
	(void)argv;
	return outer(2, argc > 1 ? malloc(16) : NULL) - 2;
}
END

# frames CORE: the functions of the program that its stacks are in
frames() {
	"$cairn" bt --quiet "$1" | sed -n "s/^#[0-9]* *\\(0x[0-9a-f]* in \\)\\{0,1\\}\\(outer\\|main\\) (.*/\\2/p" | tr '\n' ' '
}

# check WHAT LOG FRAMES OPTION...
check() {
	what=$1 log=$2 expected=$3
	shift 3
	"$cairn" open --quiet -o core "$@" "$log" >said 2>&1 || fail "$what: exit status $?: $(cat said)"
	[ "$(frames core)" = "$expected" ] || fail "$what: '$(frames core)' of $(cat "$log")"
	ran="$ran $what"
}
ran=

for form in '' -no-pie -fno-omit-frame-pointer -Wl,-z,noseparate-code; do
	"$@" -g -O1 $form program.c -o program && ./program >log || fail "no program"
	check "glibc$form" log 'outer outer outer main ' --exe program
done
"$@" -g -O1 program.c -o program
# the bytes of a backtrace, which names no module: --exe tells where the program was
./program >log
base=$(sed -n 's/^.*program(+0x\([0-9a-f]*\)) *\[0x\([0-9a-f]*\)\]$/0x\2 0x\1/p' log | head -n 1 | { read -r address offset && printf '0x%x' $((address - offset)); })
grep 'program(' log | head -n 4 | sed -n 's/^.*\[0x\([0-9a-f]*\)\]$/r\1/p' | "$cairn" cbf encode --to raw - >raw
check cbf raw 'outer outer outer main ' --exe "program@$base"
for base in 0x7f5500000000 0x401000; do
	: >plain
	./program >log
	n=0
	sed -n 's/^.*(+0x\([0-9a-f]*\)).*/\1/p' log | while read -r offset; do
		printf '#%d  0x%016x in ?? ()\n' $n $((base + 0x$offset)) >>plain
		n=$((n + 1))
	done
	sed -i '/libc/d' plain
	head -n 4 plain >four
	check "GDB-at-$base" four 'outer outer outer main ' --exe "program@$base"
	# logs that have names have no modules of libraries: the stack goes through such a frame
	awk -v n=0 '{ sub(/^#[0-9]*/, "#" n++); print }
		n == 2 { print "#" n++ "  0x00007e1234567890 in qsort (base=0x1) at msort.c:307" }' four >through
	"$cairn" open --quiet -o core --exe "program@$base" through >said 2>&1
	[ "$(frames core)" = 'outer outer outer main ' ] || fail "GDB-through-a-library-at-$base: '$(frames core)': $(cat said)"
	ran="$ran GDB-through-a-library-at-$base"
done
# addresses alone, outermost first as backward-cpp prints them: the program is placed by them
case $(uname -m) in
x86_64)
	{
		echo 'Stack trace (most recent call last) in thread 7:'
		echo '#9    Object "[0xffffffffffffffff]", at 0xffffffffffffffff, in '
		n=0
		sed -n 's/^.*program(.*\[\(0x[0-9a-f]*\)\]$/\1/p' log | while read -r address; do
			printf '#%d    Object "./program", at 0x%x, in \n' $n $((address - 1))
			n=$((n + 1))
		done | sort -r
	} >reversed
	check backward-cpp reversed 'outer outer outer main ' --exe program
	grep -q '/program: assuming load address 0x[0-9a-f]*000, because ' said || fail "backward-cpp: $(cat said)"
	;;
esac
# a handler of signals: of the interrupted registers the core has those that lead on
cat >handler.c <<'END'
#include <execinfo.h>
#include <signal.h>
#include <unistd.h>
static void handle(int number)
{
	void *frames[50];
	backtrace_symbols_fd(frames, backtrace(frames, 50), 1);
	_exit(number == SIGUSR1);
}
__attribute__((noinline)) int outer(void)
{
	return raise(SIGUSR1) + 1;
}
int main(void)
{
	void *frames[1];
	return signal(SIGUSR1, handle) == SIG_ERR || backtrace(frames, 1) == 0 || outer() > 1;
}
END
"$@" -g -O1 handler.c -o handler && ./handler >log
check signal log 'outer main ' --exe handler
if "$@" -g -O1 -fsanitize=address program.c -o asan 2>/dev/null; then
	for symbolize in 0 1; do
		ASAN_OPTIONS=symbolize=$symbolize:detect_leaks=0 ./asan x >log 2>&1
		grep -q '#3 0x' log || continue
		"$cairn" open --quiet -o core --exe asan log >said 2>&1
		case $(frames core) in
		'outer outer outer main '*) ran="$ran AddressSanitizer-symbolize=$symbolize" ;;
		*) fail "AddressSanitizer-symbolize=$symbolize: '$(frames core)' of $(cat said log)" ;;
		esac
	done
fi
# the same through a pipe, and of a program that only a tree of build IDs has
"$@" -g -O1 -Wl,--build-id=0xca33 program.c -o program && ./program >log
cat log | "$cairn" open --quiet -o core --exe program - >said 2>&1 || fail "from a pipe: $(cat said)"
[ "$(frames core)" = 'outer outer outer main ' ] || fail "from a pipe: '$(frames core)'"
"$cairn" bt --quiet --markup core >log || fail 'no markup'
mkdir -p tree/.build-id/ca && mv program tree/.build-id/ca/33
"$cairn" open --quiet -o core --directory tree log >said 2>&1
[ "$("$cairn" bt --quiet --directory tree core | sed -n 's/^#[0-9].* in \(outer\|main\) (.*/\1/p' | tr '\n' ' ')" = 'outer outer outer main ' ] ||
	fail "from a tree: $(cat said; "$cairn" bt --directory tree core)"

# recorded backtraces: what cairn cbf prints, and Swift's own backtracer
"$@" -g -O1 -fno-omit-frame-pointer program.c -o program && ./program | sed '/libc/d' >log
first=$(sed -n '1s/.*\[\(0x[0-9a-f]*\)\].*/\1/p' log)
offset=$(sed -n '1s/.*(+\(0x[0-9a-f]*\)).*/\1/p' log)
base=$(printf '0x%x' $((first - offset)))
sed -n 's/.*\[0x\([0-9a-f]*\)\].*/r\1/p' log | head -n 4 | "$cairn" cbf encode - >trace.hex
"$cairn" cbf decode --json trace.hex >trace.json
check CBF trace.json 'outer outer outer main ' --exe "program@$base"
{
	printf '{"threads":[{"name":"worker","crashed":true,"frames":['
	sed -n 's/.*\[\(0x[0-9a-f]*\)\].*/{"kind":"returnAddress","address":"\1"}/p' log | head -n 4 | paste -sd ,
	printf ']}],"images":[{"name":"program","path":"%s/program","baseAddress":"%s","endOfText":"0x%x"}]}\n' "$work" "$base" $((base + 65536))
} >swift.json
check Swift swift.json 'outer outer outer main '
# what Swift's JSON encoder writes, with the images and without, among other lines
{
	echo 'M 64 Linux'
	printf 'I %s 0x%x - %s/program\n' "$base" $((base + 65536)) "$work"
} >images.txt
"$cairn" cbf encode --image-map --to base64 images.txt >map.base64 || fail "no image map: $(cat images.txt)"
"$cairn" cbf decode --lines trace.hex | "$cairn" cbf encode --to base64 - >trace.base64
printf 'time 1 {"request":7,"crash":{"architecture":"x86_64","backtrace":"%s","imageMap":"%s"}}\n{"backtrace":"nothing of that"}\n' \
	"$(cat trace.base64)" "$(cat map.base64)" >codable.log
check Codable codable.log 'outer outer outer main '
printf '{"architecture":"x86_64","backtrace":"%s","imageMap":null}\n' "$(cat trace.base64)" >codable.json
check Codable-without-images codable.json 'outer outer outer main ' --exe "program@$base"
# images share their paths in the map: what all of them come to is bounded, and no module has a path beyond that
{
	echo 'M 64 Linux'
	printf 'I %s 0x%x - /%s/program\n' "$base" $((base + 65536)) "$(printf '%03800d' 0)"
} >images.txt
"$cairn" cbf encode --image-map --to base64 images.txt >map.base64
yes "$(printf '{"backtrace":"%s","imageMap":"%s"}' "$(cat trace.base64)" "$(cat map.base64)")" | head -n 4500 >paths.log
"$cairn" open -o core2 paths.log >said 2>&1
[ $? = 1 ] && grep -q 'core2: 4096 threads' said || fail "long paths: $(cut -c1-300 said)"
rm -rf core2 core2.modules
printf '#!/bin/sh\nfor word; do case $word in */script) cat "$word" ;; esac; done\n' >debugger
chmod +x debugger
"$cairn" open --quiet --debugger=./debugger swift.json 2>said | grep -q 'thread name worker' || fail "Swift: no name: $(cat said)"
echo '{"frames":[{"kind":"ra","address":"0x401000","times":1000000000000}]}' >many.json
"$cairn" open -o core2 many.json >said 2>&1
[ $? = 1 ] && grep -q ': too many frames; [0-9]* are omitted' said || fail "many: $(cat said)"
rm -f core2

# the kernel's log: functions of vmlinux, whose names occur twice are told by their sizes, and whose .debug_frame leads on
cat >kernel.c <<'END'
int zero;
static __attribute__((noinline)) int twice(int *p) { return *p + zero; }
__attribute__((noinline)) int one_thing(int *p) { int r = twice(p); zero++; return r; }
__attribute__((noinline)) int start_all(void) { int r = one_thing(&zero); zero++; return r; }
void startup(void) { start_all(); for (;;) ; }
END
echo 'int other; static __attribute__((noinline)) int twice(int n) { other += n; other *= 3; return other - n; } int more(int n) { return twice(n) + twice(n + 1); }' >other.c
if "$@" -g -O2 -mcmodel=kernel -fno-pie -no-pie -ffreestanding -nostdlib -static -fno-asynchronous-unwind-tables -fno-inline -Wl,-e,startup \
	-Wl,-Ttext-segment=0xffffffff81000000 -Wl,--build-id=sha1 kernel.c other.c -o vmlinux 2>said &&
	readelf -S vmlinux | grep -q '\.debug_frame'; then
	# the byte behind the call of each: where the next instruction begins
	behind() {
		objdump -d --no-show-raw-insn vmlinux | awk -v f="<$1>:" '$2 == f { on = 1; start = $1; next } on && called { sub(/:/, "", $1); print substr(start, 9), substr($1, 9); exit } on && /call/ { called = 1 }' |
			{ read -r from to; printf '0x%x' $((0x$to - 0x$from)); }
	}
	size() {
		printf '0x%x' "0x$(nm -S vmlinux | awk -v f="$1" '$4 == f { print $2; exit }')"
	}
	{
		echo '[   12.345678] BUG: kernel NULL pointer dereference, address: 0000000000000000'
		printf '[   12.345680] RIP: 0010:one_thing+0x0/%s\n[   12.345682] Call Trace:\n[   12.345683]  <TASK>\n' "$(size one_thing)"
		printf '[   12.345684]  ? show_regs+0x10/0x20\n'
		for name in one_thing start_all startup; do
			printf '[   12.345685]  %s+%s/%s\n' $name "$(behind $name)" "$(size $name)"
		done
		printf '[   12.345686]  in_a_module+0x10/0x40 [some_module]\n[   12.345688]  </TASK>\n'
	} >kernel.log
	"$cairn" open --quiet -o core --exe vmlinux kernel.log >said 2>&1
	[ $? = 1 ] && grep -q '1 frames have no address because the files needed to compute the addresses were not found; add the files with --exe (vmlinux for kernel frames)' said || fail "kernel: $(cat said)"
	shown=$("$cairn" bt --quiet core | sed -n 's/^#[0-9]* *\(0x[0-9a-f]* in \)\{0,1\}\([a-z_]*\) (.*/\2/p' | tr '\n' ' ')
	[ "$shown" = 'one_thing one_thing start_all startup ' ] || fail "kernel: '$shown' of $(cat kernel.log said)"
	[ "$("$cairn" bt --quiet core | grep -c '^Thread')" = 1 ] || fail "kernel: RIP is a stack of its own: $("$cairn" bt --quiet core)"
	objcopy --remove-section .debug_frame vmlinux
	"$cairn" open --quiet -o core --exe vmlinux kernel.log >said 2>&1
	grep -q '1 of 1 stacks are incomplete because call frame information is missing' said || fail "kernel without .debug_frame: $(cat said)"
	"$cairn" open --quiet -o core2 kernel.log >said 2>&1
	[ $? = 3 ] && [ ! -e core2 ] || fail "kernel without vmlinux: $(cat said)"
	grep -q 'kernel.log: no frame has an address' said || fail "kernel without vmlinux: $(cat said)"
	ran="$ran kernel"
fi

# two frames of a library whose code is not here, below the program's first function: neither is passed over
if [ "$(uname -m)" = x86_64 ]; then
	"$1" -O1 -no-pie program.c -o fixed
	{
		printf '    @     0x7f286a36dcfe lib::wait<int>(A)\n    @     0x7f286a19324a (unknown)\n    @     0x7f286a193305 __libc_start_main\n'
		printf '    @     0x%x _start\n' $(($(readelf -hW fixed | awk '/Entry point/ { print $NF }') + 0x21))
	} >log
	rm -rf core.modules
	"$cairn" open --quiet -o core --exe fixed log >said 2>&1
	[ "$("$cairn" bt --quiet core | sed -n 's/^#[0-9]* *0x0*\([0-9a-f]*\) .*/\1/p' | wc -l)" = 4 ] ||
		fail "a library without its code: $(cat log said; "$cairn" bt --quiet core)"
	[ "$(ls core.modules)" = 'code-7f286a193000
lib_wait-7f286a36d000' ] || fail "names of code in no module: $(ls core.modules)"
	printf '    @                0x0 (unknown)\n' >>log
	"$cairn" open --quiet -o core --exe fixed log >said 2>&1
	! grep -q 'stacks are incomplete' said || fail "nothing behind the first frame: $(cat log said)"
	ran="$ran no-code"
fi

echo 'nothing' >log
"$cairn" open -o core2 log >said 2>&1
[ $? = 3 ] && [ ! -e core2 ] || fail "nothing: $(cat said)"
[ $failed = 0 ] && echo "opened:$ran"
exit $failed
