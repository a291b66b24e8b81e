#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn bt walks to the outermost frame, through the C library, signals and threads: at each stop
# its pcs are those of GDB's own backtrace of the complete program, but for frames of inlined
# functions, which are no frames of the stack.  Live and in cores, in the complete program and in
# the one without call frame information; and instruction by instruction through a lazy binding.
# Arguments: compiler flags.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET" objcopy

build sample.c sample -g -pthread -Wl,-z,lazy "$@"

# own PROGRAM ARGUMENTS...: the stacks as GDB sees them, a line for each stop, and the names of cases.
own() {
	debug without "$@" -ex 'echo stack\n' | awk '
		/^=== / { if (line != "") print line; line = before = ""; print; next }
		/^stack$/ { if (line != "") print line; line = before = ""; next }
		/^0x[0-9a-f]+ 0x[0-9a-f]+$/ && $0 != before { line = line " " $1; before = $0 }'
}

# ours PROGRAM ARGUMENTS...: the same as cairn sees them.
ours() {
	debug without "$@" | tee "$tmp/said" | awk '
		/^=== / { print }
		/^{"frames":/ {
			line = ""
			while (match($0, /"pc":"0x[0-9a-f]+"/)) {
				line = line " " substr($0, RSTART + 6, RLENGTH - 7)
				$0 = substr($0, RSTART + RLENGTH)
			}
			print line
		}'
}

# without debug information of the C library GDB makes up no frames for its tail calls
cat >"$tmp/own" <<'END'
set debug-file-directory /nonexistent
set backtrace past-main on
define show-stack
  echo stack\n
  frame apply all -q printf "%#lx %#lx\n", $pc, $sp
end
END
cat >"$tmp/ours" <<END
source $CAIRN_GDB
define show-stack
  cairn bt -json
end
END

# equal NAME LINES: of one program what $tmp/NAME.eh and $tmp/NAME.no have, and each case something.
equal() {
	compare "$1" "$2"
	awk '/^=== / && before { exit 1 } { before = /^=== / } END { exit before }' "$tmp/$1.no" || fail "$1: a case without a stack"
}

# both NAME LINES ARGUMENTS...: all three walks equal, and as many as expected.
both() {
	name=$1 lines=$2
	shift 2
	own "$tmp/eh/sample" -x "$tmp/own" "$@" >"$tmp/$name.eh"
	for kind in $kinds; do
		ours "$tmp/$kind/sample" -x "$tmp/ours" "$@" >"$tmp/$name.no"
		equal "$name" "$lines"
	done
	add_frames "$name"
}

add_frames() {
	frames=$((frames + $(grep -v '^===' "$tmp/$1.eh" | wc -w)))
}

# a static program without call frame information has none for the C library either
kinds='eh no'
case " $* " in *' -static '*) kinds=eh ;; esac
frames=0
cases='recurse inline busy variable signal qsort thread abort'
# one case after the other, each to where it stops
set -- -ex 'handle SIGSEGV nostop noprint pass' -ex 'break stop_here'
for name in $cases; do
	set -- "$@" -ex "echo \\n=== $name\\n" -ex "run $name" -ex show-stack
	[ $name != qsort ] || set -- "$@" -ex continue -ex show-stack -ex continue -ex show-stack
done
both live 18 "$@"

# in cores; the stack of a thread that was not stopped by anything may be anywhere
for kind in $kinds; do
	set -- -ex 'handle SIGSEGV nostop noprint pass' -ex 'break stop_here'
	for name in $cases; do
		set -- "$@" -ex "run $name" -ex "generate-core-file $tmp/$name.$kind"
	done
	debug without "$tmp/$kind/sample" "$@" >/dev/null
done

# read_cores KIND COMMAND FILE: the first core is there before the file of commands is read
read_cores() {
	kind=$1 walk=$2 file=$3
	set --
	for name in $cases; do
		set -- "$@" -ex "core-file $tmp/$name.$kind"
		[ $# -gt 2 ] || set -- "$@" -x "$file"
		set -- "$@" -ex "echo \\n=== $name\\n" -ex show-stack
	done
	$walk "$tmp/$kind/sample" "$@"
}
read_cores eh own "$tmp/own" >"$tmp/cores.eh"
for kind in $kinds; do
	read_cores $kind ours "$tmp/ours" >"$tmp/cores.no"
	equal cores 16
done
add_frames cores

# through the PLT, the dynamic linker and the C library
cat >"$tmp/steps" <<'END'
break sort
run qsort
set $i = 0
while $i < 400
  set $i = $i + 1
  stepi
  show-stack
end
END
both steps 400 -x "$tmp/steps"
echo "$frames frames equal"
