# SPDX-License-Identifier: MIT
# The programs that scripts/bench.sh measures with, each made once, in $inputs. Sourced, with $root, $inputs
# and $cairn set. `use_input NAME` sets $input, or fails with the reason in $lacking.

lack() {
	lacking=$1
	return 1
}

# have TOOL...: all of them are there
have() {
	for tool; do
		command -v "$tool" >/dev/null || { lack "no $tool"; return 1; }
	done
}

# The C++ program of tests/debuggers/thousands.awk: cplusplus NAME COMPILER FLAGS...
cplusplus() {
	name=$1 compiler=$2 functions=4000
	[ "$name" != many_functions ] || functions=32000
	shift 2
	have "$compiler" || return 1
	mkdir -p "$inputs/$name.src"
	awk -v functions="$functions" -v files=8 -v directory="$inputs/$name.src" \
		-f "$root/tests/debuggers/thousands.awk"
	for file in "$inputs/$name.src"/*.cpp; do
		"$compiler" "$@" -g -O1 -fno-exceptions -fno-rtti -c "$file" -o "${file%.cpp}.o" || return 1
	done
	"$compiler" "$inputs/$name.src"/*.o -Wl,--build-id=sha1 -o "$inputs/$name"
}

# changed NAME TOOL WORDS...: what a tool makes of the C++ program, which it reads and writes last
changed() {
	name=$1
	shift
	have "$1" && use_input cpp || return 1
	"$@" "$inputs/cpp" "$inputs/$name" 2>/dev/null || lack "$1 does not do it"
}

run_dwz() {
	cp "$1" "$2" && dwz "$2"
}

make_rust() {
	have rustc || return 1
	mkdir -p "$inputs/rust.src"
	awk 'BEGIN {
		print "use std::collections::HashMap;"
		for (i = 0; i < 800; i++) {
			printf "#[inline(never)] fn work_%d<T: Clone + std::fmt::Debug>(x: &[T]) -> usize {\n", i
			printf "    let m: HashMap<usize, T> = x.iter().cloned().enumerate().collect();\n"
			printf "    m.values().map(|v| format!(\"{:?}\", v).len()).sum::<usize>() + %d\n}\n", i
		}
		print "fn main() {\n    let x = [1u8, 2, 3];\n    let mut sum = 0;"
		for (i = 0; i < 800; i++) printf "    sum += work_%d(&x);\n", i
		print "    println!(\"{}\", sum);\n}" }' >"$inputs/rust.src/main.rs"
	rustc -g -C opt-level=1 -o "$inputs/rust" "$inputs/rust.src/main.rs" 2>/dev/null || lack 'rustc fails'
}

make_go() {
	have go || return 1
	mkdir -p "$inputs/go.src"
	printf 'package main\n\nimport (\n\t"fmt"\n\t"net/http"\n)\n\nfunc main() {\n\tfmt.Println(http.StatusText(200))\n}\n' \
		>"$inputs/go.src/main.go"
	(cd "$inputs/go.src" && GOFLAGS=-mod=mod go build -o ../go main.go) || lack 'go build fails'
}

# unpack PACKAGE: Debian's package, of which nothing is installed, in $inputs/PACKAGE.deb
unpack() {
	have apt-get dpkg-deb || return 1
	[ -d "$inputs/$1.deb" ] && return 0
	rm -rf "$inputs/$1.new" && mkdir -p "$inputs/$1.new"
	(cd "$inputs/$1.new" && apt-get download "$1" >/dev/null 2>&1) || { lack "no package $1"; return 1; }
	dpkg-deb -x "$inputs/$1.new"/*.deb "$inputs/$1.new/root" && rm -f "$inputs/$1.new"/*.deb
	mv "$inputs/$1.new" "$inputs/$1.deb"
}

# debian NAME PACKAGE [PATTERN]: the largest file of debug information in it, or of its largest program, or of names like PATTERN
debian() {
	unpack "$2" || return 1
	file=$(find "$inputs/$2.deb" -type f \( -name "${3:-*.debug}" -o -path '*/bin/*' -o -path '*/usr/lib/debug/*' \) -size +500k -printf '%s %p\n' |
		sort -rn | sed -n '1s/^[0-9]* //p')
	[ -n "$file" ] || { lack "no debug file in $2"; return 1; }
	ln -sf "$file" "$inputs/$1"
}

decompress() {
	use_input "$2" && objcopy --decompress-debug-sections "$inputs/$2" "$inputs/$1"
}

# sources PACKAGE: a package of npm, in $inputs/PACKAGE.npm
sources() {
	have npm tar || return 1
	[ -d "$inputs/$1.npm" ] && return 0
	rm -rf "$inputs/$1.new" && mkdir -p "$inputs/$1.new"
	(cd "$inputs/$1.new" && npm pack "$1" >/dev/null 2>&1 && tar xzf ./*.tgz) ||
		{ lack "npm has no $1"; return 1; }
	mv "$inputs/$1.new" "$inputs/$1.npm"
}

make_sqlite() {
	sources sqlite3 || return 1
	archive=$(find "$inputs/sqlite3.npm" -name 'sqlite-autoconf-*.tar.gz' | head -1)
	[ -n "$archive" ] || { lack 'the package has no sqlite'; return 1; }
	mkdir -p "$inputs/sqlite.src" && tar xzf "$archive" -C "$inputs/sqlite.src" --strip-components=1
	gcc -g -O2 "$inputs/sqlite.src/sqlite3.c" "$inputs/sqlite.src/shell.c" -o "$inputs/sqlite" -lm
}

make_sass() {
	sources node-sass || return 1
	mkdir -p "$inputs/sass.src"
	folder=$(find "$inputs/node-sass.npm" -type d -path '*libsass/src' | head -1)
	printf '#include <sass.h>\n#include <stdio.h>\nint main(void)\n{\n\treturn puts(libsass_version()) < 0;\n}\n' \
		>"$inputs/sass.src/main.cpp"
	for file in "$folder"/*.cpp "$folder"/*/*.cpp "$inputs/sass.src/main.cpp"; do
		g++ -g -O2 -std=c++11 -w -I"$folder/../include" -c "$file" \
			-o "$inputs/sass.src/$(basename "$file" .cpp).o" || return 1
	done
	for file in "$folder"/*.c; do
		gcc -g -O2 -w -I"$folder/../include" -c "$file" -o "$inputs/sass.src/$(basename "$file").o" || return 1
	done
	g++ "$inputs/sass.src"/*.o -ldl -o "$inputs/sass"
}

# describe NAME: for the tables
describe() {
	case $1 in
	self) echo 'cairn: C, gcc, DWARF 5' ;;
	cpp) echo '4,000 functions of C++, gcc, DWARF 5' ;;
	cpp4) echo 'the same, DWARF 4' ;;
	many_functions) echo '32,000 functions of C++, gcc, DWARF 5' ;;
	clang) echo 'the same, clang, DWARF 5' ;;
	split) echo 'the same, gcc, split' ;;
	zlib) echo 'the same, gcc, compressed with zlib' ;;
	zstd) echo 'the same, compressed with zstd' ;;
	dwz) echo 'the same, after dwz' ;;
	rust) echo '800 functions of Rust' ;;
	go) echo 'a program of Go' ;;
	osd) echo 'ceph-osd, C++, compressed' ;;
	osd_plain) echo 'ceph-osd, decompressed' ;;
	mon) echo 'ceph-mon, C++, compressed' ;;
	mon_plain) echo 'ceph-mon, decompressed' ;;
	rbd) echo 'rbd-mirror, C++, compressed' ;;
	rbd_plain) echo 'rbd-mirror, C++, decompressed' ;;
	cupt) echo 'libcupt, C++, compressed' ;;
	cupt_plain) echo 'libcupt, C++, decompressed' ;;
	ipopt) echo 'libipopt, C++, compressed' ;;
	ipopt_plain) echo 'libipopt, C++, decompressed' ;;
	mono) echo 'mono, C' ;;
	radosgw) echo 'a program of radosgw-dbg, C++' ;;
	petsc) echo 'libpetsc_complex, C' ;;
	dencoder) echo 'a program of ceph-base-dbg, C++' ;;
	bash) echo 'bash 5.2, C, gcc -O2' ;;
	tcc) echo 'tcc 0.9.27, C, gcc -O2' ;;
	pugixml) echo 'pugixml 1.13, C++, g++ -O2' ;;
	python) echo 'python3.11-dbg, gcc with LTO' ;;
	valgrind) echo 'valgrind, C' ;;
	libc) echo 'libc6-dbg, C and dwz' ;;
	sqlite) echo 'sqlite, gcc -O2, one unit' ;;
	sass) echo 'libsass, C++, gcc -O2' ;;
	esac
}

# make_input NAME: into $inputs/NAME
make_input() {
	case $1 in
	self) ln -sf "$cairn" "$inputs/self" ;;
	cpp) made cplusplus cpp g++ -gdwarf-5 ;;
	cpp4) made cplusplus cpp4 g++ -gdwarf-4 ;;
	many_functions) made cplusplus many_functions g++ -gdwarf-5 ;;
	clang) made cplusplus clang clang++ -gdwarf-5 ;;
	split) made cplusplus split g++ -gdwarf-5 -gsplit-dwarf ;;
	zlib | zstd) made changed "$1" objcopy "--compress-debug-sections=$1" ;;
	dwz) have dwz && made changed dwz run_dwz ;;
	rust) made make_rust ;;
	go) made make_go ;;
	osd) made debian osd ceph-osd-dbg ;;
	mon) made debian mon ceph-mon-dbg ;;
	rbd) made debian rbd rbd-mirror-dbg ;;
	cupt) made debian cupt cupt-dbg ;;
	ipopt) made debian ipopt coinor-libipopt1v5-dbg ;;
	mono) made debian mono mono-runtime-dbg ;;
	osd_plain | mon_plain | rbd_plain | cupt_plain | ipopt_plain) made decompress "$1" "${1%_plain}" ;;
	python) made debian python python3.11-dbg ;;
	valgrind) made debian valgrind valgrind-dbg ;;
	libc) made debian libc libc6-dbg ;;
	sqlite) made make_sqlite ;;
	sass) made make_sass ;;
	esac
}

# made COMMAND...: unless it is there from an earlier run
made() {
	[ -s "$inputs/$wanted" ] || "$@" || { rm -f "$inputs/$wanted"; return 1; }
}

use_input() {
	lacking='it cannot be made'
	before=${wanted-} # one may be made of another
	wanted=$1
	make_input "$1" && status=0 || status=1
	input=$inputs/$1
	wanted=$before
	return "$status"
}

# address_list COUNT [each]: of $input, in a file whose name is printed
address_list() {
	list=$inputs/$(basename "$input").$1${2:+.$2}.addresses
	[ -s "$list" ] || nm -S "$input" 2>/dev/null |
		awk -v count="$1" -v seed=21 -v each="${2:+1}" -f "$root/tests/bench/addresses.awk" >"$list"
	[ -s "$list" ] || { rm -f "$list"; lack 'no functions in its symbol table'; return 1; }
	echo "$list"
}

# Bytes of the sections of DWARF that a conversion has to look through, decompressed
debug_bytes() {
	measured=$1
	if readelf -SW "$1" 2>/dev/null | grep -q ' \.debug_info .* C  *[0-9]'; then
		measured=$work/decompressed
		objcopy --decompress-debug-sections "$1" "$measured"
	fi
	readelf -SW "$measured" 2>/dev/null | sed 's/^ *\[ *[0-9]*\] *//' | awk '
		function value(hex,   i, sum) {
			for (i = 1; i <= length(hex); i++)
				sum = sum * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return sum
		}
		$1 ~ /^\.debug_(info|abbrev|line|ranges|rnglists|line_str|addr)$/ { sum += value($5) }
		END { print sum + 0 }'
}
