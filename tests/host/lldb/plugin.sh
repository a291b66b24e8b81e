#!/bin/sh
# SPDX-License-Identifier: MIT
# plugin.sh: the real LLDB with the plugin loaded.  The answers of `cairn` are those of the transcripts of
# GDB, live and in a core; errors are LLDB's; and symbols that cairn loads show in LLDB's own bt.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
. "$here/../commands/mask.sh"
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"

build sample -g -O1 -pthread "-ffile-prefix-map=$programs=/src" "$programs/sample.c"
"$CC_TARGET" -g -O1 -pthread -Wa,--gsframe -Wl,--build-id=sha1 "-ffile-prefix-map=$programs=/src" \
	"$programs/sample.c" -o "$tmp/full"
mkdir "$tmp/debug"
objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$tmp/full" "$tmp/debug/sample"
cd "$tmp"

# session ARGUMENTS...: LLDB with the plugin
session() {
	timeout "${LIMIT:-300}" "$LLDB" -x -b -O 'settings set target.disable-aslr true' \
		-O 'settings set target.inherit-env false' -O 'settings set use-color false' \
		-O 'settings set symbols.enable-external-lookup false' -O "plugin load $LLDB_PLUGIN" \
		"$@" </dev/null 2>&1
}

# The answers as GDB's transcripts have them, without what depends on the machine.  What fails with -json has an
# error of LLDB, too, so that LLDB knows of it.
masked() {
	sed -e "s|$tmp/debug/|/srv/|g" -e 's/^(lldb) /(gdb) /' -e 's/in LLDB \([0-9]\)/in GDB \1/' \
		-e 's/"lldb":/"gdb":/' -e 's/^error: /cairn: /' |
		sed -e '/^{"error":/{' -e 'n' -e '/^cairn: /d' -e '}' | mask_values
}

# expected CASE PATTERN: the commands of a transcript of GDB that the pattern matches, with their
# answers.  GDB knows no module's name before somebody asks for it; LLDB's plugin does.
expected() {
	awk -v pattern="$2" '/^\(gdb\) / { on = $0 ~ pattern } on' "$here/../commands/$1.out" |
		sed -e 's/,"unwinder":"auto"//' -e '/^Unwinder: /d' \
			-e 's|^\(  module   \)module at 0xN|\1/srv/sample|'
}

# transcript KIND CASE PATTERN ARGUMENTS...
transcript() {
	kind=$1 case=$2 pattern=$3
	shift 3
	grep -E "$pattern" "$here/../commands/$case.gdb" >"$tmp/commands"
	session -o 'settings set interpreter.stop-command-source-on-error false' "$@" -s "$tmp/commands" >"$tmp/said" ||
		[ $? = 1 ] || fail "$case ($kind): LLDB ended with status $?" # 1: the last command failed
	sed '1,/^Executing commands in /d' "$tmp/said" | masked >"$tmp/got"
	expected "$case" "$pattern" >"$tmp/want"
	[ -s "$tmp/want" ] || fail "$case: no such commands in the transcript"
	diff -u "$tmp/want" "$tmp/got" || fail "$case ($kind)"
	echo "$case ($kind): $(grep -c '^(gdb)' "$tmp/got") commands answer as in GDB"
}

program=$tmp/debug/sample
timeout 100 gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex 'set exec-wrapper env -i' \
	-ex 'break stop_here' -ex 'run recurse' -ex "generate-core-file $tmp/core" "$program" \
	</dev/null >"$tmp/said" 2>&1 || skip 'no GDB that makes a core'

for kind in live core; do
	if [ $kind = live ]; then
		set -- "$program" -o 'breakpoint set -n stop_here' -o 'process launch -- recurse'
	else
		set -- "$program" -o "target create --core $tmp/core $program"
	fi
	transcript $kind status '^(\(gdb\) )?cairn status' "$@"
	transcript $kind modules '^(\(gdb\) )?cairn modules' "$@"
	transcript $kind bt '^(\(gdb\) )?cairn bt' "$@"
	transcript $kind where '^(\(gdb\) )?cairn where (-json )?([$]pc|recurse|&sink|0$)' "$@"
	transcript $kind sframe '^(\(gdb\) )?cairn sframe' "$@"
	# but for what the debugger itself tells of a wrong expression
	transcript $kind errors '^(\(gdb\) )?cairn (where$|bt -all|sframe 0|status now|bt 1$)' "$@"
	transcript $kind markup '^(\(gdb\) )?cairn markup($|.* [&]sink( [+] 4| 0)?$| -(string|file|wrong) )' "$@"
done
transcript none none '^(\(gdb\) )?cairn (bt|sframe|where main|sframe .*(main|stop_here))$' "$program"

# holds TEXT: the session's answers have it
holds() {
	grep -qF -- "$1" "$tmp/said" || {
		cat "$tmp/said"
		fail "not there: $1"
	}
}

# An error is LLDB's, and what comes after it is run; without a process and without a program, too.
cat >errors <<'END'
cairn bt -nonsense
cairn where nosuch
cairn where -json nosuch
cairn sframe 0
cairn markup &sink
cairn symbols load nosuch
cairn add-gsym /nonexistent
cairn bt 1
END
session "$program" -o 'breakpoint set -n stop_here' -o 'process launch -- recurse' -o 'command source -e 0 errors' >said
holds 'error: no option -nonsense; usage: cairn bt [-json] [-explain] [-full-path] [COUNT]'
holds "error: <user expression"
holds '{"error":"'
holds 'error: LENGTH is missing: cairn markup EXPRESSION LENGTH, or -string'
holds 'error: no module nosuch that can be read'
holds 'in stop_here at sample.c:23'
session "$program" -o 'command source -e 0 errors' -o 'cairn where main' -o 'cairn status' >said
holds 'error: no stack'
holds ' main at sample.c:'
holds 'No modules yet: no process and no core.'
session -o 'command source -e 0 errors' -o 'cairn symbols load' >said && fail 'an error that LLDB did not see'
holds 'error: no program yet'
if session "$program" -o 'cairn bt' -o 'cairn status' >said; then
	fail 'the status of a command that failed'
fi
grep -q 'in LLDB' said && fail 'LLDB went on after an error'

# The status is set: a list of commands of a breakpoint goes on.
session "$program" -o 'breakpoint set -n stop_here' \
	-o "breakpoint command add -o 'cairn where 0' -o 'cairn bt 1' 1" -o 'process launch -- recurse' >said
holds '#0   '
holds 'in stop_here at sample.c:23'

# A process that is gone, and files of symbols that are none or cut short: LLDB lives.
session "$program" -o 'breakpoint set -n stop_here' -o 'process launch -- recurse' -o 'cairn bt 1' \
	-o 'process kill' -o 'command source -e 0 errors' -o 'cairn where main' >said
holds 'error: no stack'
holds ' main at sample.c:'
"$CAIRN" gsym create full -o sample.gsym >/dev/null
for size in 0 3 28 100 600 1000; do
	head -c $size sample.gsym >cut$size.gsym
	echo "cairn add-gsym cut$size.gsym"
done >hostile
echo 'cairn add-symbfile sample.gsym' >>hostile
echo 'cairn add-breakpad sample.gsym' >>hostile
echo 'cairn bt 1' >>hostile
mkdir strip
strip -o strip/sample debug/sample
at=$(nm full | awk '$3 == "stop_here" { print $1 }')
session strip/sample -o "breakpoint set -s sample -a 0x$at" -o 'process launch -- recurse' \
	-o 'command source -e 0 hostile' -o 'cairn status' >said
holds 'error: '
holds '  it is damaged: '
holds 'in stop_here at sample.c:23'
holds 'in LLDB'
# LLDB would lose its own lines, and where the module is.
session "$program" -o 'breakpoint set -n stop_here' -o 'process launch -- recurse' \
	-o 'command source -e 0 hostile' -o 'cairn add-gsym sample.gsym' >said && fail 'symbols over its own'
holds 'sample: LLDB has debug information for it'
holds ' in stop_here at sample.c:23'
echo 'errors: LLDB reports them and goes on'

# Without symbols and .eh_frame LLDB's bt has one frame; with those of a GSYM file it is as the complete one's.
cat >load <<'END'
cairn add-gsym sample.gsym
bt 4
cairn symbols unload
cairn symbols load
cairn symbols load
bt 4
cairn modules
END
for when in before stopped; do
	if [ $when = before ]; then
		set -- -o 'cairn add-gsym sample.gsym' -o 'breakpoint set -n stop_here' \
			-o 'process launch -- recurse' -o 'bt 4'
	else
		set -- -o "breakpoint set -s sample -a 0x$at" -o 'process launch -- recurse' -s load
	fi
	session strip/sample "$@" >said
	holds "strip/sample: "
	holds " functions from $tmp/sample.gsym"
	holds '`stop_here at sample.c:2'
	holds '`recurse at sample.c:31'
	holds '`recurse at sample.c:34'
done
holds 'strip/sample: unloaded'
holds 'Nothing to load: LLDB has the symbols of'
holds "its symbols: $tmp/sample.gsym, in LLDB"
[ "$(grep -c '`recurse at sample.c:31' said)" = 2 ] || {
	cat said
	fail 'symbols were loaded twice, and twice LLDB has to show them'
}
echo 'symbols: LLDB shows what cairn loads, before the start and after it'
