#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The one file cairn_jit.c compiles without warnings as C11, shows what the library shows, and works; the header is good C++.
#
#	one_file.sh CAIRN_JIT.C ROOT COMPILER...

file=$1 root=$2
shift 2
. "$root/tests/lib/test.sh"
"$@" -std=c11 -pedantic-errors -O2 -Wall -Wextra -Wshadow -Werror -I "$root/core/include" -c "$file" -o "$work/jit.o" || exit 1
shown=$(nm -g --defined-only "$work/jit.o" | awk '{ print $3 }' | grep -v '^cairn_jit_[a-z]*$' | tr '\n' ' ')
[ "$shown" = '__jit_debug_descriptor __jit_debug_register_code ' ] || {
	echo "it shows $shown"
	exit 1
}
cat >"$work/user.c" <<'END'
#include <cairn_jit.h>
int main(void)
{
	static unsigned char code[32];
	struct cairn_jit_function function = { code, sizeof(code) };
	cairn_jit_code *made = cairn_jit_add(&function);
	cairn_jit_remove(made);
	return made ? 0 : 1;
}
END
"$@" -I "$root/core/include" "$work/user.c" "$work/jit.o" -pthread -o "$work/user" && "$work/user" || exit 1
printf 'int main() { return 0; }\n' | "$@" -x c++ -fsyntax-only - 2>/dev/null || skip 'no C++ compiler'
"$@" -x c++ -std=c++17 -pedantic-errors -Wall -Wextra -Werror -I "$root/core/include" -fsyntax-only "$root/core/include/cairn_jit.h"
