#!/bin/sh
# SPDX-License-Identifier: MIT
# Symbols before the first start.  A program that was never started is known by its file: symbols given
# then are set for breakpoints, lists and lines, and move with the program when it starts, at whatever
# address, as often as it does.  What GDB prints of the complete build is the measure, arguments aside.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" "$CC_TARGET" strip flock

# make NAME FLAGS...: $tmp/eh/NAME complete, $tmp/no/NAME stripped, and $tmp/NAME.gsym
make() {
	name=$1
	shift
	"$CC_TARGET" -g -O0 -Wl,--build-id=sha1 "$@" "$programs/steps.c" -o "$tmp/eh/$name" 2>/dev/null ||
		return 1
	"$CAIRN" gsym create --quiet "$tmp/eh/$name" -o "$tmp/$name.gsym"
	strip -s -o "$tmp/no/$name" "$tmp/eh/$name"
}

# GDB's directory for these symbols is here, and must be gone when GDB is
mkdir "$tmp/run"
debug_gsym() {
	program=$1
	shift
	XDG_RUNTIME_DIR="$tmp/run" debug without "$program" -ex "source $CAIRN_GDB" "$@" || :
}

# arguments, which of two rows of one line ends it, and where GDB found a symbol
equalise() {
	settle | sed -e 's/ (\(\.\.\.\|[a-z]*=.*\|\)) at / at /' -e 's/ and ends at .*/ .../' \
		-e 's/\( in section .text\) of .*/\1/' -e '/^Value returned/d' \
		-e '/: [0-9]* functions from /d' -e '/^Temporary breakpoint 3, /,/^[0-9]*\t/d'
}

cat >"$tmp/before" <<'END'
set print frame-arguments none
info line busy
info symbol busy
x/3i busy
break busy
break steps.c:25
tbreak main
list recurse
info breakpoints
run
bt
continue
bt
finish
info breakpoints
END
# where it lies is another address each time
cat >"$tmp/again" <<'END'
set print frame-arguments none
set disable-randomization off
break busy
run
bt
run
bt
kill
info symbol busy
run
bt 1
info symbol $pc
END
anywhere() {
	equalise | sed -e 's/0x[0-9a-f]*/0xN/g' -e 's/^Breakpoint 1 at 0xN/Breakpoint 1/'
}
made=
for form in 'fixed -no-pie' 'moved -pie -fPIE' 'whole -static' 'alone -static-pie'; do
	name=${form%% *}
	# shellcheck disable=SC2086 # flags are words
	make "$name" ${form#* } || continue
	made="$made $name"
	for script in before again; do
		filter=equalise
		[ $script = again ] && filter=anywhere
		debug_each without "$tmp/eh/$name" "$tmp/$script" >"$tmp/said"
		$filter <"$tmp/said" >"$tmp/$name-$script.eh"
		{
			echo "source $CAIRN_GDB"
			echo "cairn add-gsym $tmp/$name.gsym"
			cat "$tmp/$script"
		} >"$tmp/$script.no"
		XDG_RUNTIME_DIR="$tmp/run" debug_each without "$tmp/no/$name" "$tmp/$script.no" >"$tmp/said"
		$filter <"$tmp/said" >"$tmp/$name-$script.no"
		compare "$name-$script" 12
	done
done
case $made in
*fixed*moved*) ;;
*) fail "only these forms were made:$made" ;;
esac

# Addresses of a Breakpad file count from the program's first byte; a symbfile does not name its program.
"$CAIRN" symbfile create --quiet --only ranges "$tmp/eh/fixed" -o "$tmp/fixed" >/dev/null
"$CAIRN" gsym dump "$tmp/fixed.gsym" | awk -f "$here/breakpad.awk" |
	sed 's/^\(FUNC \|PUBLIC \|\)40\(....\) /\1\2 /' >"$tmp/fixed.sym"
for give in "add-breakpad $tmp/fixed.sym" "add-symbfile $tmp/fixed.ranges"; do
	debug_gsym "$tmp/no/fixed" -ex "cairn $give" -ex 'break busy' -ex run -ex 'bt 2' >"$tmp/said"
	said 1 "/fixed: [0-9]* functions from $tmp/fixed"
	said 1 '^#0  busy () at .*/steps.c:2[0-9]$'
	said 1 '^#1  0x[0-9a-f]* in [a-z]* () at .*/steps.c:[0-9]*$'
done

# Away and back: breakpoints wait meanwhile, in a process and without one; what was disabled stays so.
debug_gsym "$tmp/no/moved" -ex "cairn add-gsym $tmp/moved.gsym" -ex 'break busy' -ex 'break shrink' \
	-ex 'disable 2' -ex 'cairn symbols unload' -ex 'info breakpoints' -ex 'info line busy' \
	-ex 'cairn symbols load' -ex 'set disable-randomization off' -ex run \
	-ex 'cairn symbols unload' -ex 'info breakpoints' -ex 'bt 1' -ex 'cairn symbols load' \
	-ex 'run' -ex 'bt 1' -ex 'info breakpoints' >"$tmp/said"
said 2 '^1 .* keep y  *<PENDING> *busy$'
said 3 '^2 .* keep n  .* shrink'
said 1 '^Function "busy" not defined'
said 2 '^Breakpoint 1, busy () at '
said 1 '^#0  0x[0-9a-f]* in ?? ()$'

# By itself, of files that lie where they are looked for
debug_gsym "$tmp/no/moved" -ex "set cairn directory $tmp" -ex 'set cairn auto-symbols on' \
	-ex 'break busy' -ex run -ex 'bt 1' -ex "file $tmp/no/fixed" -ex 'start' -ex 'bt 1' \
	-ex 'info line busy' >"$tmp/said"
said 1 "^$tmp/no/moved: [0-9]* functions"
said 1 "^$tmp/no/fixed: [0-9]* functions"
said 1 '^#0  busy () at '
said 1 '^#0  main () at '
said 1 '^Line 2[0-9] of .* starts at address 0x40[0-9a-f]* <busy>'

# What cannot be: no program, symbols of another one or of another build, a program that is none
cp "$tmp/fixed.gsym" "$tmp/moved.other"
debug_gsym "$tmp/no/moved" -ex "cairn add-gsym $tmp/moved.other" \
	-ex "cairn add-gsym $tmp/fixed.gsym" -ex 'info line busy' \
	-ex "cairn add-gsym -module moved $tmp/fixed.gsym" \
	-ex "file $tmp/eh/moved" -ex "cairn add-gsym $tmp/moved.gsym" -ex 'cairn symbols load' \
	-ex file -ex 'cairn symbols load' >"$tmp/said"
said 2 '^cairn: .*: its build ID is [0-9a-f]*'
said 1 '/fixed.gsym: does not belong to the program; cairn keeps it for a module of this build$'
said 1 'No symbol table is loaded\|No symbol "busy"\|Function "busy" not defined'
said 1 '^cairn: .*/moved: GDB already has debug information for this module; start the program first to add other'
said 1 '^Nothing to load: GDB has the symbols of 1 of 1 modules.$'
said 1 '^cairn: no program yet: load one with "file", or open a core$'

# Names count from where GDB was when they were given.
mkdir "$tmp/home"
cp "$tmp/fixed.ranges" "$tmp/home"
for give in 'add-gsym fixed.gsym' 'add-breakpad "fixed.sym"' 'add-symbfile ~/fixed.ranges'; do
	HOME="$tmp/home" debug_gsym "$tmp/no/fixed" -ex "cd $tmp" -ex "cairn $give" -ex 'cd /' \
		-ex 'cairn symbols unload' -ex 'cairn symbols load' -ex 'info line busy' >"$tmp/said"
	said 2 "/fixed: [0-9]* functions from $tmp/.*fixed\.[a-z]*$"
	said 1 '^Line 2[0-9] of '
done
debug_gsym "$tmp/no/fixed" -ex "cd $tmp/home" -ex 'set cairn directory nothing:..:~/x' -ex 'cd /' \
	-ex 'show cairn directory' -ex 'cairn symbols load' -ex "cairn add-gsym nosuch" >"$tmp/said"
said 1 "cairn looks for symbols in \"$tmp/home/nothing:$tmp/home/\.\.:.*/x\""
said 1 "/fixed: [0-9]* functions from $tmp/.*fixed.gsym$"
said 1 '^cairn: /nosuch: no such file$'

# In the program's own script GDB is in the middle of reading it.
cp "$tmp/no/moved" "$tmp/no/scripted"
for more in '' 'set cairn auto-symbols on'; do
	printf 'cairn add-gsym %s\n%s\ncairn symbols unload\n' "$tmp/moved.gsym" "$more" \
		>"$tmp/no/scripted-gdb.gdb"
	load='cairn symbols load'
	[ -z "$more" ] || load=echo
	debug_gsym "$tmp/no/fixed" -ex "add-auto-load-safe-path $tmp" -ex 'set auto-load gdb-scripts on' \
		-ex "file $tmp/no/scripted" -ex "$load" -ex 'break busy' -ex run -ex 'bt 1' \
		-ex 'cairn symbols unload' -ex 'cairn symbols load' -ex 'bt 1' >"$tmp/said"
	said 1 '/scripted: GDB is still reading this file; load its symbols later with "cairn symbols load"'
	said 2 '^#0  busy () at '
done

# A name that a command line could take for something else
odd="$tmp/no/a \$b 'c' \"d\" \\e"
cp "$tmp/no/moved" "$odd"
debug_gsym "$odd" -ex "cairn add-gsym $tmp/moved.gsym" -ex 'tbreak busy' -ex run \
	-ex 'cairn symbols unload' -ex 'info symbol busy' >"$tmp/said"
said 1 '^Temporary breakpoint 1, busy () at '
said 1 '^No symbol table is loaded\|^No symbol "busy"'

[ -z "$(ls -A "$tmp/run")" ] || fail 'a folder is left behind'

# Of a GDB that was killed the next one removes it; not that of one that lives, nor another's.
for left in cairn-gdb-gone00 cairn-gdb-alive0 cairn-gdb-young0 cairn-gdb-other; do
	mkdir -p "$tmp/run/$left/64/.build-id/01"
	ln -s /proc/self/fd/64 "$tmp/run/$left/64/.build-id/01/23.debug"
	[ $left = cairn-gdb-young0 ] || touch -d '1 hour ago' "$tmp/run/$left"
done
flock -F "$tmp/run/cairn-gdb-alive0" sleep 30 &
alive=$!
debug_gsym "$tmp/no/moved" -ex "cairn add-gsym $tmp/moved.gsym" >"$tmp/said"
kill "$alive"
wait "$alive" 2>/dev/null || :
[ "$(echo "$tmp"/run/*)" = "$tmp/run/cairn-gdb-alive0 $tmp/run/cairn-gdb-other $tmp/run/cairn-gdb-young0" ] || {
	ls "$tmp/run"
	fail 'folders that were left'
}
debug_gsym "$tmp/no/moved" -ex "cairn add-gsym $tmp/moved.gsym" -ex 'shell kill -9 $PPID' >"$tmp/said"
[ "$(echo "$tmp"/run/cairn-gdb-?????? | wc -w)" = 2 ] || {
	ls "$tmp/run"
	fail 'the young one, and that of the killed GDB'
}
echo "$made"
