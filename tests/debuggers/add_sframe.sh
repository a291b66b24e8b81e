#!/bin/sh
# SPDX-License-Identifier: MIT
# A program without call frame information, whose table is in a file that only the user names (cairn add-sframe): GDB's bt
# equals that of the complete program, also in the next run; a file that is none, or of another build, is refused or waits.
# Arguments: compiler flags.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" "$CC_TARGET" objcopy

build sample.c sample -g -DSIDE_FILE "$@"
mv "$tmp/no/sample.sframe" "$tmp/named.sframe"
echo text >"$tmp/text"
echo 'int main(void) { return 0; }' >"$tmp/other.c"
"$CC_TARGET" -Wl,--build-id=sha1 "$tmp/other.c" -o "$tmp/other" && "$CAIRN" sframe create --quiet "$tmp/other"

cat >"$tmp/before" <<'END'
set print frame-arguments scalars
break stop_here
run recurse
END
cat >"$tmp/after" <<'END'
bt
run inline
bt
END
{
	cat "$tmp/before"
	printf 'cairn add-sframe %s\n' "$tmp/named.sframe"
	cat "$tmp/after"
} >"$tmp/script.no"
cat "$tmp/before" "$tmp/after" >"$tmp/script.eh"
debug without "$tmp/eh/sample" -x "$tmp/script.eh" | settle >"$tmp/add.eh"
debug without "$tmp/no/sample" -ex "source $CAIRN_GDB" -x "$tmp/script.no" | grep -v 'named.sframe: ' | settle >"$tmp/add.no"
compare add 10

i=0
while [ $i -lt 66 ]; do
	cp "$tmp/other.sframe" "$tmp/other$i.sframe"
	i=$((i + 1))
done
# what the command says
{
	cat "$tmp/before"
	printf 'cairn add-sframe %s\n' "$tmp/none" "$tmp/text" "$tmp/other.sframe" "$tmp/named.sframe"
	printf 'cairn add-sframe %s\n' "$tmp"/other[0-9]*.sframe
} >"$tmp/script"
debug without "$tmp/no/sample" -ex "source $CAIRN_GDB" -x "$tmp/script" >"$tmp/said" 2>&1
for words in 'sframe: too many SFrame files' 'none: cannot be read; expected a file created by "cairn sframe create"' 'text: not an ELF file' 'other.sframe: for a module that is not loaded yet' \
	'named.sframe: frames of 1 module'; do
	grep -q "$words" "$tmp/said" || fail "not said: $words; $(grep sframe "$tmp/said" | head -4)"
done
echo "$(grep -c '^#' "$tmp/add.eh") frames equal"
