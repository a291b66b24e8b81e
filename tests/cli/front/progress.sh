#!/bin/sh
# SPDX-License-Identifier: MIT
# How far a verb is, on a terminal: progress.sh CAIRN ODD_FILES COMPILER...
#
# Each verb that may take long shows a line there from the beginning (CAIRN_PROGRESS_AFTER is 0), which is gone at the
# end; none with --quiet, and none where standard error is not a terminal.
set -u
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
odd_files=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
shift 2
command -v script >/dev/null || {
	echo 'skipped: no script, which makes a terminal'
	exit 77
}
. "$(dirname "$0")/../../lib/test.sh"
cd "$work" || exit 2
export CAIRN_PROGRESS_AFTER=0 LC_ALL=C XDG_CACHE_HOME="$work/cache"
echo 'int twice(int n) { return n + n; } int main(void) { return twice(0); }' >prog.c
"$@" -g -Wl,--build-id=sha1 prog.c -o prog 2>/dev/null || {
	echo 'skipped: no program can be linked'
	exit 77
}
"$cairn" gsym create --quiet prog || exit 2
"$cairn" symbfile create --quiet --only ranges prog -o prog || exit 2
mkdir bare && cp prog bare # no file of symbols is beside this one
"$odd_files" core >core || exit 2
"$odd_files" values >values || exit 2
erased=$(printf '\r\033[K')

# quiet_elsewhere COMMAND: not where standard error is a file, nor with --quiet
quiet_elsewhere() {
	sh -c "'$cairn' $1" </dev/null >off 2>&1
	! grep -Eq "$line" off || fail "$1: shown where there is no terminal"
	script -qec "'$cairn' ${1%%>*} --quiet ${1#"${1%%>*}"}" /dev/null </dev/null >on 2>&1
	! tr '\r' '\n' <on | grep -Eq "$line" || fail "$1 --quiet: shown all the same"
}

# shows WHAT UNITS VERB...: in a terminal, and in no other place
shows() {
	line="^$1: ([0-9]+% of )?[0-9]+ $2\$"
	shift 2
	script -qec "'$cairn' $*" /dev/null </dev/null >on 2>&1
	tr '\r' '\n' <on | grep -Eq "$line" || fail "$*: nothing is shown: $(cat on)"
	grep -qF "$erased" on || fail "$*: the line stays"
	quiet_elsewhere "$*"
}

# shows_aside WHAT UNITS VERB...: the same of a verb that prints as it goes, into a file; nothing on the terminal itself
shows_aside() {
	shows "$@" '>answer'
	shift 2
	script -qec "'$cairn' $*" /dev/null </dev/null >on 2>&1
	! tr '\r' '\n' <on | grep -Eq "$line" || fail "$*: shown among what it prints"
}

shows prog units gsym create prog -o made.gsym
shows prog units symbfile create prog -o made
shows prog units symbols write --machine amd64 -o made.o prog
shows bare/prog units where --no-cache bare/prog main # a name takes a conversion
shows prog units gsym diff prog prog.gsym
shows prog.gsym functions gsym verify prog.gsym
shows prog.gsym functions gsym stats prog.gsym
shows_aside prog.gsym functions gsym dump prog.gsym
shows_aside prog.gsym functions gsym dump --json prog.gsym
shows prog.ranges bytes symbfile verify prog.ranges
shows prog.ranges bytes symbfile stats prog.ranges
shows_aside prog.ranges bytes symbfile dump prog.ranges
shows_aside prog units dwarf dump prog
echo '{{{reset}}}' >log
shows_aside log bytes markup log
shows core threads bt core
shows - bytes bt - '<core'
shows - bytes minidump - '<core >dump'
gzip -k core
"$cairn" bt core.gz 2>&1 | grep -q 'built without' || shows core.gz bytes bt core.gz
shows values 'ranges of memory' cbf find values
if "$@" -g -Wa,--gsframe -Wl,--build-id=sha1 prog.c -o framed 2>/dev/null &&
	"$cairn" sframe verify framed | grep -q 'compared with .eh_frame'; then
	shows_aside framed functions sframe dump framed
	shows_aside framed 'bytes of code' sframe verify framed
else
	echo 'not tested: sframe, because the assembler writes none'
fi
exit $failed
