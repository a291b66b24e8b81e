#!/bin/sh
# SPDX-License-Identifier: MIT
# transcripts.sh [CASE...]: each session of tests/debuggers/commands, or those named, in LLDB: live, in a core, and of a
# program that does not run.  What is expected is what GDB answers, but for what words.sh names.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
command -v gdb >/dev/null || skip 'no gdb on this machine, which makes the core'
. "$here/../commands/mask.sh"
. "$here/../commands/programs.sh"
. "$here/words.sh"
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"

make_programs "$CC_TARGET" "$CAIRN" || skip 'the assembler does not know --gsframe'
within 100 gdb -nx -q -batch -iex 'set debuginfod enabled off' \
	-ex 'set exec-wrapper env -i' -ex 'break stop_here' -ex 'run recurse' \
	-ex "generate-core-file $tmp/core" "$tmp/srv/sample" </dev/null >"$tmp/said" 2>&1 || :
[ -s "$tmp/core" ] || fail 'no core of GDB'

# newer LLDBs look for the program that the core names
within 100 gdb -nx -q -batch -iex 'set debuginfod enabled off' \
	-ex 'set exec-wrapper env -i' -ex "break *(0x555555554000+$(find_stop))" -ex 'run recurse' \
	-ex "generate-core-file $tmp/bare-core" "$tmp/srv/bare/sample" </dev/null >"$tmp/said" 2>&1 || :
[ -s "$tmp/bare-core" ] || fail 'no core of GDB'

# session PROGRAM ARGUMENTS...: the commands in LLDB, with their answers
session() {
	program=$1
	shift
	within 100 "$LLDB" -x -b -O 'settings set target.disable-aslr true' \
		-O 'settings set target.inherit-env false' -O 'settings set use-color false' \
		-O 'settings set stop-line-count-before 0' -O 'settings set stop-line-count-after 0' \
		-O "settings set term-width ${COLUMNS:-200}" -O 'settings set symbols.enable-external-lookup false' -O 'settings set plugin.process.gdb-remote.packet-timeout 60' \
		-O "plugin load $LLDB_PLUGIN" -o 'settings set interpreter.stop-command-source-on-error false' \
		"$@" -s "$tmp/commands" "$program" </dev/null >"$tmp/said" 2>&1 || [ $? = 1 ] || {
		cat "$tmp/said"
		fail "LLDB ended with status $?"
	} # 1: the last command failed
	sed '1,/^Executing commands in /d' "$tmp/said"
}

run_case() {
	case $1 in
	live) session "$tmp/srv/sample" -o 'breakpoint set -n stop_here' -o 'process launch -- recurse' ;;
	core) session "$tmp/srv/sample" -o "target create --core $tmp/core $tmp/srv/sample" ;;
	none) session "$tmp/srv/sample" ;;
	bare) session "$tmp/srv/bare/sample" -o "breakpoint set -s sample -a $(find_stop)" -o 'process launch -- recurse' ;;
	nowhere) # after a crash LLDB runs no other commands
		session "$tmp/srv/nowhere" -k "command source -s 0 $tmp/commands" -o 'process launch -- 0'
		;;
	bare-core) session "$tmp/srv/bare/sample" -o "target create --core $tmp/bare-core $tmp/srv/bare/sample" ;;
	esac
}

# shellcheck disable=SC2046 # names without blanks
[ $# -gt 0 ] || set -- $(basename -s .gdb "$here"/../commands/*.gdb)
passed=0
for case; do
	kinds=$(sed -n '1s/^# on //p' "$here/../commands/$case.gdb")
	typed_in_lldb <"$here/../commands/$case.gdb" >"$tmp/commands"
	[ -s "$tmp/commands" ] || fail "$case: LLDB has none of these commands"
	expected_in_lldb <"$here/../commands/$case.out" >"$tmp/want"
	for kind in ${kinds:-live core}; do
		run_case "$kind" >"$tmp/shown"
		sed -e "s|$tmp/|/|g" "$tmp/shown" | mask_values | like_gdb >"$tmp/got"
		diff -u "$tmp/want" "$tmp/got" || fail "$case ($kind)"
		passed=$((passed + 1))
	done
done

# Where LLDB breaks lines, those of help fit, but for the usage and the list of all commands.
typed_in_lldb <"$here/../commands/help.gdb" | grep -v '^help cairn$' >"$tmp/commands"
session "$tmp/srv/sample" | grep -v '^Syntax: ' >"$tmp/wide"
COLUMNS=80 session "$tmp/srv/sample" >"$tmp/narrow"
[ "$(wc -l <"$tmp/wide")" -gt 60 ] || fail 'LLDB shows no help'
if grep -Fxv -f "$tmp/narrow" "$tmp/wide"; then fail 'these lines of help are broken at 80 columns'; fi
echo "$passed transcripts are as in GDB"
