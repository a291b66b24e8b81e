#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks that abi.sh reports each kind of incompatible change, and accepts compatible ones.
#
#	abi_test.sh COMPILER...

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/test.sh"
compiler=$*
mkdir -p "$work/tests/house" "$work/tests/lib" "$work/original" "$work/include"
cp "$here/abi.sh" "$work/tests/house/"
cp "$here/../lib/test.sh" "$work/tests/lib/"
cat >"$work/original/cairn.h" <<'END_OF_HEADER'
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define CAIRN_VERSION_MAJOR 0
#define CAIRN_VERSION_MINOR 3
#define CAIRN_VERSION_PATCH 0
#define CAIRN_API __attribute__((visibility("default")))
struct cairn_opaque;
enum cairn_kind {
	CAIRN_ONE, /* one */
	CAIRN_TWO,
};
enum { CAIRN_MANY = 1 << 4 };
struct cairn_fixed {
	uint64_t low, high;
	void (*call)(void *context, int number);
	char name[CAIRN_MANY];
};
struct cairn_sized {
	size_t size;
	enum cairn_kind kind;
	struct cairn_inner {
		uint32_t a;
	} * inner;
	bool last;
};
CAIRN_API void cairn_free(struct cairn_opaque *opaque);
CAIRN_API enum cairn_kind cairn_find(const struct cairn_opaque *opaque, uint64_t va,
                                     char text[CAIRN_MANY]);
END_OF_HEADER

# check STATUS TEXT SED-SCRIPT [--update]: check the status and output of abi.sh after editing the header
check() {
	wanted=$1 text=$2
	sed "$3" "$work/original/cairn.h" >"$work/include/cairn.h"
	[ "$text" = unchanged ] || ! cmp -s "$work/original/cairn.h" "$work/include/cairn.h" ||
		fail "nothing was edited by $3"
	{
		printf '#include <cairn.h>\n#include <stdlib.h>\n'
		grep -v '^#' "$work/include/cairn.h" | tr '\n' ' ' | grep -o 'CAIRN_API [^;]*;' | sed 's/;$/ { abort(); }/'
	} >"$work/library.c"
	# shellcheck disable=SC2086 # words
	$compiler -I "$work/include" -shared -fPIC "$work/library.c" -o "$work/libcairn.so" || exit 2
	# shellcheck disable=SC2086 # words
	"$work/tests/house/abi.sh" ${4-} "$work/include" "$work/libcairn.so" -- $compiler >"$work/said" 2>&1
	status=$?
	[ $status != 77 ] || skip "$(cat "$work/said")"
	[ $status = "$wanted" ] || fail "$3: status $status, not $wanted: $(cat "$work/said")"
	grep -qF -e "$text" "$work/said" || [ "$wanted" = 0 ] || fail "$3: not '$text' but $(cat "$work/said")"
	[ "$wanted" != 0 ] || [ ! -s "$work/said" ] || fail "$3: $(cat "$work/said")"
}

check 0 unchanged '' --update
cp "$work/tests/house/abi.txt" "$work/abi.txt"
cat >"$work/expected" <<'END_OF_DESCRIPTION'
version 0.3.0
libcairn	enum cairn_kind cairn_find(const struct cairn_opaque *, uint64_t, char[CAIRN_MANY])
libcairn	void cairn_free(struct cairn_opaque *)
struct cairn_fixed 40
	low 0 8
	high 8 8
	call 16 8
	name 24 16
struct cairn_sized 32 sized
	size 0 8
	kind 8 4
	inner 16 8
	last 24 1
struct cairn_inner 4
	a 0 4
CAIRN_ONE 0
CAIRN_TWO 1
CAIRN_MANY 16
END_OF_DESCRIPTION
diff "$work/expected" "$work/abi.txt" || fail 'another description'

# compatible changes
check 0 unchanged ''
check 0 '' 's/^CAIRN_API void/CAIRN_API int cairn_new(void); &/'
check 0 '' 's/	CAIRN_TWO,/& CAIRN_THREE,/'
check 0 '' 's/^enum {/enum { CAIRN_LESS = 3, /'
check 0 '' 's/	bool last;/& uint64_t more[2];/'
check 0 '' 's/^struct cairn_sized/struct cairn_new { int a; }; &/'
check 0 '' 's/uint64_t va,/uint64_t address,/'
check 0 '' 's|/\* one \*/|/* first */|'
check 0 '' 's/PATCH 0/PATCH 1/'

# functions
check 1 'cairn_free(): removed from libcairn' '/^CAIRN_API void/d'
check 1 'cairn_free(): changed from "void cairn_free(struct cairn_opaque *)" to "void cairn_free(void *)"' \
	's/^CAIRN_API void.*/CAIRN_API void cairn_free(void *opaque);/'
check 1 'cairn_free(): changed from' 's/^CAIRN_API void/CAIRN_API int/'
# structs of a fixed size
check 1 'struct cairn_fixed: removed' 's/^struct cairn_fixed/struct cairn_other/'
check 1 'struct cairn_fixed: member `high` moved from offset 8 to 0' 's/low, high/high, low/'
check 1 'struct cairn_fixed: member `high` removed' 's/low, high/low, top/'
check 1 'struct cairn_fixed: size of member `name` changed from 16 to 15' 's/name\[CAIRN_MANY\]/name[15]/'
check 1 'struct cairn_fixed: size changed from 40 to 48, but the struct does not begin with its size' \
	's/	char name.*/& int more;/'
check 1 'struct cairn_inner: member `b` added, but the struct does not begin with its size' 's/	uint32_t a;/& uint32_t b;/'
# structs that begin with their size
check 1 'struct cairn_sized: member `last` removed' '/	bool last;/d'
check 1 'struct cairn_sized: member `inner` moved from offset 16 to 24' 's/	enum cairn_kind kind;/& uint64_t more;/'
check 1 'struct cairn_sized: member `more` added at offset 12, within the 32 bytes of version 0.3.0' \
	's/	enum cairn_kind kind;/& uint32_t more;/'
check 1 'struct cairn_sized: member `more` added at offset 25, within the 32 bytes of version 0.3.0' \
	's/	bool last;/& bool more;/'
check 1 'struct cairn_sized: no longer begins with its size' 's/size_t size/uint64_t length/'
check 1 'struct cairn_fixed: now begins with its size' 's/uint64_t low,/size_t size; &/'
# constants
check 1 'CAIRN_TWO: removed' 's/	CAIRN_TWO,//'
check 1 'CAIRN_TWO: value changed from 1 to 2' 's/	CAIRN_TWO,/	CAIRN_NEW, CAIRN_TWO,/'
check 1 'CAIRN_MANY: value changed from 16 to 32' 's/1 << 4/1 << 5/'
check 1 'new minor version and run' 's/1 << 4/1 << 5/'

# --update always accepts additions, but other changes only with a new minor version.
cmp -s "$work/abi.txt" "$work/tests/house/abi.txt" || fail 'the description has changed'
check 1 'CAIRN_MANY: value changed from 16 to 32' 's/1 << 4/1 << 5/' --update
cmp -s "$work/abi.txt" "$work/tests/house/abi.txt" || fail '--update without a new version'
check 1 'abi.sh --update' 's/1 << 4/1 << 5/; s/MINOR 3/MINOR 4/'
check 0 '' 's/	CAIRN_TWO,/& CAIRN_THREE,/' --update
grep -qx 'CAIRN_THREE 2' "$work/tests/house/abi.txt" || fail '--update without an addition'
sed 's/1 << 4/1 << 5/; s/MINOR 3/MINOR 4/' "$work/original/cairn.h" >"$work/include/cairn.h"
# shellcheck disable=SC2086 # words
"$work/tests/house/abi.sh" --update "$work/include" "$work/libcairn.so" -- $compiler >/dev/null ||
	fail '--update with a new version'
grep -qx 'CAIRN_MANY 32' "$work/tests/house/abi.txt" || fail '--update with a new version writes nothing'
exit $failed
