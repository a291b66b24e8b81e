#!/bin/sh
# SPDX-License-Identifier: MIT
# play.sh gdb|lldb [--show | --accept] [SESSION...]: sessions as users have them, in one debugger.
#
# Each NAME.session beside this script, or those named, is a list of commands in words of neither debugger, each with
# what is to be seen after it, two columns to the right.  The commands are put into the debugger's words here, and
# gdb.awk and lldb.awk put its answers into those of the session.  So one text holds in both.  --show prints what the
# debugger printed, --accept writes the answers into the sessions: read the difference before you commit it.
#
# program FILE, core FILE, run ARGUMENTS, starti, pass SIGNAL, continue, kill, detach, attach NAME, shell COMMAND, frame N, disable N: no
# answer, but "exited" where the program ends.  break WHERE: its line, "N places", "pending" or "no line".
# breakpoints: number, "off", and places of each.  stack N: functions and lines.  list FILE LINE: that line.
# at-breakpoint N COMMAND; COMMAND...  and at-stop COMMAND: what is done there, of cairn's commands, `continue`, and others that both debuggers
# have.  aslr: the next runs are at other addresses.  cairn ...: as typed in LLDB, with what it prints; with `count` before
# it the number of lines, with `quietly` nothing.
# DIR is the directory of the programs.  A first line "# from LLDB N on: WHY" leaves older LLDBs out.
debugger=${1:?usage: play.sh gdb|lldb [--show | --accept] [SESSION...]}
shift
mode=
case ${1:-} in
--show | --accept)
	mode=$1
	shift
	;;
esac
names=$*
case $debugger in
gdb)
	. "$(dirname "$0")/../lib.sh"
	: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
	need "$GDB"
	;;
lldb)
	. "$(dirname "$0")/../lldb/lib.sh"
	: "${LLDB_PLUGIN?path of cairn-lldb.so}"
	[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
	version=$("$LLDB" --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')
	;;
esac
command -v gdb >/dev/null || skip 'no gdb on this machine, which makes the cores'
. "$here/programs.sh"
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"
mkdir "$tmp/run" "$tmp/work"

# commands_of FILE: without comments and answers, with real names
commands_of() {
	sed -n -e "s|DIR/|$work/|g; /^[^ #]/p" "$1"
}

# spoken_in_gdb WORD REST: one command; several lines go through a file
spoken_in_gdb() {
	case $1 in
	program)
		# breakpoints are those of one program in LLDB
		printf 'delete\nfile %s\n' "$2" >"$tmp/program.$count"
		echo "source $tmp/program.$count"
		;;
	core) echo "core-file $2" ;;
	stack) echo "bt $2" ;;
	breakpoints) echo 'info breakpoints' ;;
	attach) echo "attach $(cat "$tmp/$2.pid")" ;;
	list) echo "list ${2% *}:${2#* },${2#* }" ;;
	pass) echo "handle $2 nostop noprint pass" ;;
	aslr) echo 'set disable-randomization off' ;;
	at-breakpoint)
		file=$tmp/at.$count
		{
			echo "commands ${2%% *}"
			echo silent
			echo "${2#* }" | sed 's/; */\n/g'
			echo end
		} >"$file"
		echo "source $file"
		;;
	at-stop)
		printf 'define hook-stop\n%s\nend\n' "$2" >"$tmp/at.stop"
		echo "source $tmp/at.stop"
		;;
	count | quietly) spoken_in_gdb "${2%% *}" "${2#* }" ;;
	cairn)
		case $2 in
		set' '* | show' '*) echo "${2%% *} cairn ${2#* }" ;;
		*) echo "cairn $2" ;;
		esac
		;;
	*) echo "$1${2:+ $2}" ;;
	esac
}

spoken_in_lldb() {
	case $1 in
	program)
		program=$2
		echo "target create \"$2\""
		;;
	core) echo "target create --core \"$2\" \"$program\"" ;;
	run) echo "process launch --${2:+ $2}" ;;
	stack) echo "thread backtrace -c $2" ;;
	frame) echo "frame select $2" ;;
	kill) echo 'process kill' ;;
	detach) echo 'process detach' ;;
	disable) echo "breakpoint disable $2" ;;
	breakpoints) echo 'breakpoint list' ;;
	break)
		case $2 in
		*:[0-9]*) echo "breakpoint set -f ${2%:*} -l ${2##*:}" ;;
		*) echo "breakpoint set -n $2" ;;
		esac
		;;
	attach) echo "process attach -p $(cat "$tmp/$2.pid")" ;;
	list) echo "source list -f ${2% *} -l ${2#* } -c 1" ;;
	starti) echo 'process launch -s' ;;
	pass) echo "process handle $2 -s false -n false -p true" ;;
	aslr) echo 'settings set target.disable-aslr false' ;;
	shell) echo "platform shell $2" ;;
	at-breakpoint) echo "breakpoint command add -o '$(echo "${2#* }" | sed "s/; */' -o '/g")' ${2%% *}" ;;
	at-stop) # from 21 on also before the loader has run
		initial=
		[ "$version" -lt 21 ] || initial='-I false '
		echo "target stop-hook add $initial-o '$2'"
		;;
	count | quietly) echo "$2" ;;
	*) echo "$1${2:+ $2}" ;;
	esac
}

play_in_gdb() {
	set -- -ex 'set style enabled off'
	count=0
	while read -r word rest; do
		count=$((count + 1))
		set -- "$@" -ex "echo <<$count>>\\n" -ex "$(spoken_in_gdb "$word" "$rest")"
	done <"$tmp/commands"
	XDG_RUNTIME_DIR="$tmp/run" within 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex 'set width 0' -ex 'set pagination off' -ex 'set confirm off' -ex 'set breakpoint pending on' \
		-ex 'set exec-wrapper env -i' -ex 'handle SIGTRAP nopass' -ex "source $CAIRN_GDB" "$@" </dev/null >"$tmp/said" 2>&1 || :
}

play_in_lldb() {
	count=0
	while read -r word rest; do
		count=$((count + 1))
		echo "# $count"
		spoken_in_lldb "$word" "$rest"
	done <"$tmp/commands" >"$tmp/typed"
	within 120 "$LLDB" -x -b -O 'settings set target.disable-aslr true' \
		-O 'settings set target.inherit-env false' -O 'settings set use-color false' -O 'settings set auto-confirm true' \
		-O 'settings set stop-line-count-before 0' -O 'settings set stop-line-count-after 0' \
		-O 'settings set frame-format "FRAME {${function.name}} {${line.file.basename}:${line.number}}\n"' \
		-O 'settings set symbols.enable-external-lookup false' -O 'settings set plugin.process.gdb-remote.packet-timeout 60' -O "plugin load $LLDB_PLUGIN" \
		-O 'settings set interpreter.stop-command-source-on-error false' -s "$tmp/typed" </dev/null >"$tmp/said" 2>&1 || [ $? = 1 ] || {
		cat "$tmp/said"
		fail 'LLDB ended badly'
	}
}

# settled: what differs from one machine, compiler and debugger to the next
settled() {
	sed -E -e "s|$work/|DIR/|g" -e 's/[0-9]+ functions/N functions/' -e 's/(in|into) (GDB|LLDB)/\1 DEBUGGER/' \
		-e 's/(:) (GDB|LLDB) has /\1 DEBUGGER has /' -e 's/0x[0-9a-f]+/0xN/g' -e 's/[0-9a-f]{40}/ID/g' \
		-e 's/ of [0-9]+ modules\.$/ of N modules./' \
		-e 's/: ([A-Z]+ finds these symbols when it loads the library of their build|does not belong to the program; cairn keeps it for a module of this build)/: kept/' \
		-e '/^  /s/ \+ [0-9]+( at |$)/ + N\1/' -e 's/^  cairn: (No symbol|Cannot access|<user expression).*/  cairn: EXPRESSION/'
}

# is_too_old SESSION
is_too_old() {
	least=$(sed -n '1s/^# from LLDB \([0-9]*\) on: .*/\1/p' "$1")
	[ "$debugger" = lldb ] && [ -n "$least" ] && [ "$version" -lt "$least" ]
}

[ -n "$names" ] || names=$(cd "$here" && basename -s .session ./*.session)
played=0
for name in $names; do
	if is_too_old "$here/$name.session"; then
		echo "$name: $(sed -n '1s/^# //p' "$here/$name.session")"
		continue
	fi
	work=$tmp/work/$name
	mkdir "$work"
	if ! (cd "$work" && "make_$name"); then
		echo "$name: not played, because its programs cannot be made here"
		continue
	fi
	commands_of "$here/$name.session" >"$tmp/commands"
	"play_in_$debugger"
	[ "$mode" != --show ] || cat "$tmp/said"
	end_waiting
	awk -f "$here/$debugger.awk" "$here/$name.session" "$tmp/said" | settled >"$tmp/got"
	[ "$mode" != --accept ] || cp "$tmp/got" "$here/$name.session"
	diff -u "$here/$name.session" "$tmp/got" || fail "$name"
	played=$((played + 1))
done
[ -z "$(ls -A "$tmp/run")" ] || fail 'a folder is left behind'
echo "$played sessions are as written"
