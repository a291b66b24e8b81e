#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does `cairn markup --compat=llvm` write what llvm-symbolizer writes, whatever the log?
#
#	beside_llvm.sh CAIRN [LINES [SEED]]
#
# (One thing is left out, a module ID of 2^64 - 1, at which llvm-symbolizer dies.)
#
# Some readable names only LLVM's own demanglers write; docs/symbols.md lists which.  Those that the log
# has are in spell() below.
#
# The log is made of pieces that come together by chance, always the same ones for a seed: elements,
# good ones and bad ones, braces, colours, text, line ends of both kinds.  The modules are those of
# fixtures/markup and, where it is, of the shared conformance data.
set -u
LC_ALL=C
export LC_ALL
unset DEBUGINFOD_URLS
cairn=$1
lines=${2:-3000}
seed=${3:-1}
peer=llvm-symbolizer-19
tests=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
command -v $peer >/dev/null || { echo "skipped: no $peer"; exit 77; }
. "$(dirname "$0")/../../lib/test.sh"

directories="--debug-file-directory=$tests/fixtures/markup/debug"
ids="ca1f0123456789ab ca1f0123456789ff"
shared=$tests/../../shared/conformance/markup/debug
if [ -d "$shared" ]; then
	directories="$directories --debug-file-directory=$shared"
	ids="$ids $(cd "$shared/.build-id" && ls ./*/*.debug | sed 's/^..//; s/\///; s/\.debug$//' | tr '\n' ' ')"
fi

awk -v lines="$lines" -v seed="$seed" -v ids="$ids" '
	# the generator of Park and Miller: the same in every awk
	function below(n) { seed = (seed * 16807) % 2147483647; return seed % n }
	function one_of(list,   part, n) { n = split(list, part, "|"); return part[1 + below(n)] }
	function chance(percent) { return below(100) < percent }
	function number() { return chance(90) ? below(6) : one_of("0x1|0X2|0b11|0B1|0o3|04|079|-1||1x|0x|18446744073709551616|1e1| 1|+1") }
	function bad_address() { return one_of("0|00000000000000000000|0x|0X10|10|x|-0x1|0xg|0x1ffffffffffffffff|0xffffffffffffffff|0xfffffffffffff000|0x0x10| 0x10|") }
	# bases of eight modules, some of which overlap
	function page(n) { return sprintf("7f00000%x%x", n, below(6)) }
	function address() {
		if (chance(8)) return bad_address()
		if (chance(60)) return sprintf("0x7f00000%x1%03x", below(4), below(768))
		if (chance(40)) return sprintf("0x7f00000%x40%02x", below(4), below(64))
		return sprintf("0x%s%03x", page(below(8)), below(4096))
	}
	function size() { return chance(80) ? sprintf("0x%x", 4096 * (1 + below(3))) : one_of("0|0x1|4096|010000|0xffff|0xffffffffffffffff|18446744073709551615|zz||-1|0x100000000") }
	function mode() { return chance(80) ? one_of("r|rx|rw|rwx") : one_of("R|RWX|xr|w|x||rr|q|rwxx|Rx") }
	function id() { return chance(80) ? known[1 + below(idc)] : one_of("abc|cafe|00112233445566778899|q||CA1F0123456789AB|ca1f0123456789ab ") }
	function name() { return one_of("prog|libc.so.6|/usr/lib/x||a b|\\\"q\\\"|" sprintf("t%cb", 27) "|é|{{{|a{b") }
	function kind() { return chance(70) ? one_of(":pc|:ra|") : one_of(":|:q|:pc:sp 0x10|:ra:|::|:pc:ra|:RA|: pc|:ra:x:y:z") }
	function symbol() { return one_of(sprintf("_Z1%cv|_Z3a%cbv|", 1, 1) "foo|_ZN2ns6Widget5outerEPi|_Z3foov|_RNvC5crate4main|?f@@YAXXZ|_D8demangle4testZ|_ZZZ|_Z||__Z3foov|_Znwm|main:x|_ZN1aIXadL_Z1bvEEE1cEv|$s4main3fooyyF|_R|?|_D|.hidden|_Z3foov.cold|_ZTV3Foo|a_Z3foov") }
	function element(   r) {
		r = below(30)
		if (r > 23) return "{{{" one_of("bt:1:|pc:|data:") address() "}}}"
		if (r < 6) return "{{{bt:" number() ":" address() kind() "}}}"
		if (r < 8) return "{{{pc:" address() kind() "}}}"
		if (r < 10) return "{{{data:" address() (chance(10) ? ":x" : "") "}}}"
		if (r < 12) return "{{{symbol:" symbol() "}}}"
		if (r < 14) return "{{{" one_of("hexdict: RIP: 0x7f0000001035|dumpfile:a:b|nothing|nothing:|x:y:z|Bad:1|b-t:1||:|:x|bt|pc|data|symbol|module|mmap|reset:|bt:|bt::|pc:|data:|bt:1|module:1|module:1:a|module:1:a:elf|module:1:a:pe:ab|mmap:0x1000|mmap:0x1000:1:load|mmap:0x1000:1:anon|mmap:0x1000:1:load:0:r|bt :1:0x10|BT:1:0x10") "}}}"
		if (r < 17) return "{{{module:" number() ":" name() ":" (chance(95) ? "elf" : "pe") ":" id() (chance(5) ? ":more" : "") "}}}"
		if (r < 23) return mapping()
		return chance(20) ? "{{{reset" one_of("|:begin|:end|:|:x:y") "}}}" : "{{{bt:0:" address() ":pc}}}"
	}
	function mapping() {
		return "{{{mmap:" (chance(95) ? "0x" page(below(8)) "000" : bad_address()) ":" size() ":" (chance(97) ? "load" : "x") ":" number() ":" mode() ":" (chance(92) ? sprintf("0x%x", 4096 * below(5)) : bad_address()) (chance(4) ? ":more" : "") "}}}"
	}
	function text() { return one_of("| |\t|text|a longer text, with words|{|{{|{{{|}}}|}}|}|{{{{|}}}}|{{{x|: |:|[[[|]]]|é|" sprintf("%c", 1) "|" sprintf("%c%c", 195, 40) "|" sprintf("%c", 255)) }
	function colour() { return sprintf("%c", 27) one_of("[0m|[1m|[31m|[34m|[36m|[37m|[38m|[m|[1;31m|[0|[|]|[30|[32m|[02m|[4m") }
	# a program begins: four modules, each with five pages
	function context(   n, out) {
		out = chance(70) ? "{{{reset}}}\n" : ""
		for (n = 0; n < 4; n++) {
			out = out "{{{module:" n ":" name() ":elf:" known[1 + below(idc)] "}}}\n"
			out = out sprintf("{{{mmap:0x7f00000%x0000:0x5000:load:%d:rwx:0}}}\n", n, n)
		}
		return out
	}
	BEGIN {
		idc = split(ids, known, " ")
		for (i = 0; i < lines; i++) {
			if (chance(4)) printf "%s", context()
			line = chance(25) ? one_of("    |  |[1.0] |\t") : ""
			if (chance(25)) line = line one_of("|") element()
			else for (n = below(5); n >= 0; n--)
				line = line (chance(45) ? element() : chance(30) ? colour() : text())
			printf "%s%s", line, i == lines - 1 ? "" : chance(8) ? "\r\n" : "\n"
		}
	}' | tr '\001' '\000' >"$work/log"

# spell: the names of standard input as cairn writes them.  Of the pairs each must be needed.
spell() {
	sed -e 's/a<&b()>::c()/a<\&(b())>::c()/g' -e 's/void __cdecl f(void)/?f@@YAXXZ/g' \
		-e 's/demangle\.test/_D8demangle4testZ/g'
}

# what the golden files beside them have is llvm's, too
for log in "$tests"/fixtures/markup/*.log; do
	tr '~' '\033' <"$log" >"$work/small"
	$peer --filter-markup $directories --color=always <"$work/small" >"$work/theirs" 2>/dev/null
	"$cairn" markup --compat=llvm $directories --color=always <"$work/small" >"$work/ours" \
		2>/dev/null
	cmp -s "$work/theirs" "$work/ours" && continue
	failed=1
	echo "other than $peer: $log"
	diff -a "$work/theirs" "$work/ours" | head -10 | cat -A
done
for options in '' --color=always --basenames --functions=short --functions=none \
	'--relativenames --color=always' --no-demangle '--basenames --functions=short'; do
	$peer --filter-markup $directories $options <"$work/log" >"$work/raw" 2>/dev/null
	spell <"$work/raw" >"$work/theirs"
	"$cairn" markup --compat=llvm $directories $options <"$work/log" >"$work/ours" 2>/dev/null
	cmp -s "$work/theirs" "$work/ours" && continue
	failed=1
	echo "other than $peer, options '$options', seed $seed:"
	diff -a "$work/theirs" "$work/ours" | head -10 | cat -A
done
for theirs in 'a<&b()>::c()' 'void __cdecl f(void)' 'demangle.test'; do
	grep -aqF -e "$theirs" "$work/raw" && continue
	failed=1
	echo "$peer does not write '$theirs': spell() is not needed for it"
done
echo "$(wc -l <"$work/log") lines, $(wc -c <"$work/log") bytes, modules $ids"
exit $failed
