#!/bin/sh
# SPDX-License-Identifier: MIT
# Libraries as they load: symbols that are known before become the debug file of a stripped library, so that
# a pending breakpoint in it is hit although the program does not stop when it loads the library.  They are
# given, or beside the program, or in a directory of set cairn directory; what GDB prints then is what it prints of the complete
# library.  A library with lines of its own is left alone, and what cannot be prepared is told by `cairn
# status`.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" "$CC_TARGET" strip

mkdir "$tmp/run" "$tmp/complete" "$tmp/beside" "$tmp/apart" "$tmp/symbols"
"$CC_TARGET" -g -O1 "$programs/plugs.c" -o "$tmp/plugs" -ldl
strip -s "$tmp/plugs"
for name in first second; do
	"$CC_TARGET" -g -O1 -shared -fPIC -Wl,--build-id=sha1 -DNAME=$name "$programs/plug.c" \
		-o "$tmp/complete/$name.so"
	"$CAIRN" gsym create --quiet --statements "$tmp/complete/$name.so" -o "$tmp/$name.so.gsym"
	strip -s -o "$tmp/beside/$name.so" "$tmp/complete/$name.so"
	cp "$tmp/beside/$name.so" "$tmp/apart/$name.so"
done
cp "$tmp/plugs" "$tmp/beside/plugs"
mv "$tmp/first.so.gsym" "$tmp/symbols/first.so.gsym"
mv "$tmp/second.so.gsym" "$tmp/beside/second.so.gsym"

# debug_plugs DIR COMMANDS...: the program of $tmp/beside with the libraries of a directory
debug_plugs() {
	folder=$1
	shift
	for word; do
		set -- "$@" -ex "$word"
		shift
	done
	XDG_RUNTIME_DIR="$tmp/run" within 100 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' \
		-iex 'set auto-load no' -iex 'set confirm off' -iex 'set width 0' \
		-ex 'set breakpoint pending on' -ex 'handle SIGTRAP nostop noprint nopass' "$@" \
		-ex "run $folder/first.so first $folder/second.so second" -ex 'echo at the first\n' -ex 'bt 2' \
		-ex continue -ex 'echo at the second\n' -ex 'bt 2' -ex 'info symbol $pc' -ex 'info line' \
		"$tmp/beside/plugs" </dev/null >"$tmp/said" 2>&1 || :
	# frames of the program have no names here; values of variables are not in GSYM; addresses of libraries
	# are the same in all runs
	sed -n -e '/^at the /p' -e '/^#/{/deeper\|first\|second/p;}' -e '/ in section /p' -e '/^Line /p' "$tmp/said" |
		sed -e 's/ (value=[a-z0-9<> ]*)/ ()/' -e 's/ of [^ ]*\.so$//' -e "s|$tmp/[a-z]*/|/|g" >"$tmp/got"
}

# equal WHAT
equal() {
	diff "$tmp/wanted" "$tmp/got" >"$tmp/diff" && return
	cat "$tmp/diff" "$tmp/said"
	fail "$1"
}

debug_plugs "$tmp/complete" 'break deeper'
mv "$tmp/got" "$tmp/wanted"
said 2 '^#0 .*deeper (value=1) at .*plug.c:[0-9]*$'

debug_plugs "$tmp/beside" 'break deeper'
said 0 ' at .*plug.c'

# given: the library is named, or is beside the program
debug_plugs "$tmp/beside" "source $CAIRN_GDB" \
	"cairn add-gsym -module $tmp/apart/first.so $tmp/symbols/first.so.gsym" \
	"cairn add-gsym $tmp/beside/second.so.gsym" 'cairn status' 'break deeper'
equal 'symbols that were given, and a library that was named'
said 2 'finds these symbols when it loads the library of their build$'
said 1 "^  $tmp/apart/first.so: $tmp/symbols/first.so.gsym$"
debug_plugs "$tmp/beside" "source $CAIRN_GDB" "cairn add-gsym $tmp/symbols/first.so.gsym" \
	"cairn add-gsym $tmp/beside/second.so.gsym" 'break deeper' 'info breakpoints'
equal 'symbols that were given, of libraries beside the program'

# found: beside the program, and in the directory of the setting
debug_plugs "$tmp/beside" "source $CAIRN_GDB" "set cairn directory $tmp/symbols" \
	'set cairn auto-symbols on' 'break deeper'
equal 'symbols that were found'
said 0 'second.so: .*functions from' # GDB has them, when a stop is reached

# the program runs already
debug_plugs "$tmp/beside" "source $CAIRN_GDB" 'starti' "cairn add-gsym $tmp/symbols/first.so.gsym" \
	"cairn add-gsym $tmp/beside/second.so.gsym" 'break deeper'
equal 'symbols that were given to a process'

# no library at hand: they wait for the next stop, and that is told
mv "$tmp/beside/first.so" "$tmp/apart/"
debug_plugs "$tmp/apart" "source $CAIRN_GDB" "cairn add-gsym $tmp/symbols/first.so.gsym" 'cairn status'
said 1 'cairn keeps it for a module of this build$'
said 1 "^$tmp/symbols/first.so.gsym: for its module, or at the next stop after it is loaded"
said 0 'when it loads the library'
said 0 ' at .*plug.c'

# a library with lines of its own, and one of another build under that name
cp "$tmp/complete/first.so" "$tmp/beside/first.so"
debug_plugs "$tmp/complete" "source $CAIRN_GDB" "set cairn directory $tmp/symbols" \
	'set cairn auto-symbols on' 'cairn status' 'break deeper'
said 0 "first.so: $tmp"
said 2 '^#0 .*deeper (value=1) at .*plug.c:[0-9]*$'
cp "$tmp/beside/second.so" "$tmp/beside/first.so"
debug_plugs "$tmp/apart" "source $CAIRN_GDB" "cairn add-gsym $tmp/symbols/first.so.gsym" 'cairn status' \
	'show debug-file-directory'
said 1 'cairn keeps it for a module of this build$'
said 0 'cairn-gdb-'

[ -z "$(ls "$tmp/run")" ] || fail "GDB left $(ls "$tmp/run")"
echo 'breakpoints in libraries that are loaded without a stop are hit'
