#!/bin/sh
# SPDX-License-Identifier: MIT
# Names of inlined calls in anonymous namespaces, and of inlined constructors and destructors: GDB
# shows the same with symbols from GSYM and from a symbfile as with the complete build, and the
# command line has none of them mangled.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}" "${CXX:=c++}"
need "$GDB" "$CXX" objcopy nm

"$CXX" -O2 -g -fno-exceptions -Wl,--build-id=sha1 "$programs/names.cpp" -o "$tmp/eh/names"
objcopy -S "$tmp/eh/names" "$tmp/no/names"
"$CAIRN" gsym create --quiet --statements "$tmp/eh/names" -o "$tmp/names.gsym"
"$CAIRN" symbfile create --quiet --only ranges "$tmp/eh/names" -o "$tmp/names"

# stacks PROGRAM COMMAND...: at each stop, without the values of arguments
stacks() {
	program=$1
	shift
	set -- "$@" -ex 'break stop_here' -ex run
	for _ in 1 2 3 4 5 6 7 8; do
		set -- "$@" -ex bt -ex continue
	done
	debug without "$program" "$@" | grep '^#[1-9]' |
		sed -e 's/ ([a-z][^)]*) at/ at/' -e 's/ () at/ at/' -e 's|at .*/|at |' -e 's/0x[0-9a-f]* in //'
}
stacks "$tmp/eh/names" >"$tmp/stacks.eh"
for name in '(anonymous namespace)::poke' 'a::(anonymous namespace)::Hidden::poke' 'a::Shown::Shown' \
	'a::Shown::~Shown'; do
	grep -qF "#1  $name at" "$tmp/stacks.eh" || skip "this compiler does not inline $name"
done
stacks "$tmp/no/names" -ex "source $CAIRN_GDB" -ex starti -ex "cairn add-gsym $tmp/names.gsym" >"$tmp/stacks.no"
compare stacks 16
stacks "$tmp/no/names" -ex "source $CAIRN_GDB" -ex starti \
	-ex "cairn add-symbfile -module names $tmp/names.ranges" >"$tmp/stacks.no"
compare stacks 16

# A call that is inlined into a function from within it, as those of lambdas are, has the function with its parameters
# in its name: GDB 13 never found the end of a namespace of that name.
cat >"$tmp/within.cpp" <<'END'
extern "C" __attribute__((noinline)) long sink(long n) { asm volatile("" : "+r"(n)); return n; }
struct walker {
	long step;
	__attribute__((noinline)) long go(long n) const
	{
		auto walk = [this](long m) __attribute__((always_inline)) { return sink(m + step) * 2; };
		return walk(n) + walk(n + 1);
	}
};
int main() { return walker{ 3 }.go(2) == 0; }
END
"$CXX" -O2 -g -Wl,--build-id=sha1 "$tmp/within.cpp" -o "$tmp/eh/within"
objcopy -S "$tmp/eh/within" "$tmp/no/within"
"$CAIRN" symbfile create --quiet --only ranges "$tmp/eh/within" -o "$tmp/within"
LIMIT=60 debug without "$tmp/no/within" -ex "source $CAIRN_GDB" -ex starti \
	-ex "cairn add-symbfile -module within $tmp/within.ranges" -ex 'break walker::go' -ex 'list walker::go' -ex continue \
	-ex 'break sink' -ex continue -ex bt >"$tmp/said" || fail "a function with a lambda: $(cat "$tmp/said")"
said 1 '^Breakpoint 1, .*walker::go () at .*within.cpp:[45]$'
said 1 '^#1 .*walker::go::{lambda(long)#1}::operator() (.*) at .*within.cpp:6$'

# A method that is inlined into functions of other units than its own copy has its places by its qualified name, too, and so
# has what was inlined everywhere.
{
	cat <<'END'
extern "C" __attribute__((noinline)) double sink(double n) { asm volatile("" : "+m"(n)); return n; }
namespace n {
template <class T> struct box {
	T held;
	T get() const { return sink(held) + 1; }
};
struct histogram {
	double sum;
	double mean() const;
	histogram(double by) : sum(sink(by)) {}
	~histogram() { sink(sum); }
	double operator()(double by) const { return sink(by) + sum; }
};
double histogram::mean() const { sink(sum); return sum / 2; }
}
END
	i=0
	while [ $((i += 1)) -le 20 ]; do
		echo "extern \"C\" __attribute__((noinline)) double f$i(double by)"
		echo "{ n::histogram h(by); n::box<int> b{ $i }; return sink(h.mean() + h(by)) + sink(b.get()); }"
	done
	echo 'int main() { double all = 0;'
	seq -f 'all += f%g(all);' 1 20
	echo 'return all == 1; }'
} >"$tmp/copies.cpp"
"$CXX" -O2 -g -fno-exceptions -Wl,--build-id=sha1 "$tmp/copies.cpp" -o "$tmp/eh/copies"
objcopy -S "$tmp/eh/copies" "$tmp/no/copies"
"$CAIRN" gsym create --quiet --statements "$tmp/eh/copies" -o "$tmp/copies.gsym"
names='n::histogram::mean histogram::mean mean n::box<int>::get n::box::get get n::histogram::histogram
n::histogram::~histogram n::histogram::operator()'
set --
for name in $names; do
	set -- "$@" -ex "break $name"
done
debug without "$tmp/eh/copies" "$@" | sed -n 's/^Breakpoint .* at 0x[0-9a-f]*: //p' >"$tmp/copies.eh"
debug without "$tmp/no/copies" -ex "source $CAIRN_GDB" -ex "cairn add-gsym $tmp/copies.gsym" "$@" |
	sed -n 's/^Breakpoint .* at 0x[0-9a-f]*: //p' >"$tmp/copies.no"
[ "$(grep -c locations "$tmp/copies.eh")" -eq 9 ] || fail "places in the complete build: $(cat "$tmp/copies.eh")"
compare copies 9

# GDB does not read the linkage names of Rust, neither the older nor the newer ones: functions are found by their paths.
cat >"$tmp/rust.c" <<'END'
#define RUST(name, linkage) __attribute__((noinline, noipa)) int name(int n) __asm__(linkage)
RUST(heavy, "_ZN1r5heavy17h9518a6f9b5e68f32E");
RUST(light, "_RNvC1r5light");
RUST(generic, "_RINvC1r3genmE");
RUST(method, "_RNvMC1rNtC1r1S2go");
int heavy(int n) { return n + 1; }
int light(int n) { return heavy(n) * 2; }
int generic(int n) { return light(n) - 1; }
int method(int n) { return generic(n) + 3; }
int main(void) { return method(0) == 0; }
END
"$CC_TARGET" -O2 -g -Wl,--build-id=sha1 "$tmp/rust.c" -o "$tmp/eh/rust"
objcopy -S "$tmp/eh/rust" "$tmp/no/rust"
"$CAIRN" gsym create --quiet --statements "$tmp/eh/rust" -o "$tmp/rust.gsym"
debug without "$tmp/no/rust" -ex "source $CAIRN_GDB" -ex starti -ex "cairn add-gsym $tmp/rust.gsym" -ex 'break r::light' \
	-ex 'break r::heavy' -ex continue -ex continue -ex bt >"$tmp/said" || fail "names of Rust: $(cat "$tmp/said")"
said 1 '^Breakpoint 1, .*r::light () at .*rust.c:7$'
said 1 '^#0 .*r::heavy () at .*rust.c:6$'
said 1 '^#1 .* in r::light () at .*rust.c:7$'
said 1 '^#2 .* in r::gen<u32> () at .*rust.c:8$'
said 1 '^#3 .* in <r::S>::go () at .*rust.c:9$'

# On the command line: names as the symbfile has them, and those in a log.
# Names without a linkage name have no arguments.
"$CAIRN" symbfile dump "$tmp/names.ranges" | sed 's/([a-z]*) called/ called/' >"$tmp/said"
while read -r name; do
	grep -qF "depth 1 $name called" "$tmp/said" || fail "no $name in a symbfile: $(cat "$tmp/said")"
done <<'END'
(anonymous namespace)::poke
a::(anonymous namespace)::Hidden::poke
a::Shown::Shown
a::Shown::~Shown
END
said 0 '_Z'
id=$("$CAIRN" gsym dump "$tmp/names.gsym" | sed -n 's/^ *UUID *= *//p')
{
	echo "{{{module:0:names:elf:$id}}}"
	echo '{{{mmap:0x700000000000:0x100000:load:0:rx:0x0}}}'
	sed -n 's/^0x\([0-9a-f]*\) .*depth 1 .*/\1/p' "$tmp/said" | while read -r at; do
		printf '{{{pc:0x%x:pc}}}\n{{{bt:0:0x%x:pc}}}\n' $((0x700000000000 + 0x$at)) $((0x700000000000 + 0x$at))
	done
} >"$tmp/log"
"$CAIRN" markup --exe="$tmp/eh/names" "$tmp/log" >"$tmp/said" 2>&1
grep -q 'a::Shown::Shown(int)' "$tmp/said" || fail "a constructor in a log: $(cat "$tmp/said")"
grep -q 'a::Shown::~Shown()' "$tmp/said" || fail "a destructor in a log: $(cat "$tmp/said")"
said 0 '_Z'
echo 'names of C++ and Rust are the same'
