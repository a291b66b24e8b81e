# SPDX-License-Identifier: MIT
# Part of attack.sh: a damaged core in GDB and in LLDB, which have the module with sanitizers: damage by chance to the
# core of a program that is there, most of it to headers and notes, and cores of tests/shapes.  The debugger lives;
# where it does not, it does not alone either, with the same core.

prepare_cores() {
	for tool in gdb cc objcopy nm; do
		command -v $tool >/dev/null || {
			reason="no $tool"
			return 1
		}
	done
	[ -f "$san/plugin/gdb/cairn-gdb.so" ] && [ -x "$plain/tests/shapes/make_shape" ] || {
		reason='no module'
		return 1
	}
	cores=$work/of_cores # in which no other part removes anything
	mkdir -p "$cores/complete" "$cores/bare"
	cc -O2 -g -pthread -Wa,--gsframe "$top/tests/fixtures/programs/sample.c" -o "$cores/complete/sample" 2>/dev/null || {
		reason='the assembler does not know --gsframe'
		return 1
	}
	objcopy -S --remove-section .eh_frame --remove-section .eh_frame_hdr "$cores/complete/sample" "$cores/bare/sample"
	"$plain/core/cli/cairn" gsym create --quiet -o "$cores/core.gsym" "$cores/complete/sample" || return 1
	make_cores || {
		reason='GDB writes no core'
		return 1
	}
	core_debuggers=gdb
	core_lldb=${ATTACK_LLDB:-$san/tests/debuggers/lldb/lldb-driver}
	! { [ -f "$san/plugin/lldb/cairn-lldb.so" ] && [ -x "$core_lldb" ]; } || core_debuggers='gdb lldb'
	"$plain/tests/shapes/make_shape" | grep '^core-' >"$cores/core_shapes"
	list_core_commands
}

# make_cores: of two stacks, one of many threads, as GDB writes them; ATTACK_CORES names another file
make_cores() {
	stop=$(nm "$cores/complete/sample" | sed -n 's/ [tT] stop_here$//p')
	for core in recurse thread; do
		[ -z "${ATTACK_CORES:-}" ] || cp "$ATTACK_CORES" "$cores/core.$core" || return 1
		[ -s "$cores/core.$core" ] || timeout 100 gdb -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
			-ex 'set exec-wrapper env -i' -ex "break *(0x555555554000+0x$stop)" -ex "run $core" \
			-ex "generate-core-file $cores/core.$core" "$cores/bare/sample" >"$work/text" 2>&1 </dev/null
		[ -s "$cores/core.$core" ] || return 1
	done
}

# list_core_commands: for each debugger, one a line
list_core_commands() {
	cat >"$cores/core_common" <<END
bt
bt 5
cairn bt
cairn bt -json 20
cairn modules
cairn where \$pc
cairn where 0x401000
cairn status
cairn find-cbf
cairn cbf \$sp 256
cairn markup \$sp 512
cairn sframe
cairn symbols load all
cairn symbols unload
cairn add-gsym -force -module sample $cores/core.gsym
cairn add-gsym $cores/core.gsym
up
down
END
	cp "$cores/core_common" "$cores/core_gdb"
	cat >>"$cores/core_gdb" <<END
thread apply all bt 5
info sharedlibrary
info registers
info symbol \$pc
x/4gx \$sp
frame 2
set cairn unwinder off
maint flush register-cache
END
	cp "$cores/core_common" "$cores/core_lldb"
	cat >>"$cores/core_lldb" <<END
thread backtrace all
target modules list
register read
image lookup -a \$pc
memory read \$sp
frame select 2
thread select 2
END
}

# damage_core: into $cores/core
damage_core() {
	draw 5
	if [ "$drawn" = 0 ]; then
		draw_line "$cores/core_shapes"
		source="shape of $drawn_line"
		draw 1000000007
		"$plain/tests/shapes/make_shape" "${source#shape of }" "$drawn" "$cores/bare/sample" >"$cores/core"
		return
	fi
	[ "$drawn" = 1 ] && source=$cores/core.thread || source=$cores/core.recurse
	cp "$source" "$cores/core"
	blocks=$(($(wc -c <"$cores/core") / 4096))
	draw 3
	[ "$drawn" != 0 ] && draw 3 || draw $blocks
	block=$drawn # headers and notes, or any
	dd if="$cores/core" of="$work/block" bs=4096 skip=$block count=1 2>/dev/null
	damage "$work/block" "$work/block"
	draw 8
	[ "$drawn" = 0 ] && : >"$cores/core" # nothing but the block is left
	dd if="$file" of="$cores/core" bs=4096 seek=$block conv=notrunc 2>/dev/null
}

# run_core_gdb PROGRAM LOAD: what it prints is in $work/text
run_core_gdb() {
	set -- "$1" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-iex 'maint set internal-error quit no' -iex 'maint set internal-error corefile no' \
		-ex 'set width 0' -ex 'set pagination off' -ex 'set confirm off' -ex "$2" -ex "file $cores/bare/sample" -ex "core $cores/core"
	while read -r line; do
		set -- "$@" -ex "$line"
	done <"$work/drawn_commands"
	run_core_debugger "$@" -ex 'echo \nstill alive\n'
}

# run_core_lldb PROGRAM LOAD
run_core_lldb() {
	{
		echo "target create --core $cores/core $cores/bare/sample"
		cat "$work/drawn_commands"
		echo 'settings set target.run-args alive'
		echo 'settings show target.run-args'
	} >"$work/lldb_lines"
	run_core_debugger "$1" -x -b -O 'settings set use-color false' -O 'settings set symbols.enable-external-lookup false' -O "$2" \
		-o "command source -e 0 $work/lldb_lines"
	sed 's/^.*\[0\]: "alive"/still alive/' "$work/text" >"$work/said" && mv "$work/said" "$work/text"
}

# run_core_debugger COMMAND...
run_core_debugger() {
	(
		ulimit -c 0
		ulimit -t 200
		ulimit -f 1048576
		SANITIZER_LOG=$work/sanitizer NO_DEBUGINFOD=$san/tests/debuggers
		ASAN_OPTIONS=detect_leaks=0:exitcode=99:detect_odr_violation=0:log_path=$work/sanitizer
		UBSAN_OPTIONS=halt_on_error=1:exitcode=99:print_stacktrace=1:log_path=$work/sanitizer
		export SANITIZER_LOG NO_DEBUGINFOD ASAN_OPTIONS UBSAN_OPTIONS
		cd "$work" && exec timeout -k 5 900 "$@"
	) >"$work/text" 2>&1 </dev/null
	status=$?
	runs=$((runs + 1))
}

has_sanitizer_log() {
	ls "$work"/sanitizer.* >/dev/null 2>&1
}

# is_of_debugger DEBUGGER: no function of ours is in the report, and there is one without our module, too: LLDB asks for
# 2^60 bytes where a damaged core says so.
is_of_debugger() {
	! grep -qE 'cairn-(gdb|lldb)|/(core|plugin)/' "$work/err" || return
	rm -f "$work"/sanitizer.*
	case $1 in
	gdb) run_core_gdb "${ATTACK_GDB:-$top/tests/debuggers/asan/gdb.sh}" 'echo alone\n' ;;
	*) run_core_lldb "$core_lldb" 'settings show target.run-args' ;;
	esac
	has_sanitizer_log
}

# attack_core DEBUGGER: with the core of this round
attack_core() {
	rm -f "$work"/sanitizer.*
	for again in 1 2 3 4 5 6 7 8 9 10; do
		draw_line "$cores/core_$1"
		echo "$drawn_line"
	done >"$work/drawn_commands"
	case $1 in
	gdb) run_core_gdb "${ATTACK_GDB:-$top/tests/debuggers/asan/gdb.sh}" "source $san/scripts/cairn.gdb" ;;
	*) run_core_lldb "$core_lldb" "plugin load $san/plugin/lldb/cairn-lldb.so" ;;
	esac
	cat "$work/text" "$work/drawn_commands" >"$work/err"
	if has_sanitizer_log; then
		cat "$work"/sanitizer.* >"$work/err"
		is_of_debugger "$1" || keep 'sanitizer' "$1 with a core"
	elif ! grep -q '^still alive' "$work/text"; then
		case $1 in
		gdb) run_core_gdb gdb 'echo alone\n' ;;
		*) run_core_lldb "$core_lldb" 'settings show target.run-args' ;;
		esac
		! grep -q '^still alive' "$work/text" || keep 'the debugger does not get to its end' "$1 with a core"
	fi
}

attack_cores() {
	damage_core
	cp "$cores/core" "$file"
	for debugger in $core_debuggers; do
		attack_core "$debugger"
	done
	rm -f "$cores/core"
}
