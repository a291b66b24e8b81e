#!/bin/sh
# SPDX-License-Identifier: MIT
# What `source cairn.gdb` gives GDB to read, which costs it more than a microsecond for each byte: the
# names of the commands, once, and they are small.  The first command, wherever it
# stands, reads the definitions, and so does what shows help; help, completion and `apropos` are the same before and
# after.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET" objcopy

# at_most BYTES FILE
at_most() {
	size=$(cat "$2")
	[ "$size" -gt 0 ] && [ "$size" -le "$1" ] || fail "$2: $size bytes"
	echo "$(basename "$2"): $size bytes"
}

# session NAME ARGUMENTS...: commands from the standard input
session() {
	name=$1
	shift
	cat >"$tmp/script"
	within 60 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-iex 'set width 0' -iex 'set confirm off' "$@" -x "$tmp/script" </dev/null >"$tmp/said" 2>&1 || {
		cat "$tmp/said"
		fail "$name: GDB ended badly"
	}
}

session sizes <<END
jit-reader-load $MODULE
shell wc -c </proc/\$PPID/fd/184 >$tmp/start
shell wc -c </proc/\$PPID/fd/182 >$tmp/definitions
END
sed "s|$MODULE||" "$CAIRN_GDB" | wc -c >"$tmp/script_bytes" # but for the path, which is as long as the name of the folder
at_most 792 "$tmp/script_bytes"
at_most 2560 "$tmp/start" # with the old names of two commands
at_most 26000 "$tmp/definitions"

session 'the start is read once' <<END
set trace-commands on
source $CAIRN_GDB
END
said 1 '^+*source /proc/self/fd/'
session 'definitions are read once' <<END
source $CAIRN_GDB
set trace-commands on
cairn status
cairn modules
set trace-commands off
END
said 1 '^+*_8 '
session 'help reads them, once' <<END
source $CAIRN_GDB
set trace-commands on
help cairn where
help cairn bt
apropos Breakpad
cairn status
set trace-commands off
END
said 1 '^+*_8 '
session 'apropos reads them, once' <<END
source $CAIRN_GDB
set trace-commands on
apropos Breakpad
help cairn where
set trace-commands off
END
said 1 '^+*_8 '
session 'no shell, and no copy of GDB' <<END
set trace-commands on
source $CAIRN_GDB
END
said 0 '^+*shell\|^+*pipe'

# GDB 10 and 11 cannot run the definitions: that is said, and sourcing again does nothing; they are told apart by this variable
session 'an old GDB' <<END
set \$_gdb_major = 11
source $CAIRN_GDB
echo sourced\n
source $CAIRN_GDB
print \$_cairn_loaded
help cairn where
cairn status
END
said 2 '^cairn: no commands in GDB 11 and older: stacks are right'
said 2 '^cairn: '
said 1 '= 1$'
said 1 '^Usage: cairn where'

# as it is before the first command, and after
cat >"$tmp/asking" <<'END'
cairn
set cairn
show cairn
cairn symbols
help cairn
help set cairn
help cairn symbols
help cairn where
help show cairn color
complete cairn 
complete cairn symbols 
complete set cairn 
apropos Breakpad
print $cairn_ok
END
session before <<END
source $CAIRN_GDB
source $tmp/asking
END
cp "$tmp/said" "$tmp/help.eh"
session after <<END
source $CAIRN_GDB
_cairn ping
source $tmp/asking
END
cp "$tmp/said" "$tmp/help.no"
compare help 100

# GDB lists no helper, neither before the first command nor after it, and few variables
for first in 'echo' '_cairn ping'; do
	session "lists after $first" <<END
source $CAIRN_GDB
$first
complete c
complete h
complete s
help user-defined
END
	said 0 'hook-\|cairn-\|_cairn'
	said 1 '^help$'
done
session variables <<END
source $CAIRN_GDB
show convenience
END
said 6 '^\$_*cairn'
# and changes no setting that the machine interface would report
printf 'source %s\n-gdb-exit\n' "$CAIRN_GDB" | within 60 "$GDB" -nx -q -i=mi 2>&1 |
	sed '1,/^&"source /d' >"$tmp/said"
said 1 '^^exit'
said 0 'cmd-param-changed'
said 1 '^.exit'
! grep -q 'User-defined' "$tmp/help.eh" || fail 'a command without help'
for prefix in cairn 'set cairn' 'show cairn' 'cairn symbols'; do
	session "$prefix alone is its help" <<END
source $CAIRN_GDB
$prefix
END
	said 1 "^List of $prefix subcommands:"
	said 0 'must be followed\|User-defined'
	within 60 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -ex "source $CAIRN_GDB" \
		-ex "$prefix nosuch" </dev/null >"$tmp/said" 2>&1 || :
	said 1 '^Undefined command: "cairn-nosuch"'
	said 0 'List of'
done

build sample.c sample -g -O1 -pthread
program=$tmp/no/sample

# first NAME REGEX: the commands of the standard input, in a new GDB at a stop; one line matches
warnings=0
first() {
	{
		echo "source $CAIRN_GDB"
		echo 'set exec-wrapper env -i'
		echo 'break stop_here'
		echo 'run recurse'
		cat
	} >"$tmp/whole"
	session "$1" "$program" <"$tmp/whole"
	said 1 "$2"
	said 0 '[Ee]rror\|no answer'
	said $warnings '^Warning'
}

first 'a pipe' '^2$' <<'END'
pipe cairn bt 2 | grep -c '^#'
END
first 'frame apply' '^0x[0-9a-f]* recurse at ' <<'END'
frame apply level 1 -q cairn where recurse
END
first 'a log' '^#1   .* in recurse' <<END
set logging file $tmp/log
set logging redirect off
set logging enabled on
cairn bt 2
set logging enabled off
END
grep -q '^#1   .* in recurse' "$tmp/log" || fail 'the log has no frames'
first 'several words' '^0x[0-9a-f]* stop_here' <<'END'
cairn where stop_here + (1 - 1)
END
warnings=1 # GDB's own, of `set language`
first 'another language' '^0x0*123 ??' <<'END'
set language ada
cairn where 16#123#
END
warnings=0
first 'a loop' '^#1   .* in recurse' <<'END'
set $i = 1
while $i < 3
eval "cairn bt %d", $i
set $i = $i + 1
end
END
first 'a frame stays' '^#1 .*recurse' <<'END'
up-silently
cairn sframe
frame
END
echo 'commands are defined when the first is used'
