# SPDX-License-Identifier: MIT
# Part of attack.sh: files of the shapes that work multiplies in, made by rule and not by damage: one long text that
# many records share, lists whose counts lie and whose parts overlap, headers of compressed sections that lie, processes
# that fork, samples that share a stack, modules without files
# (tests/shapes).  What must hold is the same as of verbs; where the promise has 10 s for data that is shared, it
# has them here.

prepare_shapes() {
	[ -x "$plain/tests/shapes/make_shape" ] || {
		reason='no program that makes shapes'
		return 1
	}
	"$plain/tests/shapes/make_shape" | grep -v '^core-named$' >"$work/shapes"
	printf '%s\n' gsym symbfile >>"$work/shapes"
	printf '%s\n' rows inlines nested levels overlap calls merged name bytes tails paths >"$work/gsym_shapes"
	printf '%s\n' ranges pads bytes lines levels >"$work/symbfile_shapes"
	printf '%s\n' zlib.o zstd.o nested.o >"$work/packed"
	cat >"$work/jit_verbs" <<'END'
bt --directory JIT FILE
bt --json --directory JIT FILE
bt --explain --registers --directory JIT FILE
bt --folded --directory JIT FILE
bt --markup --directory JIT FILE
END
}

# make_shape KIND NUMBER: into the file of this round; that of a JIT compiler into a directory, with a core to go with it
make_shape() {
	case $1 in
	gsym-* | symbfile-*)
		draw 12
		"$plain/tests/tools/shared_${1%%-*}" "${1#*-}" $((65536 + drawn * drawn * 8192)) >"$file"
		;;
	chdr)
		draw_line "$work/packed"
		"$plain/tests/shapes/make_shape" chdr "$2" "$top/tests/fixtures/dwarf/$drawn_line" >"$file"
		;;
	jitdump | perfmap)
		[ "$1" = jitdump ] && name=jit-4711.dump || name=perf-4711.map
		rm -rf "$work/jit"
		mkdir "$work/jit"
		"$plain/tests/shapes/make_shape" "$1" "$2" >"$work/jit/$name" &&
			"$plain/tests/shapes/make_shape" core-named "$2" /nonexistent/program >"$file"
		;;
	*) "$plain/tests/shapes/make_shape" "$1" "$2" >"$file" ;;
	esac || exit 2
}

attack_shapes() {
	draw_line "$work/shapes"
	shape=$drawn_line
	case $shape in
	gsym | symbfile)
		draw_line "$work/${shape}_shapes"
		shape=$shape-$drawn_line
		;;
	esac
	draw 1000000007
	make_shape "$shape" "$drawn"
	bytes=$(wc -c <"$file")
	ln -f "$file" "$debug"
	case $shape in
	jitdump | perfmap)
		source="shape of core and $shape" list=jit_verbs
		bytes=$((bytes + $(cat "$work"/jit/* | wc -c)))
		;;
	chdr) source="shape of elf, $shape" list=kind ;;
	*) source="shape of $shape" list=kind ;;
	esac
	list_kind
	case $shape in
	minidump-* | core-* | jitdump | perfmap) frame_bytes=104857600 ;; # STACKS_FRAMES_LEAST, 400 bytes each
	otlp-*) base_seconds=10 frame_bytes=67108864 ;; # WRITE_LEAST
	perf-*) frame_bytes=67108864 ;;
	# two rows for each byte, because functions share them; a row is a record
	gsym-*) base_seconds=10 frame_bytes=$((140 * bytes)) ;;
	log-*) ;;
	*) base_seconds=10 ;;
	esac
	for again in 1 2 3 4; do
		draw_line "$work/$list"
		words=$drawn_line
		set_words
		# shellcheck disable=SC2046 # no blanks in them
		set -- $(cat "$work/words")
		run_plain "cairn $words" "$plain/core/cli/cairn" "$@"
		run_sanitized "cairn $words" "$san/core/cli/cairn" "$@"
		rm -rf "$work"/out*
	done
	base_seconds=3 frame_bytes=0
}
