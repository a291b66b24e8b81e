#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks that cairn.h (as C11 and C++17), each of its parts (as C11) and the C++ headers (as C++17) compile without warnings
# if included first; that cairn.h includes all of its parts; and that no function is a macro. Uses each compiler of this
# machine.
#
#	header.sh DIRECTORY COMPILER...

include=$1
shift
warnings='-pedantic-errors -Wall -Wextra -Wpedantic -Wmissing-field-initializers -Wconversion -Wshadow -Werror'

# compile LANGUAGE OPTION...: a file that includes the header, twice, and uses it.
compile() {
	language=$1
	shift
	"$@" -x "$language" $warnings -I "$include" -fsyntax-only - <<'END'
#include <cairn.h>
#include <cairn.h>
enum cairn_status host_read(void *context, uint64_t address, void *buffer, size_t size);
const char *host(struct cairn_rules *rules, struct cairn_registers *frame);
const char *host(struct cairn_rules *rules, struct cairn_registers *frame)
{
	struct cairn_target target = { host_read, frame };
	const struct cairn_rule *rule;
	struct cairn_space *space = cairn_space_new(&target);
	cairn_space_free(space);
	return cairn_status_text(cairn_rules_find(rules, frame->pc, &rule, NULL));
}
END
}

parts=
for part in "$include"/cairn/*.h; do
	name=cairn/${part##*/}
	parts="$parts $name"
	# those of libcairn-dwarf are included by themselves
	case $name in
	cairn/dwarf.h | cairn/functions.h | cairn/function_files.h) ;;
	*)
		grep -qx "#include <$name>" "$include/cairn.h" || {
			echo "cairn.h does not include <$name>"
			exit 1
		}
		;;
	esac
done

# check COMPILER...: compile all headers
check() {
	for name in $parts; do
		printf '#include <%s>\nint unit;\n' "$name" |
			"$@" -std=c11 -x c $warnings -I "$include" -fsyntax-only - || exit 1
	done
	compile c "$@" -std=c11 || exit 1
	printf '#include <string>\nint main() { return 0; }\n' | "$@" -std=c++17 -x c++ -fsyntax-only - 2>/dev/null || {
		no_cxx=yes
		return
	}
	compile c++ "$@" -std=c++17 || exit 1
	for name in cairn.hpp cairn/functions.hpp; do
		printf '#include <%s>\nint unit;\n' "$name" |
			"$@" -std=c++17 -x c++ $warnings -I "$include" -fsyntax-only - || exit 1
	done
}

# Macros with parameters would hide functions from bindings to other languages.
for header in cairn.h cairn/functions.h cairn/dwarf.h cairn_jit.h cairn_emit.h; do
	printf '#include <%s>\n' "$header"
done | "$@" -std=c11 -x c -I "$include" -E -dM - |
	sed -n 's/^#define \(CAIRN[A-Za-z_0-9]*\|cairn[A-Za-z_0-9]*\)(.*/\1/p' | grep -vx CAIRN_SIZED | grep . && {
	echo 'these macros have parameters'
	exit 1
}

no_cxx=
check "$@"
for other in gcc clang; do
	! command -v $other >/dev/null || check $other
done
[ -z "$no_cxx" ] || {
	echo 'no C++ compiler'
	exit 77
}
