#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn setup DEBUGGER`: the line in a start-up file, and the debugger that reads it.
#
#	setup.sh CAIRN gdb|lldb
set -u
cairn=$1 debugger=$2
program=$debugger
[ "$debugger" = gdb ] || program=lldb-19
command -v "$program" >/dev/null || {
	echo "skipped: no $program on this machine"
	exit 77
}
"$cairn" setup "$debugger" >/dev/null 2>&1 || {
	echo "skipped: cairn was configured without its part for $debugger"
	exit 77
}
. "$(dirname "$0")/../../lib/test.sh"
HOME=$work TMPDIR=$work # where LLDB makes a folder and leaves it
export HOME TMPDIR
unset XDG_CONFIG_HOME
file=$HOME/.${debugger}init

fail() {
	echo "setup: $1"
	exit 1
}

# expect STATUS TEXT COMMAND...: what it prints, with the directory of this run left out
expect() {
	wanted=$1 text=$2
	shift 2
	said=$("$@" 2>&1)
	got=$?
	said=$(printf '%s\n' "$said" | sed -e "s|$work|HOME|g" -e "s|$line|LINE|g")
	[ "$got" = "$wanted" ] && [ "$said" = "$text" ] || fail "$* ($got): $said"
}

# loads NAME: does the debugger know our commands, from its start-up file alone?
loads() {
	case $debugger in
	gdb) timeout 60 gdb -q -batch -iex 'set debuginfod enabled off' -ex 'cairn status' ;;
	*) timeout 60 lldb-19 --batch -o 'cairn status' ;;
	esac </dev/null 2>&1 | grep -q "^cairn $("$cairn" --version | cut -d ' ' -f 2)"
}

line=none
line=$("$cairn" setup "$debugger") || fail 'no line'
[ ! -e "$file" ] || fail 'a file was written that nobody wanted'
! loads || fail 'it is loaded without the line'

expect 0 "HOME/.${debugger}init:
+LINE" "$cairn" setup --write "$debugger"
[ "$(cat "$file")" = "$line" ] || fail 'another line is in the file'
loads || fail 'the debugger does not load it'
expect 0 "HOME/.${debugger}init:
loads cairn already" "$cairn" setup --write "$debugger"
[ ! -e "$file.before-cairn" ] || fail 'a copy of a file that was not there'

# a file that was made for the line goes with it
expect 0 "HOME/.${debugger}init:
-LINE
removed, because it contained nothing else" "$cairn" setup --remove "$debugger"
[ ! -e "$file" ] || fail 'an empty file stays'

# what the user has stays, at its place and with its mode; the line of an older installation goes
case $debugger in
gdb) old='  source /old place/cairn.gdb' other='source /old/not-cairn.gdb' ;;
*) old='  plugin load "/old place/cairn-lldb.so"' other='plugin load /old/not-cairn-lldb.so' ;;
esac
printf '# mine\n%s\n%s\n%s\n# no newline' "$old" "$other" "$old" >"$file"
cp "$file" "$work/before"
chmod 600 "$file"
mkdir "$work/kept"
mv "$file" "$work/kept/init"
ln -s kept/init "$file"
expect 0 "HOME/kept/init:
-$old
+LINE
-$old
as it was: HOME/kept/init.before-cairn" "$cairn" setup "$debugger" --write
printf '# mine\n%s\n%s\n# no newline\n' "$line" "$other" | cmp - "$file" || fail 'other lines changed'
cmp "$work/before" "$work/kept/init.before-cairn" || fail 'the copy differs'
[ -L "$file" ] || fail 'the link became a file'
[ "$(stat -L -c %a "$file")" = 600 ] || fail 'the mode changed'

# nothing else was changed: all is as it was, with the line of the older installation
expect 0 "HOME/kept/init:
-LINE
is as it was before cairn" "$cairn" setup --remove "$debugger"
cmp "$work/before" "$file" || fail 'removal leaves something else than was there'
[ ! -e "$work/kept/init.before-cairn" ] || fail 'the copy stays after it was put back'
[ -L "$file" ] || fail 'removal made a file of the link'
[ "$(stat -L -c %a "$file")" = 600 ] || fail 'removal changed the mode'

# the user has changed the file since: then only the line goes
"$cairn" setup --write "$debugger" >/dev/null
echo '# later' >>"$file"
expect 0 "HOME/kept/init:
-LINE
as it was: HOME/kept/init.before-cairn" "$cairn" setup --remove "$debugger"
printf '# mine\n%s\n# no newline\n# later\n' "$other" | cmp - "$file" || fail 'removal changed other lines'
expect 0 "HOME/kept/init:
does not load cairn" "$cairn" setup --remove "$debugger"

# no directory, no right to write, not a file
expect 3 'cairn: unknown home directory: set HOME' env -u HOME "$cairn" setup --write "$debugger"
rm "$file"
mkdir "$file"
"$cairn" setup --write "$debugger" >"$work/said" 2>&1 && fail 'a folder is a start-up file'
grep -q 'the file was not changed' "$work/said" || fail "$(cat "$work/said")"
rmdir "$file"

# the file that the debugger itself prefers
[ "$debugger" = lldb ] || {
	mkdir -p "$work/.config/gdb"
	echo '# preferred' >"$work/.config/gdb/gdbinit"
	"$cairn" setup --write gdb | grep -q '/.config/gdb/gdbinit:' || fail 'not the file that GDB reads'
	loads || fail 'GDB does not read that file'
}
