#!/bin/sh
# SPDX-License-Identifier: MIT
# A library whose path drives a terminal and turns its text around: cairn bt of a core, which knows the path by its
# notes or by the dynamic linker's list, and GDB with cairn show it escaped.
. "$(dirname "$0")/lib.sh"
: "${CAIRN:?path of cairn}" "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET"

odd=$tmp/odd$(printf '\033[31m\342\200\256')d
mkdir "$odd"
cd "$tmp"
echo 'void abort(void); void quit_here(void); void quit_here(void) { abort(); }' >"$odd/library.c"
echo 'void quit_here(void); int main(void) { quit_here(); return 0; }' >program.c
"$CC_TARGET" -g -O0 -fPIC -shared "$odd/library.c" -o "$odd/libodd.so"
"$CC_TARGET" -g -O0 program.c "$odd/libodd.so" -o program
within 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex run -ex 'generate-core-file noted' \
	./program </dev/null >made 2>&1 || fail 'no core'
# without the note of files, of type "FILE", paths are those of the dynamic linker's list
sed 's/ELIF/XXXX/; s/FILE/XXXX/' noted >linked
cmp -s noted linked && fail 'no note of files'

raw=$(printf '\033\|\342\200\256')
escaped='odd\x1b[31m\xe2\x80\xaed/libodd.so'

# shown FILE TEXT: with the text and nothing that drives a terminal
shown() {
	grep -qF "$2" "$1" || fail "no $2: $(cat -v "$1")"
	if grep -q "$raw" "$1"; then fail "a path drives the terminal: $(cat -v "$1")"; fi
}

"$CAIRN" bt --list-modules noted >text 2>&1 || :
shown text "$escaped"
"$CAIRN" bt linked >text 2>&1 || :
shown text "$escaped"
for core in noted linked; do
	for form in '' --list-modules --json '--list-modules --json' --folded --markup; do
		# shellcheck disable=SC2086 # words
		"$CAIRN" bt $form $core >text 2>&1 || :
		shown text ''
	done
done
"$CAIRN" bt --list-modules --json noted >text 2>&1 || :
shown text 'odd\u001b[31m\u202ed/libodd.so'

cat >script <<END
source $CAIRN_GDB
break abort
run
echo begin\\n
cairn bt -full-path
cairn bt -json -full-path
cairn modules
cairn modules -json
END
within 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -x script program </dev/null >said 2>&1 ||
	fail 'GDB'
sed -n '/^begin$/,$p' said >text
# GDB itself leaves out sequences of colours where it does not show any
shown text '\xe2\x80\xaed/library.c:1'
shown text '\u202ed/library.c'
shown text '\xe2\x80\xaed/libodd.so'
shown text '\u202ed/libodd.so'
echo 'odd names: shown as text'
