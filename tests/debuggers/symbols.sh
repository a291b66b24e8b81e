#!/bin/sh
# SPDX-License-Identifier: MIT
# Symbols that cairn hands to GDB against those of the complete build.  A C++ program of FUNCTIONS
# functions is stripped of all but .sframe, and its GSYM given back: a deep backtrace, live and in a
# core, breakpoints, lists, lines and disassembly are those that GDB shows of the complete build,
# arguments aside.  Symbfiles and Breakpad files of the same symbols give the same backtrace.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}" "${GSYMUTIL:=llvm-gsymutil-19}" "${CXX:=c++}"
functions=${FUNCTIONS:-2400}
need "$GDB" "$CXX" objcopy awk

# debug_gsym ARGUMENTS...: GDB with cairn's commands
debug_gsym() {
	program=$1
	shift
	debug without "$program" -ex "source $CAIRN_GDB" -ex 'set print frame-arguments none' "$@" || :
}

# what differs: arguments, in which file GDB found a symbol, and the name of its section
equalise() {
	settle | sed -e 's/ (\(\.\.\.\|[a-z]*=.*\|\)) at / at /' -e 's/\.text\.[0-9]*/.text/' \
		-e 's/\( in section .text\) of .*/\1/' -e 's/<\([a-z_0-9]*\)([a-z, ]*)/<\1/'
}

# a small program that the GSYM file of the fixtures fits, which needs no other tool
fixture=${here%/debuggers}/fixtures/gsym
"$CC_TARGET" -O2 -ffreestanding -nostdlib -static -no-pie -fno-asynchronous-unwind-tables \
	-fcf-protection=none -Wl,-z,noseparate-code -s \
	-Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 "$fixture/prog.c" -o "$tmp/prog"
cp "$fixture/prog.gsym" "$tmp"
debug_gsym "$tmp/prog" -ex starti -ex 'cairn symbols load' -ex 'info symbol $pc' \
	-ex 'break work' -ex 'cairn symbols unload' -ex 'info symbol $pc' >"$tmp/small"
grep -q '/prog: 2 functions from .*/prog.gsym$' "$tmp/small" || {
	cat "$tmp/small"
	fail 'the small program has no symbols'
}
grep -q '^_start in section .text' "$tmp/small" || fail 'no symbol for _start'
grep -q '^Breakpoint 1 at 0x400110: file src/prog.c' "$tmp/small" || fail 'no breakpoint by name'
grep -q '^No symbol matches' "$tmp/small" || fail 'symbols are there when they were unloaded'

command -v "$GSYMUTIL" >/dev/null || skip "no $GSYMUTIL: the small program is done"
echo 'int x;' >"$tmp/probe.c"
"$CC_TARGET" -c -Wa,--gsframe "$tmp/probe.c" -o "$tmp/probe.o" 2>/dev/null ||
	skip 'the assembler does not know --gsframe'

# build_thousands NAME FUNCTIONS FLAGS...: $tmp/eh/NAME complete, $tmp/no/NAME without anything but
# .sframe, and $tmp/NAME.gsym
build_thousands() {
	name=$1 count=$2
	shift 2
	mkdir -p "$tmp/src-$name"
	awk -v functions="$count" -v files=4 -v directory="$tmp/src-$name" -f "$here/thousands.awk"
	"$CXX" -g -fno-exceptions -fno-rtti -Wa,--gsframe "$@" "$tmp/src-$name"/*.cpp \
		-Wl,--build-id=sha1 -o "$tmp/eh/$name"
	objcopy -S --remove-section .eh_frame --remove-section .eh_frame_hdr "$tmp/eh/$name" \
		"$tmp/no/$name"
	"$GSYMUTIL" --convert "$tmp/eh/$name" -o "$tmp/$name.gsym" >/dev/null 2>&1
}

build_thousands many "$functions" -O1 -fno-var-tracking # nothing looks at variables
build_thousands plain 48 -O0
cp "$tmp/many.gsym" "$tmp/no/many.gsym"

# a deep stack, live and in a core
cat >"$tmp/look" <<'END'
bt
info symbol $pc
info line *$pc
frame 3
list
info symbol $pc
frame 150
finish
bt 3
END
set --
while read -r line; do
	set -- "$@" -ex "$line"
done <"$tmp/look"
debug_gsym "$tmp/eh/many" -ex 'break stop_here' -ex 'run 300' "$@" | equalise >"$tmp/bt.said"
sed -n '/^#0/,$p' "$tmp/bt.said" >"$tmp/bt.eh"
debug_gsym "$tmp/no/many" -ex 'starti 300' -ex 'cairn symbols load' -ex 'break stop_here' -ex continue \
	"$@" | equalise >"$tmp/bt.said"
sed -n '/^#0/,$p' "$tmp/bt.said" | grep -v '^Value returned' >"$tmp/bt.no"
grep -v '^Value returned' "$tmp/bt.eh" >"$tmp/bt.values" && mv "$tmp/bt.values" "$tmp/bt.eh"
compare bt 500

debug_gsym "$tmp/no/many" -ex starti -ex 'cairn symbols load' \
	-ex 'break stop_here' -ex continue -ex "generate-core-file $tmp/core" >/dev/null
debug_gsym "$tmp/no/many" -ex "core-file $tmp/core" -ex 'cairn symbols load' -ex bt |
	equalise | grep '^#' | sed 1d >"$tmp/core.no"
debug_gsym "$tmp/eh/many" -ex 'break stop_here' -ex run -ex bt | equalise | grep '^#' >"$tmp/core.eh"
compare core 100

# The same from other formats; symbfiles have no arguments of templates.
"$CAIRN" symbfile create --quiet --only ranges "$tmp/eh/many" -o "$tmp/many" >/dev/null
"$CAIRN" gsym create --quiet "$tmp/eh/many" -o "$tmp/own.gsym" >/dev/null
"$CAIRN" gsym dump "$tmp/own.gsym" | c++filt | awk -f "$here/breakpad.awk" >"$tmp/many.sym"
rm "$tmp/no/many.gsym"
for form in 'symbfile many.ranges' 'breakpad many.sym'; do
	name=${form%% *}
	give="cairn add-$name $tmp/${form#* }"
	debug_gsym "$tmp/no/many" -ex 'starti 300' -ex "$give" -ex 'break stop_here' -ex continue \
		-ex bt -ex 'frame 3' -ex list -ex 'tbreak part0::inner::work_0' \
		-ex 'tbreak part1::spread_9' -ex 'tbreak part2::machine_2::turn' -ex 'tbreak plain_3' \
		>"$tmp/$name.said"
	equalise <"$tmp/$name.said" | sed -n '/^#0/,$p' | sed 's/<int>//' >"$tmp/$name.no"
	debug without "$tmp/eh/many" -ex 'set print frame-arguments none' -ex 'break stop_here' \
		-ex 'run 300' -ex bt -ex 'frame 3' -ex list \
		-ex 'tbreak part0::inner::work_0' -ex 'tbreak part1::spread_9' \
		-ex 'tbreak part2::machine_2::turn' -ex 'tbreak plain_3' |
		equalise | sed -n '/^#0/,$p' | sed 's/<int>//' >"$tmp/$name.eh"
	compare "$name" 300
	debug_gsym "$tmp/no/many" -ex "core-file $tmp/core" -ex "$give" -ex bt |
		equalise | grep '^#' | sed -e 1d -e 's/<int>//' >"$tmp/$name-core.no"
	sed 's/<int>//' "$tmp/core.eh" >"$tmp/$name-core.eh"
	compare "$name-core" 100
done

# where to stop: by function, and by line where nothing was optimized
echo 'set print thread-events off' >"$tmp/stops"
# GDB 18 knows templates that return something by the last part of their names alone
template=part1::spread_9\<int\>
case $("$GDB" --version | head -n 1) in
*' '1[89].*) template=spread_9 ;;
esac
for name in stop_here main work_0 part0::inner::work_0 spread_9 "$template" plain_3 \
	part2::machine_2::turn turn pass_3 ready_8; do
	echo "tbreak $name"
done >>"$tmp/stops"
line=5
while [ $line -lt 200 ]; do
	echo "tbreak part0.cpp:$line"
	echo "tbreak part1.cpp:$line"
	line=$((line + 1))
done >"$tmp/lines"
stops_of() {
	debug_gsym "$tmp/no/$1" -ex starti -ex "cairn add-gsym $tmp/$1.gsym" -x "$2" -ex kill |
		equalise | sed -n 's/^Temporary breakpoint/&/p'
}
stops_of plain "$tmp/lines" >"$tmp/lines.no"
# the complete build is asked in a process, too, for addresses to be the same
debug without "$tmp/eh/plain" -ex starti -x "$tmp/lines" -ex kill | equalise |
	sed -n 's/^Temporary breakpoint/&/p' >"$tmp/lines.eh"
# GDB 16 takes no line that is before a function, whose declaration a complete build knows
sed 's/^Temporary breakpoint [0-9]* //' "$tmp/lines.no" | sort -u >"$tmp/lines.all"
sed 's/^Temporary breakpoint [0-9]* //' "$tmp/lines.eh" | sort -u >"$tmp/lines.known"
[ "$(wc -l <"$tmp/lines.eh")" -ge 300 ] || fail 'lines: the complete build shows too little'
comm -23 "$tmp/lines.known" "$tmp/lines.all" >"$tmp/lines.lost"
if [ -s "$tmp/lines.lost" ]; then
	head -n 20 "$tmp/lines.lost"
	fail lines
fi
# Where it was optimized, symbols that tell of statements stop each line and each function where the
# complete build does.
build_thousands fast 48 -O2
awk '/^tbreak/ { print "echo " $2 "\\040" } { print }' "$tmp/lines" >"$tmp/lines.asked"
# What was asked and the address; for several places, all of theirs.
places() {
	awk '$2 == "Temporary" { sub(/:/, "", $6); print $1, $6; asked[$4] = $1 }
		$1 ~ /^[0-9]+\.[0-9]+$/ { split($1, n, "."); print asked[n[1]], "place", n[2], $3 }'
}
# places_of NAME GSYM
places_of() {
	debug_gsym "$tmp/no/$1" -ex starti -ex "cairn add-gsym $2" -x "$tmp/$1.asked" \
		-ex 'info breakpoints' -ex kill | places
}
# statements NAME: breakpoints of $tmp/eh/NAME
statements() {
	nm "$tmp/eh/$1" | awk '$2 ~ /[tT]/ && $3 ~ /^(_Z|plain)/ {
		print "echo " $3 "\\040\ntbreak " $3 }' | cat "$tmp/lines.asked" - >"$tmp/$1.asked"
	"$CAIRN" gsym create --quiet --statements "$tmp/eh/$1" -o "$tmp/$1.all"
	debug without "$tmp/eh/$1" -ex starti -x "$tmp/$1.asked" -ex 'info breakpoints' -ex kill |
		places >"$tmp/$1.eh"
	places_of "$1" "$tmp/$1.all" | sort >"$tmp/$1.no"
	sort "$tmp/$1.eh" >"$tmp/$1.known"
	[ "$(wc -l <"$tmp/$1.eh")" -ge 300 ] || fail "$1: the complete build shows too little"
	comm -23 "$tmp/$1.known" "$tmp/$1.no" >"$tmp/$1.lost"
	[ ! -s "$tmp/$1.lost" ] || {
		head -n 20 "$tmp/$1.lost"
		fail "$1: breakpoints"
	}
}
statements fast
# By others' files they are a guess, right for most.
places_of fast "$tmp/fast.gsym" >"$tmp/fast.guess"
guessed=$(awk 'NR == FNR { at[$1] = $2; next } at[$1] == $2' "$tmp/fast.guess" "$tmp/fast.eh" | wc -l)
of=$(wc -l <"$tmp/fast.eh")
[ "$guessed" -ge $((of * 8 / 10)) ] || fail "optimized: $guessed of $of breakpoints"
if command -v "${CLANGXX:=clang++}" >/dev/null; then
	mkdir -p "$tmp/src-clang"
	awk -v functions=48 -v files=4 -v directory="$tmp/src-clang" -f "$here/thousands.awk"
	for level in 0 2; do
		"$CLANGXX" -w -g -O$level -fno-exceptions -fno-rtti "$tmp/src-clang"/*.cpp \
			-Wl,--build-id=sha1 -o "$tmp/eh/clang$level"
		objcopy -S "$tmp/eh/clang$level" "$tmp/no/clang$level"
		statements clang$level
		# without marks, by clang's rule: one function in a hundred may begin otherwise
		"$GSYMUTIL" --convert "$tmp/eh/clang$level" -o "$tmp/clang$level.gsym" >/dev/null 2>&1
		places_of clang$level "$tmp/clang$level.gsym" >"$tmp/guess"
		guess=$(awk 'NR == FNR { at[$1] = $2; next } at[$1] == $2' "$tmp/guess" \
			"$tmp/clang$level.eh" | wc -l)
		of=$(wc -l <"$tmp/clang$level.eh")
		[ "$guess" -ge $((of * 98 / 100)) ] || fail "clang -O$level: $guess of $of breakpoints"
	done
else
	echo "no clang++: what gcc makes is compared"
fi

debug without "$tmp/eh/many" -ex starti -x "$tmp/stops" -ex kill | equalise |
	sed -n 's/^Temporary breakpoint/&/p' >"$tmp/stops.eh"
stops_of many "$tmp/stops" >"$tmp/stops.no"
compare stops 10

# the source between the instructions
set -- -ex 'break spread_9' -ex continue -ex 'disassemble /s' -ex 'list plain_7' -ex next \
	-ex step -ex step -ex 'bt 4' -ex 'up'
debug_gsym "$tmp/eh/plain" -ex starti "$@" | equalise | sed -n '/^Dump/,$p' >"$tmp/source.eh"
debug_gsym "$tmp/no/plain" -ex starti -ex "cairn add-gsym $tmp/plain.gsym" "$@" | equalise |
	sed -n '/^Dump/,$p' >"$tmp/source.no"
compare source 40

# the file of another build
debug_gsym "$tmp/no/many" -ex starti -ex "cairn add-gsym $tmp/plain.gsym" \
	-ex "cairn add-gsym -module many $tmp/plain.gsym" -ex 'info symbol main' >"$tmp/wrong"
[ "$(grep -c '^cairn: .*plain.gsym: .* its build ID is [0-9a-f]*' "$tmp/wrong")" = 2 ] &&
	grep -q 'No symbol table is loaded\|No symbol "main"' "$tmp/wrong" || {
	cat "$tmp/wrong"
	fail 'symbols of another build were taken'
}

# A symbfile has no build ID; its name may tell the FileID of the executable.
id=$("$CAIRN" symbfile id "$tmp/no/many" | grep -o '^[0-9a-f]*')
other=$("$CAIRN" symbfile id "$tmp/no/plain" | grep -o '^[0-9a-f]*')
mkdir -p "$tmp/cache/cairn"
cp "$tmp/many.ranges" "$tmp/$other.symbfile"
cp "$tmp/many.ranges" "$tmp/nameless"
sed 's/^INFO CODE_ID ../INFO CODE_ID 00/' "$tmp/many.sym" >"$tmp/other.sym"
head -c 4000 "$tmp/many.ranges" >"$tmp/many.cut"
XDG_CACHE_HOME="$tmp/cache"
export XDG_CACHE_HOME
debug_gsym "$tmp/no/many" -ex starti -ex "cairn add-symbfile $tmp/$other.symbfile" \
	-ex "cairn add-symbfile -module many $tmp/$other.symbfile" \
	-ex "cairn add-symbfile $tmp/nameless" -ex "cairn add-symbfile $id" \
	-ex "cairn add-symbfile -module many $tmp/many.sym" -ex "cairn add-breakpad $tmp/other.sym" \
	-ex "cairn add-symbfile $tmp/no/many" -ex "cairn add-symbfile -url ;x $id" \
	-ex 'info symbol main' -ex "cairn add-symbfile -only -module many $tmp/nameless" \
	-ex 'cairn where $pc' -ex "cairn add-symbfile $tmp/many.cut" >"$tmp/refused"
{
	echo "cairn: DIR/$other.symbfile: no module has a file with this FileID; use -module NAME -force to load the symbols anyway"
	echo "cairn: DIR/$other.symbfile: its FileID belongs to another executable; use -force to load the symbols anyway"
	echo "cairn: DIR/nameless: a symbfile does not record its module; specify the module with -module NAME"
	echo "cairn: the cache has no symbols for $id; fetch them with \"cairn symbfile fetch --url URL $id\" in a shell, or add -url URL to this command"
	echo 'cairn: DIR/many.sym is a Breakpad file; use "cairn add-breakpad"'
	echo "cairn: DIR/other.sym: does not belong to any module: its build ID is ID; use -module NAME -force to load the symbols anyway"
	echo 'cairn: DIR/many: an ELF file without a .gsym section'
	echo 'cairn: not an http(s) URL, or contains unsafe characters: ;x'
} >"$tmp/refused.eh"
settle <"$tmp/refused" | sed 's/build ID is [0-9a-f]*/build ID is ID/' | grep '^cairn: ' >"$tmp/refused.no"
compare refused
grep -q 'No symbol table is loaded\|No symbol "main"' "$tmp/refused" || fail 'taken all the same'
grep -q '/many: symbols in .*/nameless$' "$tmp/refused" || fail 'not taken for the module named'
grep -q '^  damaged: .* at byte [0-9]* ' "$tmp/refused" || fail 'no word of the damage'

# What was fetched is found by the FileID; a program `cairn` fetches when it is asked to.
mkdir "$tmp/bin"
cat >"$tmp/bin/cairn" <<END
#!/bin/sh
[ "\$*" = "symbfile fetch --url http://x.test/a?b=c&d $id" ] &&
	cp "$tmp/many.ranges" "$tmp/cache/cairn/$id.symbfile"
END
chmod +x "$tmp/bin/cairn"
PATH="$tmp/bin:$PATH" debug_gsym "$tmp/no/many" -ex starti \
	-ex "cairn add-symbfile -url http://x.test/a?b=c&d $id" -ex 'info symbol main' >"$tmp/fetched"
debug_gsym "$tmp/no/many" -ex starti -ex 'cairn symbols load' -ex 'info symbol main' \
	-ex 'cairn symbols unload' -ex "cairn add-symbfile $id" -ex 'info symbol main' >>"$tmp/fetched"
[ "$(grep -c "^$tmp/no/many: [0-9]* functions from $tmp/cache/cairn/$id.symbfile" "$tmp/fetched")" = 3 ] &&
	[ "$(grep -c '^main in section' "$tmp/fetched")" = 3 ] || {
	cat "$tmp/fetched"
	fail 'symbols that were fetched'
}

# without loading anything into GDB; and modules followed through runs
debug_gsym "$tmp/no/many" -ex "set cairn directory $tmp" -ex starti \
	-ex 'cairn symbols load' -ex 'break stop_here' -ex 'continue' -ex 'cairn symbols unload' \
	-ex 'bt 1' -ex 'cairn bt 2' -ex 'cairn where $pc' -ex 'set cairn auto-symbols on' -ex 'bt 1' \
	-ex run -ex 'bt 1' >"$tmp/follow"
grep -q '^#0 .* in ?? ()$' "$tmp/follow" || fail 'symbols are there when they were unloaded'
grep -q '^#0 .* in stop_here(int) at main.cpp:' "$tmp/follow" || fail 'cairn bt knows no GSYM'
grep -q '^0x[0-9a-f]* stop_here(int) at main.cpp:' "$tmp/follow" || fail 'where knows no GSYM'
[ "$(grep -c '^#0  stop_here () at .*main.cpp:' "$tmp/follow")" = 2 ] || {
	cat "$tmp/follow"
	fail 'symbols do not follow'
}

# Two inferiors, one without.  GDB 13 may wait for ever for a second `starti`, cairn or not.
debug_gsym "$tmp/no/many" -ex starti -ex 'cairn symbols load' -ex 'break stop_here' \
	-ex continue -ex 'add-inferior -exec '"$tmp/no/plain" -ex 'inferior 2' \
	-ex 'set stop-on-solib-events 1' -ex run \
	-ex 'cairn symbols unload' -ex "cairn add-gsym $tmp/plain.gsym" -ex 'info symbol $pc' \
	-ex 'inferior 1' -ex 'bt 1' -ex 'cairn symbols unload' -ex 'bt 1' -ex 'inferior 2' \
	-ex 'info line plain_3' >"$tmp/two"
grep -q '^cairn has loaded no symbols' "$tmp/two" &&
	grep -q '^#0  stop_here () at ' "$tmp/two" &&
	grep -q '^#0 .* in ?? ()$' "$tmp/two" &&
	grep -q '^Line [0-9]* of ".*part3.cpp" starts at' "$tmp/two" || {
	cat "$tmp/two"
	fail 'two inferiors'
}
echo "$(wc -l <"$tmp/bt.no") lines, $(wc -l <"$tmp/lines.no") breakpoints equal; optimized by guess $guessed of $of"
