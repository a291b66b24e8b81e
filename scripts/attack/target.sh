# SPDX-License-Identifier: MIT
# Part of attack.sh: a remote target that lies to GDB (tests/debuggers/remote_stub.c), which has the module with
# sanitizers.  GDB lives; where it does not, it does not alone either, with the same lies.
#
# Two faults are GDB's own (seen in 13) and come without the module, too, but not for the same number, because each read
# has another lie: an assertion when the selected frame is gone after `thread apply` (the stack cache hides it from GDB
# alone), which is made to be no end here; and an exception of the C++ library that nobody catches, when the program
# headers in memory claim a size (`set $a = 1` is enough).  The module is C: it throws none.

prepare_target() {
	for tool in gdb gdbserver cc objcopy; do
		command -v $tool >/dev/null || {
			reason="no $tool"
			return 1
		}
	done
	[ -f "$san/plugin/gdb/cairn-gdb.so" ] && [ -x "$plain/tests/debuggers/remote_stub" ] || {
		reason='no module'
		return 1
	}
	cc -O2 -g -pthread -Wa,--gsframe "$top/tests/fixtures/programs/sample.c" -o "$work/complete" 2>/dev/null || {
		reason='the assembler does not know --gsframe'
		return 1
	}
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$work/complete" "$work/sample"
	"$plain/core/cli/cairn" gsym create --quiet -o "$work/sample.gsym" "$work/complete" || return 1
	printf '%s\n' qsort recurse inline thread >"$work/ways"
	cat >"$work/gdb_commands" <<END
bt 30
bt 30
cairn bt
cairn modules
cairn where
cairn where \$pc
cairn sframe 0 64
set cairn unwinder off
cairn status
cairn find-cbf
cairn cbf \$sp 256
cairn markup \$sp 512
cairn markup -string \$sp
cairn symbols load all
cairn add-gsym -force -module sample $work/sample.gsym
info registers
info symbol \$pc
up 3
stepi
finish
x/4gx \$sp
frame 2
maint flush register-cache
END
}

# run_gdb GDB LOAD: the commands of this round under its lies; what it prints is in $work/text
run_gdb() {
	stub="$plain/tests/debuggers/remote_stub lie $work/lies env -i $(command -v gdbserver) --once - $work/sample $way"
	set -- "$1" "$2" "$seed$round"
	while read -r line; do
		set -- "$@" -ex "$line"
	done <"$work/drawn_commands"
	gdb=$1 load=$2 lies=$3
	shift 3
	(
		ulimit -c 0
		ulimit -t 120
		SANITIZER_LOG=$work/sanitizer NO_DEBUGINFOD=$san/tests/debuggers
		export SANITIZER_LOG NO_DEBUGINFOD
		exec timeout -k 5 1000 "$gdb" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
			-iex 'maint set internal-error quit no' -iex 'maint set internal-error corefile no' \
			-ex 'set width 0' -ex 'set pagination off' -ex 'set confirm off' -ex "$load" -ex 'set sysroot /' \
			-ex 'set remotetimeout 900' -ex "target remote | $stub" -ex 'break stop_here' -ex continue \
			-ex "maint packet qCairn.lie:$lies" "$@" \
			-ex 'maint packet qCairn.lie:0' -ex kill -ex 'echo still alive\n' "$work/sample"
	) >"$work/text" 2>&1 </dev/null
	status=$?
	runs=$((runs + 1))
	rm -f "$work"/core*
}

# lives: did GDB get to its end?
lives() {
	grep -q '^still alive' "$work/text" && grep -q 'hit Breakpoint 1, \|^Breakpoint 1, ' "$work/text"
}

attack_target() {
	rm -f "$work"/sanitizer.*
	draw_line "$work/ways"
	way=$drawn_line
	for again in 1 2 3 4 5 6 7 8 9 10; do
		draw_line "$work/gdb_commands"
		echo "$drawn_line"
	done >"$work/drawn_commands"
	run_gdb "${ATTACK_GDB:-$top/tests/debuggers/asan/gdb.sh}" "source $san/scripts/cairn.gdb"
	cat "$work/text" "$work/drawn_commands" >"$work/err"
	if ls "$work"/sanitizer.* >/dev/null 2>&1; then
		cat "$work"/sanitizer.* >"$work/err"
		keep 'sanitizer' "GDB, seed $seed$round, on $way"
	elif ! lives && ! grep -q "^terminate called after throwing an instance of 'std::length_error'" "$work/text"; then
		run_gdb gdb 'echo alone\n'
		! lives || keep "GDB does not get to its end" "GDB, seed $seed$round, on $way"
	fi
}
