# SPDX-License-Identifier: MIT
# `scripts/bench.sh lookups`: GDB's stacks and symbols with cairn and without, and lookups in memory beside their peers, of programs
# that nothing was tuned to: three that are built of Debian's sources, with .sframe, and the debug files of three packages of Debian.
# Sourced, as rows.sh is.

# shellcheck disable=SC2034 # bench.sh reads it
lookups_rows=$(
	for program in bash tcc pugixml; do echo "both:$program alone:$program ordinary:$program"; done
	for input in radosgw petsc dencoder; do echo "loaded:$input"; done
	echo sframe
	for program in bash tcc pugixml; do echo "frames:$program"; done
	echo backtrace
	for input in radosgw petsc dencoder; do echo "gsym:$input"; done
	echo decode
)

# build_stack_program NAME DIR: in DIR/program, with .sframe, and with DIR/arguments that bring some 50,000 frames about
build_stack_program() {
	flags='-O2 -g -Wa,--gsframe'
	case $1 in
	bash)
		(cd "$2"/bash-*/ && CFLAGS=$flags ./configure -q --without-bash-malloc --disable-nls && make) >"$2/log" 2>&1 || return 1
		cp "$2"/bash-*/bash "$2/program"
		# shellcheck disable=SC2016 # bash is to see them
		echo 'f() { if [ $1 -gt 0 ]; then f $(($1 - 1)); else :; fi; }; f 6300' >"$2/deep.sh"
		echo "$2/deep.sh" >"$2/arguments"
		;;
	tcc)
		printf '#define CONFIG_TCCDIR "/usr/lib/tcc"\n#define TCC_VERSION "0.9.27"\n' >"$2/config.h"
		# shellcheck disable=SC2086 # flags are words
		gcc $flags -w -DTCC_TARGET_X86_64 -DONE_SOURCE=1 -I"$2" "$2"/tcc-*/tcc.c -o "$2/program" -ldl -lpthread -lm || return 1
		awk 'BEGIN { printf "int f(void) { return "; for (i = 0; i < 12500; i++) printf "("; print "@; }" }' >"$2/deep.c"
		echo "-c $2/deep.c -o /dev/null" >"$2/arguments"
		;;
	pugixml)
		# shellcheck disable=SC2086 # flags are words
		g++ $flags -I"$(echo "$2"/pugixml-*/src)" "$root/tests/bench/real/pugixml.cpp" "$2"/pugixml-*/src/pugixml.cpp \
			-o "$2/program" || return 1
		echo 51000 >"$2/arguments"
		;;
	esac
}

# use_stack_program NAME: $directory/program as it was built; .both without DWARF, .alone of these without .eh_frame, and .ordinary with
# DWARF and without .sframe
use_stack_program() {
	folder=$inputs/$1.stack
	[ ! -s "$folder/program.ordinary" ] || return 0
	have gdb gcc g++ make objcopy awk dpkg-source || return 1
	rm -rf "$folder" && mkdir -p "$folder"
	# shellcheck source=../../scripts/root.sh
	. "$root/scripts/root.sh"
	fetch_source "$folder" "$1" || lack "the source of $1 cannot be had" || return 1
	build_stack_program "$1" "$folder" || lack "$1 is not built" || return 1
	objcopy --strip-debug "$folder/program" "$folder/program.both"
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$folder/program.both" "$folder/program.alone"
	objcopy --remove-section .sframe "$folder/program" "$folder/program.ordinary"
}

# innermost NAME: where its stack is deepest
innermost() {
	case $1 in
	bash) echo colon_builtin ;;
	tcc) echo _tcc_error ;;
	pugixml) echo stop_here ;;
	esac
}

# stack_by WHO PROGRAM [WORDS...]: all frames of it, in a GDB that got WORDS first
stack_by() {
	who=$1 program=$2 frames=$3
	shift 3
	contender "$who" gdb -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex 'set width 0' \
		-ex 'set confirm off' -ex 'set startup-with-shell off' "$@" -ex "break $stop" -ex "run $(cat "$folder/arguments")" -ex "bt $frames" -ex kill "$program"
}

# Both tables: GDB's own unwinder stays in charge
row_both() {
	use_stack_program "$1" || return 1
	stop=$(innermost "$1")
	begin
	stack_by 'cairn, both tables' "$folder/program.both" 100000 -ex "source $build/scripts/cairn.gdb"
	stack_by 'GDB alone' "$folder/program.both" 100000
	stack_by 'GDB, one frame' "$folder/program.both" 1
	race "GDB, 50,000 frames that both tables cover: $(describe "$1")"
}

row_alone() {
	use_stack_program "$1" || return 1
	stop=$(innermost "$1")
	begin
	stack_by 'cairn, .sframe alone' "$folder/program.alone" 100000 -ex "source $build/scripts/cairn.gdb"
	stack_by 'GDB, .eh_frame' "$folder/program.both" 100000
	stack_by 'GDB, one frame' "$folder/program.both" 1
	race "GDB, 50,000 frames by .sframe alone: $(describe "$1")"
}

row_ordinary() {
	use_stack_program "$1" || return 1
	stop=$(innermost "$1")
	begin
	stack_by 'GDB with cairn' "$folder/program.ordinary" 100000 -ex "source $build/scripts/cairn.gdb"
	stack_by 'GDB alone' "$folder/program.ordinary" 100000
	stack_by 'GDB, one frame' "$folder/program.ordinary" 1
	race "GDB, 50,000 frames of an ordinary program: $(describe "$1")"
}

# use_symbols NAME: of the package's largest file, $input with DWARF that is not packed, $input.no without, and their GSYM beside it and in $input.gsym
use_symbols() {
	case $1 in
	radosgw) set -- radosgw radosgw-dbg ;;
	petsc) set -- petsc libpetsc-complex3.18-dbg 'libpetsc*.so.*' ;;
	dencoder) set -- dencoder ceph-base-dbg ;;
	esac
	input=$inputs/$1
	[ ! -s "$input.gsym" ] || return 0
	have objcopy && debian "$1.packed" "$2" "${3-}" || return 1
	objcopy --decompress-debug-sections "$input.packed" "$input" && objcopy -S "$input" "$input.no" || return 1
	"$cairn" gsym create --quiet --statements "$input" -o "$input.no.gsym" &&
		"$cairn" symbfile create --quiet "$input" -o "$input.symbfile" &&
		"$cairn" gsym create --quiet "$input" -o "$input.gsym"
}

row_loaded() {
	[ -f "$build/scripts/cairn.gdb" ] || lack 'no GDB module' || return 1
	have gdb && use_symbols "$1" || return 1
	begin
	set -- "$1" gdb -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex 'set confirm off'
	what=$1
	shift
	source="source $build/scripts/cairn.gdb"
	contender 'cairn symbols load' "$@" -ex "$source" -ex "file $input.no" -ex 'cairn symbols load'
	contender 'GDB, DWARF' "$@" -ex "file $input"
	contender 'cairn without symbols' "$@" -ex "$source" -ex "file $input.no" -ex 'cairn status'
	contender 'GDB without symbols' "$@" -ex "file $input.no"
	race "GDB, symbols of a program: $(describe "$what")"
}

# build_benchmarks PROGRAM...: those of tests/bench
build_benchmarks() {
	for name; do
		ninja -C "$build" "tests/bench/$name" >/dev/null || lack "$name does not compile" || return 1
	done
}

row_sframe() {
	for name in bash tcc pugixml; do
		use_stack_program "$name" || return 1
		ln -sf "$folder/program.both" "$work/$name"
	done
	build_benchmarks bench_sframe || return 1
	"$build/tests/bench/bench_sframe" "$work/bash" "$work/tcc" "$work/pugixml" | awk '
		/^[^ ].*: version / {
			subject = $0; sub(/.*\//, "", subject); sub(/, [0-9]+ bytes.*/, "", subject)
		}
		function figure(what, aim) {
			printf "%s: %s\tfigure\t%s ns\t%s\t%s\t%s\n", what, subject, $(NF - 2),
				$(NF - 1) == "-" ? "" : "libsframe " $(NF - 1) " ns", $NF == "-" ? "" : $NF, aim
		}
		/^  random pcs, in place/ { figure("SFrame, in place", "2.5x") }
		/^  random pcs, indexed/ { figure("SFrame, with the index of a session", "4x") }
		/^  20 hot pcs, cached/ { figure("SFrame, 20 hot pcs", "50x") }'
}

row_frames() {
	use_stack_program "$1" && build_benchmarks bench_unwind || return 1
	"$build/tests/bench/bench_unwind" "$folder/program.both" | awk -v subject="$(describe "$1")" '
		/ million frames\/s/ {
			what = $0; sub(/^ */, "", what); sub(/  .*/, "", what)
			match($0, /[0-9.]+ million/)
			printf "frames in memory, %s: %s\tfigure\t%s M/s\t\t\t%s\n", what, subject,
				substr($0, RSTART, RLENGTH - 8), what ~ /^1024/ ? "2.5 M/s" : ""
		}'
}

row_backtrace() {
	build_benchmarks bench_backtrace || return 1
	"$build/tests/bench/bench_backtrace" | awk '
		function figure(what, index_of,    peers, ratios, i) {
			peers = ratios = ""
			for (i = 2; i <= n; i++) {
				peers = peers (i > 2 ? ", " : "") who[i] " " value[index_of, i] " ns"
				ratios = ratios (i > 2 ? ", " : "") sprintf("%.1fx", value[index_of, i] / value[index_of, 1])
			}
			printf "a frame of the calling thread, %s: %s frames\tfigure\t%s ns\t%s\t%s\t\n", what, frames, value[index_of, 1], peers, ratios
		}
		function group() {
			if (n) { figure("again", 1); if (first++ == 0) figure("the first time", 2) }
		}
		$1 == "cairn" { group(); n = 0; frames = $2 }
		/ns a frame/ { who[++n] = $1; value[1, n] = $4; value[2, n] = $(NF - 1) }
		END { group() }'
}

row_gsym() {
	use_symbols "$1" && build_benchmarks bench_gsym || return 1
	"$build/tests/bench/bench_gsym" "$input.gsym" | awk -v subject="$(describe "$1")" '
		/ functions, [0-9]+ random/ { match($0, /[0-9]+ functions/); functions = substr($0, RSTART, RLENGTH) }
		/^  LLVM/ { theirs = $NF }
		function figure(what, ours, aim) {
			printf "GSYM, %s: %s, %s\tfigure\t%s ns\t%s\t%s\t%s\n", what, subject, functions, ours,
				theirs ? "LLVM " theirs " ns" : "", theirs ? sprintf("%.0fx", theirs / ours) : "", aim
		}
		/all locations, from the cache/ { figure("10,000 addresses all over", $(theirs ? NF - 2 : NF), "500 ns") }
		/20 hot addresses/ { figure("20 hot addresses", $NF, "60 ns") }'
}

row_decode() {
	set --
	for name in radosgw petsc dencoder; do
		use_symbols "$name" || return 1
		set -- "$@" "$input.symbfile.ranges"
	done
	build_benchmarks bench_symbfile || return 1
	"$build/tests/bench/bench_symbfile" 0 "$@" | awk '
		/million ranges$/ { subject = $1; sub(/.*\//, "", subject); sub(/.symbfile.ranges:$/, "", subject); ranges = $(NF - 2) }
		/^decode:/ { printf "symbfile, decoding: %s, %s million ranges\tfigure\t%s M ranges/s, %s GB/s\t\t\t60 M ranges/s\n", subject, ranges, $2, $(NF - 1) }'
}

print_lookups() {
	print_quick
	awk -F '\t' '
		$2 != "figure" { next }
		!n++ { print "\n| in memory | cairn | peer | theirs / ours | aim |\n|---|--:|--:|--:|--:|" }
		{ printf "| %s | %s | %s | %s | %s |\n", $1, $3, $4, $5, $6 }' "$work/results"
}
