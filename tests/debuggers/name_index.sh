#!/bin/sh
# SPDX-License-Identifier: MIT
# The index of names in a symbol object: it has each name, scope, unit and address of the one that GDB itself makes of the same
# object (`save gdb-index`), and no other; and with it GDB finds functions by all forms of their names as it does without.
. "$(dirname "$0")/lib.sh"
: "${CAIRN:?path of cairn}" "${CXX:=c++}"
need "$GDB" "$CXX" objcopy readelf awk nm c++filt

# list_index OBJECT: a line for each unit and address, and for each name with each unit that has it
list_index() {
	readelf --debug-dump=gdb_index "$1" | awk '
		/^Symbol table/ { names = 1 }
		names && sub(/^\[[^]]*\] /, "") { name = $0; if (/:$/) next }
		names && /^\t/ { $0 = name $0 }
		{ print }' | sed 's/:[ \t]*\([0-9]* \[\)/: \1/' | sort
}

# compare_index NAME SYMBOLS FOR: the object of the symbols, with our index and with GDB's
compare_index() {
	"$CAIRN" symbols write --quiet "$2" --for "$3" -o "$tmp/$1.ours" || fail "no object of $1"
	objcopy --remove-section .gdb_index "$tmp/$1.ours" "$tmp/$1.none"
	debug without "$tmp/$1.none" -ex "save gdb-index $tmp" >"$tmp/said"
	[ -s "$tmp/$1.none.gdb-index" ] || fail "GDB makes no index of $1: $(cat "$tmp/said")"
	objcopy --add-section ".gdb_index=$tmp/$1.none.gdb-index" "$tmp/$1.none" "$tmp/$1.gdb"
	list_index "$tmp/$1.gdb" >"$tmp/$1.want"
	grep -q '^Version 8$' "$tmp/$1.want" || skip "this GDB writes another version of the index"
	list_index "$tmp/$1.ours" >"$tmp/$1.have"
	cmp -s "$tmp/$1.want" "$tmp/$1.have" ||
		fail "the index of $1: $(diff "$tmp/$1.want" "$tmp/$1.have" | sed -n '1,8p')"
	echo "$1: $(grep -c ', function\]$\|, type\]$' "$tmp/$1.have") names"
	[ "$(grep -c ', function\]$' "$tmp/$1.have")" -ge "$4" ] || fail "too few names of $1"
}

# compare_program NAME LEAST: symbols with statements and without
compare_program() {
	"$CAIRN" gsym create --quiet --statements "$tmp/eh/$1" -o "$tmp/$1.gsym"
	compare_index "$1" "$tmp/$1.gsym" "$tmp/eh/$1" "$2"
}

cat >"$tmp/spelled.cpp" <<'END'
namespace { struct X { int n; }; }
template <class T> __attribute__((noinline)) static int take(T t) { asm volatile("" ::"g"(&t)); return sizeof(t); }
template <class A, class B> struct two { A a; B b; __attribute__((noinline)) int both() { return take(a) + take(b); } };
template <class T, int n> __attribute__((noinline)) static int many(T t) { return take<T>(t) + n; }
struct any { template <class T> __attribute__((noinline)) any(T t) { take(t); } };
namespace far { namespace away { struct home { ~home(); int n; }; home::~home() { take(n); } } }
int main()
{
	X x = { 1 };
	const X *p = &x;
	two<const X *, two<X, long> > t = { p, { x, 1 } };
	far::away::home home = { 1 };
	any a(1ul);
	auto lambda = [&](unsigned short n) { return take(n) + take<const X &>(x); };
	return take<const X &>(x) + take(1l) + take(1ul) + many<short, 3>(1) + many<unsigned long long, 4>(1) + t.both() +
		lambda(1) + take(&main) + take<const X *const *>(&p);
}
END
"$CXX" -O1 -g -Wl,--build-id=sha1 "$tmp/spelled.cpp" -o "$tmp/eh/spelled"
for source in names members; do
	"$CXX" -O2 -g -Wl,--build-id=sha1 "$programs/$source.cpp" -o "$tmp/eh/$source"
done
"$CC_TARGET" -O2 -g -Wl,--build-id=sha1 "$programs/sample.c" -o "$tmp/eh/sample"
mkdir "$tmp/src"
awk -v functions=600 -v files=4 -v directory="$tmp/src" -f "$here/thousands.awk"
"$CXX" -O1 -g -fno-exceptions -fno-rtti -Wl,--build-id=sha1 "$tmp"/src/*.cpp -o "$tmp/eh/many"
cp "$CAIRN" "$tmp/eh/cairn"
compare_program spelled 10
compare_program names 5
compare_program members 3
compare_program sample 10
compare_program many 1000
compare_program cairn 3000
for program in traits traits-v0; do
	cp "${here%/debuggers}/fixtures/rust/$program" "$tmp/eh/$program"
	compare_program "$program" 20
done

for of in spelled many; do
	{
		nm -C "$tmp/eh/$of" | sed -n 's/^[0-9a-f]* [tTwW] //p' | sort -u | awk 'NR % 7 == 0 || NR < 60'
		nm -C "$tmp/eh/$of" | sed -n 's/^[0-9a-f]* [tTwW] //p' | sed -e 's/(.*//' -e 's/.*:://' | sort -u | awk 'NR % 7 == 1 || NR < 60'
		echo 'take<X const&>
take<const X&>
take<long>
take<long int>
many<unsigned long long, 4>
two<const X*, two<X, long> >::both
far::away::home::~home
away::home::~home
pass_3
ready_5
none_of_these'
	} | sed 's/.*/break &/' >"$tmp/asked"
	debug_each without "$tmp/$of.none" "$tmp/asked" >"$tmp/want"
	debug_each without "$tmp/$of.ours" "$tmp/asked" >"$tmp/have"
	cmp -s "$tmp/want" "$tmp/have" || fail "breakpoints of $of: $(diff "$tmp/want" "$tmp/have" | sed -n '1,8p')"
	[ "$(grep -c '^Breakpoint ' "$tmp/have")" -ge 20 ] || fail "few breakpoints: $(sed -n '1,8p' "$tmp/have")"
	echo "$of: $(grep -c '^Breakpoint ' "$tmp/have") breakpoints are the same"
done
