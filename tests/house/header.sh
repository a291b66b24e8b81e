#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Is cairn.h, with nothing before it, good C11 and good C++17?  And each of its parts good C11?  Does
# it include them all?
#
#	header.sh DIRECTORY COMPILER...

include=$1
shift
warnings='-pedantic-errors -Wall -Wextra -Wconversion -Wshadow -Werror'

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

for part in "$include"/cairn/*.h; do
	name=cairn/${part##*/}
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
	printf '#include <%s>\nint unit;\n' "$name" |
		"$@" -std=c11 -x c $warnings -I "$include" -fsyntax-only - || exit 1
done
compile c "$@" -std=c11 || exit 1
printf 'int main(void) { return 0; }\n' | "$@" -x c++ -fsyntax-only - 2>/dev/null || {
	echo 'no C++ compiler'
	exit 77
}
compile c++ "$@" -std=c++17
