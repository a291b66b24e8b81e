#!/bin/sh
# SPDX-License-Identifier: MIT
# Does scripts/attack.sh find what it should?  attack_test.sh BUILD
#
# One fault is planted at a time, in a program that stands in the place of cairn: each is found, and the line that
# is printed for it finds it again.  The program as it is has none with the same seed.
set -u
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/../lib/test.sh"
trap 'exit 2' HUP INT TERM
cd "$work" || exit 2

# Two builds: one for limits, one for sanitizers, with cairn behind a script in each.
for name in plain san; do
	mkdir -p $name/core/cli $name/plugin
	ln -s "$build/tests" $name/tests
	ln -s "$build/core/cli/cairn-net" $name/core/cli/cairn-net
	ln -s "$build/scripts" $name/scripts
	ln -s "$build/plugin/gdb" $name/plugin/gdb
	[ ! -d "$build/plugin/lldb" ] || ln -s "$build/plugin/lldb" $name/plugin/lldb
done
ATTACK_BUILT=yes ATTACK_BUILD=$work/plain ATTACK_SAN=$work/san
ATTACK_FILES=$root/tests/fixtures/gsym # few, so that other files change nothing here
export ATTACK_BUILT ATTACK_BUILD ATTACK_SAN ATTACK_FILES

# plant BUILD LINE: the program runs the line first
plant() {
	for name in plain san; do
		{
			echo '#!/bin/sh'
			[ $name != "$1" ] || echo "$2"
			echo "exec '$build/core/cli/cairn' \"\$@\""
		} >$name/core/cli/cairn
		chmod +x $name/core/cli/cairn
	done
}

# attack ARGUMENT...: its status
attack() {
	"$root/scripts/attack.sh" "$@" >"$work/said" 2>&1
}

# expect WORDS PART ROUNDS BUILD LINE
expect() {
	plant "$4" "$5"
	attack --part "$2" --rounds "$3" 1
	status=$?
	if [ $status = 77 ]; then
		echo "skipped: $(cat said)"
		return
	fi
	if [ $status != 1 ] || ! grep -q "$1" said; then
		echo "attack_test: $2: expected \"$1\", got status $status:"
		cat said
		failed=1
		return
	fi
	again=$(sed -n 's/^	again: scripts.attack.sh //p' said | head -n 1)
	# shellcheck disable=SC2086 # words
	attack $again
	[ $? = 1 ] || {
		echo "attack_test: $2: \"$again\" does not find it again:"
		cat said
		failed=1
	}
}

for rounds in 'verbs 1-2' 'kills 1-1' 'cuts 1-2' 'peer 3-3' 'shapes 1-5' 'places 1-3' 'service 1-4'; do
	plant none ''
	attack --part "${rounds% *}" --rounds "${rounds#* }" 1
	status=$?
	[ $status = 0 ] || [ $status = 77 ] || {
		echo "attack_test: nothing is planted:"
		cat said
		failed=1
	}
done
expect ': status 139: cairn ' verbs 1-1 plain 'kill -SEGV $$'
expect ': memory is short: cairn ' verbs 1-1 plain 'echo "cairn: out of memory" >&2'
expect ': a control character: cairn ' verbs 1-2 plain "printf '\\033[2J'"
expect ': a control character in a message: cairn ' verbs 1-1 plain "printf '\\033[2J' >&2"
expect ' bytes of output: cairn ' verbs 1-1 plain 'head -c 9000000 /dev/zero | tr "\0" x'
expect ': sanitizer, status ' verbs 1-1 san 'echo "x.c:1:1: runtime error: planted" >&2'
expect ': another answer after SIG' kills 1-1 plain 'mktemp "$XDG_CACHE_HOME/../left.XXXXXX" >/dev/null'
expect ': status 135, cut to ' cuts 1-1 plain '[ "$CUT_AT" = 0 ] || kill -BUS $$'
expect ': status 139: cairn symbfile fetch' peer 3-3 plain '[ "$2" != fetch ] || kill -SEGV $$'
expect ': the server ends with 7: ' peer 3-3 san "[ \"\$2\" != serve ] || { trap 'kill \$!; exit 7' TERM; '$build/core/cli/cairn' \"\$@\" & while :; do wait; done; }"
expect ': files outside the store: ' peer 3-3 san '[ "$2" != serve ] || : >"${6%/a/b/store}/planted"'
ATTACK_HELD=1
export ATTACK_HELD
expect ': [0-9]* MB are held: cairn serve' service 1-1 plain ''
unset ATTACK_HELD
expect ': the service ends with 139: cairn serve' service 2-2 san "[ \"\$1\" != serve ] || { trap 'kill -9 \$!; kill -SEGV \$\$' TERM; '$build/core/cli/cairn' \"\$@\" & while :; do wait; done; }"
expect ': [0-9]* of 12 looks find it busy: cairn serve' service 3-3 plain "[ \"\$2\" != --quiet ] || { trap 'kill \$!; exit 0' TERM; '$build/core/cli/cairn' \"\$@\" & while :; do :; done; }"
expect ': a control character in a message: cairn work' service 4-4 plain "printf '\\033[2J' >&2"
# Each shape reaches the verbs: a program that fails at what such a file begins with is found.  Which round makes which shape
# depends on the list of shapes, so a program that always fails tells.
plant plain 'kill -SEGV $$'
attack --part shapes --rounds 1-80 1
sed -n -e 's/.*(shape of \(core and \)\{0,1\}\([a-z-]*\).*/\2/p' -e 's/^	again: .*--rounds \([0-9-]*\) .*/\1/p' said |
	awk '/^[0-9]/ { print $0, shape; next } { shape = $0 }' >rounds

# round_of SHAPE: the first one that makes it
round_of() {
	grep -m 1 " $1" rounds | cut -d ' ' -f 1
}
for shape in 'core-files CORE' 'breakpad MODULE' 'gsym MYSG' 'minidump MDMP' 'symbfile symbfile' 'elf debug_'; do
	expect ': status 139: cairn .*(shape of ' shapes "$(round_of "${shape% *}")" plain \
		"for file; do [ ! -f \"\$file\" ] || ! grep -aq ${shape#* } \"\$file\" || kill -SEGV \$\$; done"
done
for shape in 'jitdump jit-4711.dump' 'perfmap perf-4711.map'; do
	expect ': status 139: cairn bt .*(shape of core and ' shapes "$(round_of "${shape% *}")" plain \
		"for folder; do [ ! -s \"\$folder/${shape#* }\" ] || kill -SEGV \$\$; done"
done
# What is no regular file is where a file is looked for: who opens it waits, who sees it may answer in another way.
ATTACK_PATIENCE=2
export ATTACK_PATIENCE
expect ': it waits, or takes too much: cairn where .*fifo at gone.debug' places 1-1 plain \
	'find . -type p | while read -r pipe; do cat "$pipe"; done'
unset ATTACK_PATIENCE
expect ': status 153: cairn .*zero at ' places 1-1 plain \
	'find . -type l | while read -r link; do cat "$link" >large || kill -XFSZ $$; done'
expect ': another answer than with nothing there: cairn ' places 2-2 plain 'find . -type l -o -type b -o -type c'
expect ': sanitizer: cairn ' places 1-1 san 'echo "x.c:1:1: runtime error: planted" >&2'
# GDB alone stands in for itself here: what a real one does under lies depends on the machine.
ATTACK_GDB=$work/gdb
PATH=$work/alone:$PATH
export ATTACK_GDB PATH
mkdir alone
printf '#!/bin/sh\nexit 0\n' >gdb
printf '#!/bin/sh\nprintf "Breakpoint 1, \\nstill alive\\n"\n' >alone/gdb
chmod +x gdb alone/gdb
expect ': GDB does not get to its end: ' target 1-1 plain ''
cp gdb alone/gdb
attack --part target --rounds 1-1 1
status=$?
[ $status = 0 ] || [ $status = 77 ] || {
	echo "attack_test: target: GDB does not live without the module either:"
	cat said
	failed=1
}
# The same for cores in both debuggers, and a report of the sanitizer.
"$build/tests/shapes/make_shape" core-named 1 "$work/gdb" >core
cat core core core core >cores
printf '#!/bin/sh\ncase "$*" in *"source "*.gdb*) exit 0 ;; esac\necho "still alive"\n' >gdb
cp gdb alone/gdb
printf '#!/bin/sh\ncase "$*" in *"plugin load"*) exit 0 ;; esac\necho "  [0]: \"alive\""\n' >lldb
chmod +x lldb
ATTACK_LLDB=$work/lldb ATTACK_CORES=$work/cores
export ATTACK_LLDB ATTACK_CORES
expect ': the debugger does not get to its end: gdb with a core' cores 1-1 plain ''
[ ! -e san/plugin/lldb/cairn-lldb.so ] || expect ': the debugger does not get to its end: lldb with a core' cores 1-1 plain ''
printf '#!/bin/sh\necho "  [0]: \"alive\""\n' >lldb
# A report that comes with the module alone is ours, and one that names us; one that comes without it, too, is the debugger's.
printf '#!/bin/sh\ncase "$*" in *"source "*.gdb*) echo planted >"$SANITIZER_LOG.1" ;; esac\necho "still alive"\n' >gdb
expect ': sanitizer: gdb with a core' cores 1-1 plain ''
printf '#!/bin/sh\necho "in cairn-gdb.so" >"$SANITIZER_LOG.1"\necho "still alive"\n' >gdb
expect ': sanitizer: gdb with a core' cores 1-1 plain ''
printf '#!/bin/sh\necho planted >"$SANITIZER_LOG.1"\necho "still alive"\n' >gdb
attack --part cores --rounds 1-1 1
status=$?
[ $status = 0 ] || [ $status = 77 ] || {
	echo "attack_test: cores: a report of the debugger alone is a finding:"
	cat said
	failed=1
}
# Both parts that need GDB get ready in one attack, and neither removes what is the other's.
printf '#!/bin/sh\necho "still alive"\n' >gdb
cp gdb alone/gdb
attack --part 'target cores' --rounds 1-3 1
status=$?
if [ $status != 77 ] && { [ $status != 0 ] || grep -q 'not run\|cannot' said; }; then
	echo "attack_test: target and cores, one after the other:"
	cat said
	failed=1
fi
for status in 0 1; do # both live, or neither does without the module
	printf '#!/bin/sh\n[ %s = 1 ] || echo "still alive"\n' $status >gdb
	cp gdb alone/gdb
	attack --part cores --rounds 1-2 1
	case $? in
	0 | 77) ;;
	*)
		echo "attack_test: cores: with a debugger that does the same alone:"
		cat said
		failed=1
		;;
	esac
done
exit $failed
