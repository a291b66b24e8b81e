#!/bin/sh
# SPDX-License-Identifier: MIT
# The backtraces that a Swift program records: decoded and found in a live process, through
# gdbserver, and in a core; and those of a real Swift program's core, where the shared data is.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET"
case $(uname -m) in
x86_64) ;;
*) skip 'the values are laid out as on amd64' ;;
esac
commands=${MODULE%/plugin/*}/scripts/cairn.gdb

"$CC_TARGET" -g -O0 "$programs/traces.c" -o "$tmp/traces"

cat >"$tmp/script" <<'END'
cairn cbf blob
p $cairn_frames
p $cairn_total
p $cairn_kind1
p $cairn_times1
p $cairn_end
cairn cbf at_end
p $cairn_end
cairn cbf at_end 3
cairn cbf at_end + 0 10
p $cairn_end
cairn cbf -json blob
up
cairn cbf -backtrace &local
cairn cbf -json -backtrace &local
down
cairn cbf -backtrace kept[1]
cairn cbf -backtrace kept[2]
p $cairn_ok
cairn cbf -backtrace blob
p $cairn_ok
cairn cbf 0
p $cairn_error
cairn cbf blob 0
cairn cbf
cairn find-cbf
p $cairn_found
cairn cbf -array $cairn_array0
p $cairn_size0
cairn cbf -array 8
cairn find-cbf -arrays
cairn find-cbf -json
cairn find-cbf 0x1000 0x2000
p $cairn_found
cairn find-cbf 0x2000 0x1000
cairn find-cbf 1
END

# What is the same in each run: no addresses, no amounts of memory.
plain() {
	sed -n '/^begin/,$p' | sed -e 's/0x[0-9a-f]*/ADDRESS/g' -e 's/in [0-9]* bytes/in N bytes/' \
		-e 's/"searched":[0-9]*/"searched":N/' -e 's/"bytes":"[0-9a-f]*"/"bytes":"HEX"/g' \
		-e 's/"copies":[0-9]*/"copies":N/g' \
		-e '/^[0-9]/d' -e '/^#[01]  \(ADDRESS in run\|stop_here\) (/d'
}

# session ARGUMENTS...: the script, once the target is there.
session() {
	set -- "$@" -ex 'echo begin\n'
	while read -r line; do
		set -- "$@" -ex "$line"
	done <"$tmp/script"
	debug without "$tmp/traces" -ex "source $commands" "$@" | plain
}

# line NAME: where the function begins, as GDB counts.
line() {
	echo $(($(grep -n "^KEEP .*[ *]$1(" "$programs/traces.c" | cut -d: -f1) + 1))
}

sed -e "s/@leaf@/$(line leaf)/g" -e "s/@branch@/$(line branch)/g" \
	-e "s/@stop@/$(line stop_here)/g" >"$tmp/wanted" <<'END'
begin
#0   ADDRESS in leaf + 1 at traces.c:@leaf@
#1   ADDRESS [ra] x3 in branch + 1 at traces.c:@branch@
#4   ... 6 frames omitted
#10  ADDRESS [async] in stop_here at traces.c:@stop@
$1 = 4
$2 = 11
$3 = 2
$4 = 3
$5 = "end"
#0   ADDRESS in leaf + 1 at traces.c:@leaf@
#1   ADDRESS [ra] x3 in branch + 1 at traces.c:@branch@
#4   ... 6 frames omitted
#10  ADDRESS [async] in stop_here at traces.c:@stop@
$6 = "eof"
damaged: data ends inside an operand at byte 1 (ADDRESS)
#0   ADDRESS in leaf + 1 at traces.c:@leaf@
$7 = "eof"
{"frames":[{"number":0,"kind":"pc","times":1,"lookup":"ADDRESS","pc":"ADDRESS","function":"leaf","offset":1,"file":"traces.c","line":@leaf@},{"number":1,"kind":"ra","times":3,"lookup":"ADDRESS","pc":"ADDRESS","function":"branch","offset":1,"file":"traces.c","line":@branch@},{"number":4,"kind":"omitted","times":1,"count":6},{"number":10,"kind":"async","times":1,"lookup":"ADDRESS","pc":"ADDRESS","function":"stop_here","offset":0,"file":"traces.c","line":@stop@}],"status":"end","offset":31,"word_bits":64,"bytes":"HEX"}
#0   ADDRESS in leaf + 1 at traces.c:@leaf@ (atraces+ADDRESS)
#1   ADDRESS [ra] x3 in branch + 1 at traces.c:@branch@ (atraces+ADDRESS)
#4   ... 6 frames omitted
#10  ADDRESS [async] in stop_here at traces.c:@stop@ (atraces+ADDRESS)
{"frames":[{"number":0,"kind":"pc","times":1,"lookup":"ADDRESS","pc":"ADDRESS","function":"leaf","offset":1,"file":"traces.c","line":@leaf@,"module":"atraces","module_offset":"ADDRESS","build_id":"ca170001"},{"number":1,"kind":"ra","times":3,"lookup":"ADDRESS","pc":"ADDRESS","function":"branch","offset":1,"file":"traces.c","line":@branch@,"module":"atraces","module_offset":"ADDRESS","build_id":"ca170001"},{"number":4,"kind":"omitted","times":1,"count":6},{"number":10,"kind":"async","times":1,"lookup":"ADDRESS","pc":"ADDRESS","function":"stop_here","offset":0,"file":"traces.c","line":@stop@,"module":"atraces","module_offset":"ADDRESS","build_id":"ca170001"}],"status":"eof","offset":30,"word_bits":64,"bytes":"HEX"}
#0   ADDRESS in ??
#1   ... cut here
#0   ADDRESS in ??
damaged: reserved instruction at byte 3 (ADDRESS)
$8 = 1
cairn: no Swift backtrace there: not a Backtrace value
$9 = 0
cairn: the memory there cannot be read
$10 = "the memory there cannot be read"
cairn: LENGTH is 0
cairn: EXPRESSION is missing: cairn cbf EXPRESSION [LENGTH]
ADDRESS  11 frames  leaf + 1 at traces.c:@leaf@
ADDRESS  1 frame  ??
ADDRESS  1 frame  ??  (damaged)
$11 = 3
#0   ADDRESS in leaf + 1 at traces.c:@leaf@ (atraces+ADDRESS)
#1   ADDRESS [ra] x3 in branch + 1 at traces.c:@branch@ (atraces+ADDRESS)
#4   ... 6 frames omitted
#10  ADDRESS [async] in stop_here at traces.c:@stop@ (atraces+ADDRESS)
$12 = 30
cairn: no Swift backtrace there: not an array that find-cbf listed
ADDRESS  11 frames  leaf + 1 at traces.c:@leaf@
ADDRESS  1 frame  ??
ADDRESS  1 frame  ??  (damaged)
ADDRESS  11 frames  leaf + 1 at traces.c:@leaf@  (array)
{"found":[{"array":"ADDRESS","found":"value","bytes":30,"frames":11,"status":"eof","copies":N,"class":"ADDRESS","architecture":"x86_64","first":{"pc":"ADDRESS","function":"leaf","offset":1,"file":"traces.c","line":@leaf@}},{"array":"ADDRESS","found":"value","bytes":4,"frames":1,"status":"trunc","copies":N,"class":"ADDRESS","architecture":"x86_64","first":{"pc":"ADDRESS"}},{"array":"ADDRESS","found":"damaged","bytes":4,"frames":1,"status":"reserved","copies":N,"class":"ADDRESS","architecture":"x86_64","first":{"pc":"ADDRESS"}}],"searched":N,"complete":true}
$13 = 0
cairn: START is not below END
cairn: START and END are numbers, decimal or ADDRESS and hexadecimal
END

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

# Ctrl-C ends a long search, and the next one is in order.
cat >"$tmp/script" <<'END'
cairn find-cbf 0x1000 0x7fffffffffff
cairn find-cbf 0x1000 0x7fffffffffff
echo alive\n
cairn find-cbf
END
set -- -ex 'break stop_here' -ex run
while read -r line; do
	set -- "$@" -ex "$line"
done <"$tmp/script"
timeout -s INT -k 100 2 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' \
	-iex 'set auto-load no' -ex "source $commands" "$@" "$tmp/traces" </dev/null \
	>"$tmp/interrupted" 2>&1 || :
for wanted in '^Quit' '^alive' '^3 arrays in '; do
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
