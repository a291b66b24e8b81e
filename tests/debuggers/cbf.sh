#!/bin/sh
# SPDX-License-Identifier: MIT
# The backtraces that a Swift program records: decoded and found in a live process, through
# gdbserver, and in a core; and those of a real Swift program's core, where the shared data is.
. "$(dirname "$0")/lib.sh"
. "$here/answers/lines.sh"
need "$GDB" "$CC_TARGET"
case $(uname -m) in
x86_64) ;;
*) skip 'the values are laid out as on amd64' ;;
esac
commands=${MODULE%/plugin/*}/scripts/cairn.gdb

"$CC_TARGET" -g -O0 "$programs/traces.c" -o "$tmp/traces"

plain() {
	sed -n '/^begin/,$p' | mask_answers
}

# session ARGUMENTS...: the script, once the target is there.
session() {
	set -- "$@" -ex 'echo begin\n'
	while read -r line; do
		set -- "$@" -ex "echo (gdb) $line\n" -ex "$line"
	done <"$here/answers/cbf.gdb"
	debug without "$tmp/traces" -ex "source $commands" "$@" | plain
}

fill_lines traces.c leaf branch stop_here <"$here/answers/cbf.out" >"$tmp/wanted"

# check NAME: $tmp/NAME must be what is wanted.
check() {
	diff -u "$tmp/wanted" "$tmp/$1" >"$tmp/$1.diff" || {
		head -n 60 "$tmp/$1.diff"
		fail "$1"
	}
}

session -ex 'break stop_here' -ex run >"$tmp/live"
check live

debug without "$tmp/traces" -ex 'break stop_here' -ex run \
	-ex "generate-core-file $tmp/core" >/dev/null
session -ex "core-file $tmp/core" >"$tmp/of-core"
check of-core

if command -v gdbserver >/dev/null; then
	session -ex "target remote | gdbserver --once - $tmp/traces" -ex 'break stop_here' \
		-ex continue >"$tmp/remote"
	check remote
fi
echo 'live and core as wanted'

# What cannot be read of a range costs nothing.  Ctrl-C ends a long search, of memory that reads as zeros, and the next one is
# in order.
cat >"$tmp/script" <<'END'
cairn find-cbf 0 0xffffffffffffffff
print $cairn_found
print ((void *(*)(void *, unsigned long, int, int, int, long)) mmap)(0, 1UL << 34, 1, 0x4022, -1, 0)
cairn find-cbf 0 0xffffffffffffffff
echo alive\n
cairn find-cbf
END
set -- -ex 'break stop_here' -ex run
while read -r line; do
	set -- "$@" -ex "$line"
done <"$tmp/script"
timeout -s INT -k 100 4 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' \
	-iex 'set auto-load no' -ex "source $commands" "$@" "$tmp/traces" </dev/null \
	>"$tmp/interrupted" 2>&1 || :
for wanted in '^\$[0-9]* = 3$' '^Quit' '^alive' '^3 arrays in '; do
	grep -q "$wanted" "$tmp/interrupted" || {
		cat "$tmp/interrupted"
		fail "no '$wanted' after an interrupt"
	}
done

# A real one.  Each Backtrace that is alive is listed with its frames, and nothing else is.
shared=$here/../../../shared/conformance/cbf
if [ ! -f "$shared/lantern.core.xz" ]; then
	echo 'the core of a Swift program is left out: no shared data'
	exit 0
fi
need xz
xz -dc "$shared/lantern.core.xz" >"$tmp/lantern.core"

# The arrays and their runs as "ADDRESS FRAMES", in the words of cairn cbf decode --lines.
awk '/"live_backtraces"/ { on = 1 }
	/"byte_stream"/ { on = 0 }
	on && /"array"/ { gsub(/[",]/, "", $2); array = $2 }
	on && /"frames"/ { sub(/.*: "/, ""); sub(/".*/, ""); print array, $0 }
	' "$shared/lantern.expect.json" >"$tmp/lantern.eh"

lantern() {
	within 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex 'set width 0' -ex "source $commands" "$@" "$shared/lantern" \
		"$tmp/lantern.core" </dev/null 2>/dev/null
}

lantern -ex 'cairn find-cbf' >"$tmp/found"
set -- -ex 'cairn find-cbf'
for array in $(sed -n 's/^\(0x[0-9a-f]*\)  .* frames  .*/\1/p' "$tmp/found"); do
	set -- "$@" -ex "echo array $array\\n" -ex "cairn cbf -array $array"
done
lantern "$@" >"$tmp/decoded"
awk 'function flush() { if (array) print array frames }
	/^array / { flush(); array = $2; frames = ""; next }
	!array || !/^#/ || /cut here/ { next }
	/frames omitted/ { frames = frames " o" $3; next }
	{
		kind = /\[ra\]/ ? "r" : /\[async\]/ ? "a" : "p"
		address = $2
		sub(/^0x0*/, "", address)
		times = match($0, / x[0-9]+ in /) ? "*" substr($0, RSTART + 2, RLENGTH - 6) : ""
		frames = frames " " kind address times
	}
	END { flush() }' "$tmp/decoded" >"$tmp/lantern.no"
compare lantern 4
names=$(grep -c ' in \$s7lantern5climb_5limit3top7Runtime9BacktraceVSi_SiSgSitKF + ' \
	"$tmp/decoded")
[ "$names" -ge 9 ] || fail "lantern: $names frames with the name of their function"
echo "$(wc -l <"$tmp/lantern.no") backtraces of a Swift program as wanted"
