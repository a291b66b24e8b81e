#!/bin/sh
# SPDX-License-Identifier: MIT
# plugin.sh: the real LLDB with the plugin loaded.  Errors are LLDB's, and symbols that cairn loads show in LLDB's
# own bt.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"

build sample -g -O1 -pthread "-ffile-prefix-map=$programs=/src" "$programs/sample.c"
"$CC_TARGET" -g -O1 -pthread -Wa,--gsframe -Wl,--build-id=sha1 "-ffile-prefix-map=$programs=/src" \
	"$programs/sample.c" -o "$tmp/full"
mkdir "$tmp/debug"
objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$tmp/full" "$tmp/debug/sample"
cd "$tmp"

# session ARGUMENTS...: LLDB with the plugin
session() {
	within "${LIMIT:-300}" "$LLDB" -x -b -O 'settings set target.disable-aslr true' \
		-O 'settings set target.inherit-env false' -O 'settings set use-color false' \
		-O 'settings set symbols.enable-external-lookup false' -O 'settings set plugin.process.gdb-remote.packet-timeout 60' -O "plugin load $LLDB_PLUGIN" \
		"$@" </dev/null 2>&1
}

program=$tmp/debug/sample

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
holds 'error: unknown option -nonsense; usage: cairn bt [-json] [-explain] [-full-path] [COUNT]'
holds "error: <user expression"
holds '{"error":"'
holds 'error: LENGTH is missing; specify LENGTH after EXPRESSION, or use -string'
holds 'error: no readable module nosuch'
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
holds '  damaged: '
holds 'in stop_here at sample.c:23'
holds 'in LLDB'
# LLDB would lose its own lines, and where the module is.
session "$program" -o 'breakpoint set -n stop_here' -o 'process launch -- recurse' \
	-o 'command source -e 0 hostile' -o 'cairn add-gsym sample.gsym' >said && fail 'symbols over its own'
holds 'sample: LLDB already has debug information for this module'
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
