# SPDX-License-Identifier: MIT
# Part of attack.sh: a pipe, a device, a directory, a socket, or a link that leads nowhere is where a file is looked for
# (tests/shapes/make_place.c): beside the program, in directories of build IDs, in the cache, where a section or a core
# names a file.  The verb does not wait for it, and answers as it does when nothing is there.

prepare_places() {
	for tool in objcopy timeout; do
		command -v $tool >/dev/null || {
			reason="no $tool"
			return 1
		}
	done
	[ -x "$plain/tests/shapes/make_place" ] || {
		reason='no program that makes places'
		return 1
	}
	"$plain/tests/shapes/make_place" >"$work/place_kinds"
	dwarf=$top/tests/fixtures/dwarf
	whole_id=6162636465666768696a6b6c6d6e6f7071727374 # of fixtures/dwarf/named
	id=${whole_id%"${whole_id#??}"}/${whole_id#??}
	rm -rf "$work/programs"
	mkdir "$work/programs"
	cp "$dwarf/named" "$work/programs/prog"
	cp "$dwarf/split" "$dwarf/dwz.a" "$work/programs"
	objcopy --strip-all "$dwarf/named" "$work/programs/bare"
	printf 'gone.debug\0\0\1\2\3\4' >"$work/section"
	objcopy --strip-debug --add-section .gnu_debuglink="$work/section" "$dwarf/named" "$work/programs/linked"
	printf '%s\0aaaaaaaaaaaaaaaaaaaa' "$work/place/gone.alt" >"$work/section"
	objcopy --add-section .gnu_debugaltlink="$work/section" "$dwarf/named" "$work/programs/alt"
	cp "$top/tests/fuzz/corpus/symbfile/first" "$work/programs/symbfile" 2>/dev/null ||
		cp "$(find "$top/tests/fuzz/corpus/symbfile" -type f | sort | head -n 1)" "$work/programs/symbfile"
	cat >"$work/named.log" <<END
{{{reset}}}
{{{module:0:$work/place/prog:elf:$whole_id}}}
{{{mmap:0x400000:0x10000:load:0:rx:0x400000}}}
{{{bt:0:0x401000:pc}}} {{{bt:1:0x401010:ra}}}
END
	"$plain/tests/shapes/make_shape" core-named 1 "$work/place/prog" >"$work/named.core"
	list_places
}

# list_places: where something is, and who looks there; a word that begins with @ is in the directory of the round
list_places() {
	cat >"$work/place_rows" <<END
prog.gsym where @prog 0x401000
prog.gsym where --no-cache @prog 0x401000
bare.gsym where --no-cache @bare 0x401000
bare.gsym gsym lookup @bare 0x401000
prog.gsym bt @core
prog.gsym markup --module-paths @log
dir/prog.gsym bt --directory @dir @core
dir/prog.gsym where --directory @dir @prog 0x401000
dir/.build-id/$id.gsym bt --directory @dir @core
dir/.build-id/$id.gsym markup --directory @dir @log
dir/$whole_id.gsym markup --directory @dir @log
dir/$whole_id.sym markup --directory @dir @log
dir/$whole_id.symbfile markup --directory @dir @log
dir/$whole_id.ranges markup --directory @dir @log
dir/.build-id/$id.sym bt --directory @dir @core
dir/.build-id/$id.debug markup --debug-file-directory @dir @log
dir/.build-id/$id.debug markup --compat=llvm --debug-file-directory @dir @log
dir/.build-id/$id.debug where --no-cache --directory @dir @bare 0x401000
dir/.build-id/$id.debug bt --debug-file-directory @dir @core
dir/.build-id/$id markup --debug-file-directory @dir @log
dir/.build-id/$id bt --debug-file-directory @dir @core
dir/.build-id/${id%%/*} markup --debug-file-directory @dir @log
dir/.build-id bt --debug-file-directory @dir @core
dir where --no-cache --directory @dir @bare 0x401000
dir bt --directory @dir --debug-file-directory @dir @core
cache where @prog 0x401000
cache/cairn where @prog 0x401000
cache/cairn bt @core
cache/cairn markup --module-paths @log
cache/cairn symbfile lookup @symbfile 0x401000
cache/cairn/$whole_id.gsym where @prog 0x401000
cache/cairn/$whole_id.gsym bt @core
cache/cairn/$whole_id.debuginfod.gsym where @prog 0x401000
cache/cairn/$whole_id.debuginfod.gsym markup @log
gone.debug where --no-cache @linked 0x401000
gone.debug gsym create --quiet -o @made @linked
gone.debug dwarf dump --summary @linked
gone.debug symbols write --quiet --force -o @made @linked
.debug/gone.debug where --no-cache @linked 0x401000
.debug/gone.debug symbfile create --quiet -o @made @linked
.debug dwarf dump --summary @linked
dir/gone.debug where --no-cache --directory @dir @linked 0x401000
gone.alt where --no-cache @alt 0x401000
gone.alt gsym create --quiet -o @made @alt
gone.alt dwarf dump --summary @alt
dwz.alt gsym create --quiet -o @made @dwz.a
dwz.alt dwarf dump --summary @dwz.a
split.dwo gsym create --quiet -o @made @split
split.dwo dwarf dump --summary @split
split.dwo where --no-cache @split 0x401000
split.dwp gsym create --quiet -o @made @split
split.dwp where --no-cache @split 0x401000
prog bt @core
prog bt --list-modules @core
prog bt --explain @core
root bt --sysroot @root @core
jit/perf-4711.map bt --directory @jit @core
jit/jit-4711.dump bt --directory @jit @core
jit/jit-4711.dump bt --json --directory @jit @core
perf-4711.map bt @core
jit-4711.dump bt @core
core.perf-map bt @core
made gsym create --quiet -o @made @prog
made symbols write --quiet --force -o @made @prog
made.ranges symbfile create --quiet --only ranges -o @made @prog
END
}

# begin_place KIND: a fresh directory, with something of the kind where the verb looks; '': with nothing there
begin_place() {
	rm -rf "$work/place"
	mkdir -p "$work/place/jit" "$work/place/root"
	cp "$work"/programs/* "$work/place"
	cp "$work/named.log" "$work/place/log"
	cp "$work/named.core" "$work/place/core"
	at=$work/place/${row%% *}
	case $row in prog\ * | root\ *) rm -rf "$at" ;; esac
	[ -n "$1" ] || return 0
	mkdir -p "$(dirname "$at")"
	"$plain/tests/shapes/make_place" "$1" "$at" || exit 2
}

# answer_there BUILD: to the command of this round
answer_there() {
	# shellcheck disable=SC2046 # no blanks in them
	set -- "$1" $(echo "${row#* }" | sed "s|@|$work/place/|g")
	(
		ulimit -c 0
		ulimit -f 131072
		[ "$1" != "$plain" ] || ulimit -t 10
		[ "$1" != "$plain" ] || ulimit -v 1048576
		export XDG_CACHE_HOME="$work/place/cache"
		program=$1/core/cli/cairn
		shift
		cd "$work/place" && exec timeout -k 5 "${ATTACK_PATIENCE:-120}" "$program" "$@"
	) >"$work/text" 2>"$work/err" </dev/null
	status=$?
	runs=$((runs + 1))
}

# judge_place WHAT: is the answer that of a machine with nothing there?  What is written to is another matter, and so is
# what --explain and --list-modules say of a file that is empty.
judge_place() {
	if [ $status = 124 ] || [ $status = 137 ]; then
		keep 'it waits, or takes too much' "$1"
	elif has_report "$work/err"; then
		keep 'sanitizer' "$1"
	elif [ $status -gt 3 ]; then
		keep "status $status" "$1"
	elif has_control "$work/err"; then
		keep 'a control character in a message' "$1"
	elif case $row in made* | *--explain* | *--list-modules*) false ;; esac && { [ $status != $right ] || ! cmp -s "$work/text" "$work/right"; }; then
		{
			echo "status $right, then $status"
			diff "$work/right" "$work/text"
			cat "$work/err"
		} >"$work/differs"
		mv "$work/differs" "$work/err"
		keep 'another answer than with nothing there' "$1"
	fi
}

attack_places() {
	rm -f "$file"
	for again in 1 2 3; do
		draw_line "$work/place_rows"
		row=$drawn_line
		draw_line "$work/place_kinds"
		place=$drawn_line
		source="$place at ${row%% *}"
		# a pipe to which the user has a verb write waits for somebody who reads
		case "$place at $row" in fifo*\ at\ made*) continue ;; esac
		begin_place ''
		answer_there "$plain"
		cp "$work/text" "$work/right"
		right=$status
		for build in "$plain" "$san"; do
			begin_place "$place"
			answer_there "$build"
			judge_place "cairn ${row#* }, $source"
		done
	done
	rm -rf "$work/place"
}
