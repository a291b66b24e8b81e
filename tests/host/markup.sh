#!/bin/sh
# SPDX-License-Identifier: MIT
# Symbolizer markup held in memory, in a live process and in a core, and in a file.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET"
commands=${MODULE%/plugin/*}/scripts/cairn.gdb

"$CC_TARGET" -g -O0 -Wl,--build-id=0xca1f00112233445566778899 "$programs/ring.c" -o "$tmp/ring"

cat >"$tmp/script" <<'END'
cairn markup -string ring
cairn markup ring 7
cairn markup ring + 2 5
p $cairn_ok
cairn markup ring
p $cairn_ok
cairn markup -string 0
p $cairn_error
cairn markup -file absent.log
cairn markup
END

# What is the same in each run.
plain() {
	sed -n '/^begin/,$p' | sed -e 's/0x[0-9a-f]*/ADDRESS/g' -e '/^#[01]  /d' -e '/^[0-9]/d'
}

session() {
	set -- "$@" -ex 'echo begin\n'
	while read -r line; do
		set -- "$@" -ex "$line"
	done <"$tmp/script"
	debug without "$tmp/ring" -ex "source $commands" "$@" | plain
}

step=$(($(grep -n '^KEEP int step' "$programs/ring.c" | cut -d: -f1) + 1))
main=$(($(grep -n '^int main' "$programs/ring.c" | cut -d: -f1) + 1))
cat >"$tmp/wanted" <<END
begin
started
    #0    ADDRESS step ring.c:$step:0 (ADDRESS+ADDRESS) counter
 at main[ring.c:$main] red
[[[bt:1:ADDRESS:ra]]]
not "\$quoted" \\n {{{
started
arted
\$1 = 1
cairn: LENGTH is missing: cairn markup EXPRESSION LENGTH, or -string
\$2 = 0
cairn: the memory there cannot be read
\$3 = "the memory there cannot be read"
cairn: cannot open absent.log: No such file or directory
cairn: EXPRESSION is missing: cairn markup EXPRESSION LENGTH
END

check() {
	sed 's/(ADDRESS+ADDRESS)/(MODULE)/; s/([^()]*ring+ADDRESS)/(MODULE)/' "$tmp/$1" >"$tmp/got"
	sed 's/(ADDRESS+ADDRESS)/(MODULE)/' "$tmp/wanted" >"$tmp/want"
	diff "$tmp/want" "$tmp/got" || fail "$1"
}

session -ex 'break stop_here' -ex run >"$tmp/live"
check live
debug without "$tmp/ring" -ex 'break stop_here' -ex run -ex "generate-core-file $tmp/core" -ex kill \
	>"$tmp/made"
[ -s "$tmp/core" ] || { cat "$tmp/made"; skip 'no core could be made'; }
session -ex "core-file $tmp/core" >"$tmp/dead"
check dead

# a long text is there whole
debug without "$tmp/ring" -ex "source $commands" -ex "core-file $tmp/core" -ex 'echo begin\n' \
	-ex 'cairn markup -string large' | sed -n '/^begin/,$p' >"$tmp/long"
lines=$(grep -c '^line at [0-9]* ' "$tmp/long")
[ "$lines" -gt 3000 ] && grep -q '^line at 0 x$' "$tmp/long" || fail "long text: $lines lines"

# a text that tells of its modules, which lay elsewhere: the build is what counts
address=$(nm "$tmp/ring" | awk '$3 == "step" { print $1 }')
cat >"$tmp/log" <<END
{{{module:0:old:elf:ca1f00112233445566778899}}}
{{{mmap:0x7e0000000000:0x10000:load:0:rx:0x0}}}
{{{bt:0:0x7e0000$(echo "$address" | sed 's/^.*\(......\)$/\1/'):pc}}}
END
case $address in
0000000000000*)
	debug without "$tmp/ring" -ex "source $commands" -ex "core-file $tmp/core" \
		-ex 'cairn markup ring 1' -ex 'cairn where step' -ex "cairn markup -file $tmp/log" |
		grep -q '#0    .* step ring.c:.* (old+0x' || fail 'a log of another process'
	;;
esac
