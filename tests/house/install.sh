#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks that the installed files are complete: compiles programs with no flags but those of
# pkg-config, links them with the shared and with the static library, and runs them. The programs are
# one in C, one in C++ (install.cpp), and all those of docs/c.md and docs/examples.
#
#	install.sh BUILD-DIRECTORY COMPILER...

build=$1
shift
source=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$(dirname "$0")/../lib/test.sh"

command -v pkg-config >/dev/null || {
	echo 'no pkg-config'
	exit 77
}
meson install -C "$build" --no-rebuild --quiet --destdir "$work/root" >"$work/log" 2>&1 || {
	cat "$work/log"
	exit 1
}
pc=$(find "$work/root" -name cairn.pc)
[ -n "$pc" ] || {
	echo 'no cairn.pc is installed'
	exit 1
}

cat >"$work/prog.c" <<'END'
#include <cairn.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
	static const uint8_t junk[] = "no symbols at all";
	struct cairn_bytes bytes = { junk, sizeof(junk) };
	struct cairn_symbols *symbols;
	struct cairn_fault fault;
	enum cairn_status status = cairn_symbols_open_bytes(bytes, NULL, &symbols, &fault);

	printf("%s %s\n", cairn_version(), cairn_status_name(status));
	return status == CAIRN_OK;
}
END
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$work/root"
version=$(pkg-config --modversion cairn) || exit 1
libraries=${pc%/pkgconfig/*}

# check NAME FLAGS...: it links and says who it is
check() {
	name=$1
	shift
	"$@" || {
		echo "$name: does not link"
		exit 1
	}
	said=$(LD_LIBRARY_PATH=$libraries "$work/prog")
	case $said in
	"$version "*) ;;
	*)
		echo "$name: says '$said', not version $version"
		exit 1
		;;
	esac
}
cflags=$(pkg-config --cflags cairn)
check shared "$@" -std=c11 $cflags "$work/prog.c" -o "$work/prog" $(pkg-config --libs cairn)

# and from the build directory, without an installation
uninstalled() {
	PKG_CONFIG_SYSROOT_DIR='' PKG_CONFIG_PATH=$build/meson-uninstalled pkg-config "$@"
}
for library in cairn cairn-dwarf cairn-jit; do
	header=cairn
	[ $library != cairn-jit ] || header=cairn_jit
	[ $library != cairn-dwarf ] || header=cairn/dwarf
	printf '#include <%s.h>\nint main(void) { return 0; }\n' $header >"$work/uninstalled.c"
	# shellcheck disable=SC2046 # flags
	"$@" -std=c11 $(uninstalled --cflags $library) "$work/uninstalled.c" -o "$work/uninstalled" $(uninstalled --libs $library) || {
		echo "$library-uninstalled.pc: $(uninstalled --cflags --libs $library)"
		exit 1
	}
done

# build_documented FILE OUTPUT PKG-CONFIG-OPTION...: build a program of the documentation with the libraries whose headers it includes
build_documented() {
	file=$1 output=$2
	shift 2
	case $(grep -h '^#include <cairn' "$file") in
	*cairn_jit*) flags="$(pkg-config --cflags --libs "$@" cairn-jit) -rdynamic" ;;
	*cairn_emit*) flags="$(pkg-config --cflags cairn) $libraries/libcairn-markup.a" ;;
	*cairn/*) flags=$(pkg-config --cflags --libs "$@" cairn-dwarf) ;;
	*cairn.h*) flags=$(pkg-config --cflags --libs "$@" cairn) ;;
	*) flags= ;;
	esac
	# a file without main() only defines print_backtrace()
	grep -q '^int main(' "$file" || file="$file $work/print_backtrace.c"
	# shellcheck disable=SC2086 # flags
	$compiler -std=gnu11 -Wall -Werror $file -o "$output" $flags || {
		echo "$file: does not compile"
		exit 1
	}
}

# documented PKG-CONFIG-OPTION...: build each program of the documentation, and check that it exits normally if its file does not exist
documented() {
	for file in "$work"/page/*.c "$source"/docs/examples/*.c; do
		build_documented "$file" "$work/documented" "$@"
		case $file in */crash.c | */shop.c | */jit.c) continue ;; esac # which ends by a signal, or needs no arguments
		LD_LIBRARY_PATH=$libraries timeout 20 "$work/documented" /nowhere/file 1 </dev/null >"$work/said" 2>&1
		[ $? -lt 124 ] || {
			echo "$file: $(cat "$work/said")"
			exit 1
		}
	done
	# Check the output of one program: prog.c has a function at this address.
	build_documented "$work/page/lookup.c" "$work/documented" "$@"
	found=$(LD_LIBRARY_PATH=$libraries "$work/documented" "$source/tests/fixtures/gsym/prog.gsym" 0x400110) || exit 1
	[ "$found" = 'work at src/prog.c:19' ] || {
		echo "the example of docs/c.md printed '$found'"
		exit 1
	}
}
compiler=$*
mkdir "$work/page"
printf 'void print_backtrace(void);\nint main(void) { print_backtrace(); }\n' >"$work/print_backtrace.c"
awk -v folder="$work/page/" '
/^```c [a-z_]+\.c$/ { file = folder $2; next }
/^```/ { file = "" }
file != "" { print >file }' "$source/docs/c.md"
[ -s "$work/page/lookup.c" ] || {
	echo 'docs/c.md has no lookup.c'
	exit 1
}
documented

# check_cxx PKG-CONFIG-OPTION...: build and run the program in C++, without and with libcairn-dwarf
check_cxx() {
	[ -n "$cxx" ] || return 0
	for library in cairn cairn-dwarf; do
		define=
		[ $library = cairn ] || define=-DWITH_DWARF
		# shellcheck disable=SC2046,SC2086 # flags
		$cxx -std=c++17 -g -Wall -Wextra -Wpedantic -Werror $define $(pkg-config --cflags $library) "$source/tests/house/install.cpp" \
			-o "$work/install" $(pkg-config --libs "$@" $library) || exit 1
		said=$(LD_LIBRARY_PATH=$libraries "$work/install" "$source/tests/fixtures/minidump/amd64.dmp" \
			"$source/tests/fixtures/gsym/prog.gsym" "$work/install" "$work/install.gsym") && [ "$said" = "$version" ] || {
			echo "install.cpp: $said"
			exit 1
		}
	done
}
cxx=
for name in ${CXX:-c++} g++ clang++; do
	! printf '#include <string>\nint main() { return 0; }\n' | $name -std=c++17 -x c++ - -o "$work/install" 2>/dev/null || cxx=${cxx:-$name}
done
[ -n "$cxx" ] || echo 'no C++ compiler'
check_cxx

# with libcairn-dwarf, shared and static
clash=$source/tests/symbolizer/clash.c
check_clash() {
	"$@" || { echo 'cairn-dwarf: does not link'; exit 1; }
	va=$(nm "$work/clash" | awk '$3 == "marked" { print "0x" $1 }')
	said=$(LD_LIBRARY_PATH=$libraries XDG_CACHE_HOME=$work "$work/clash" "$work/clash" "$va")
	[ "$said" = 'marked by dwarf' ] || { echo "cairn-dwarf: says '$said'"; exit 1; }
}
check_clash "$@" -std=c11 -g $cflags "$clash" -o "$work/clash" $(pkg-config --libs cairn-dwarf)

rm "$libraries"/libcairn.so* "$libraries"/libcairn-dwarf.so*
check static "$@" -std=c11 $cflags "$work/prog.c" -o "$work/prog" $(pkg-config --libs --static cairn)
check_clash "$@" -std=c11 -g $cflags "$clash" -o "$work/clash" $(pkg-config --libs --static cairn-dwarf)
rm "$libraries"/libcairn-jit.so*
documented --static
check_cxx --static

# nothing else is a header of ours
cd "$work/root$(PKG_CONFIG_SYSROOT_DIR= pkg-config --variable=includedir cairn)" || exit 1
for header in $(find . -name '*.h' | LC_ALL=C sort); do
	printf '#include <%s>\nint unit;\n' "${header#./}" |
		"$@" -std=c11 -I . -x c -fsyntax-only - || exit 1
done
[ -z "$cxx" ] || for header in $(find . -name '*.h' -o -name '*.hpp' | LC_ALL=C sort); do
	printf '#include <%s>\nint unit;\n' "${header#./}" | $cxx -std=c++17 -I . -x c++ -fsyntax-only - || exit 1
done
