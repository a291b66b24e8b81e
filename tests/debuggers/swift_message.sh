#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn bt prints the message of Swift's runtime: of a library that stands for libswiftCore, of one in the program, and of
# the minidump of a core; and the reason for a trap that only debug information has.
set -u
export LC_ALL=C
: "${CAIRN?path of cairn}" "${GDB:=gdb}" "${CC_TARGET:=cc}"
. "$(dirname "$0")/../lib/test.sh"
command -v "$GDB" >/dev/null || skip 'no GDB, which makes the cores'
[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] || skip 'a machine that Swift does not support'
export XDG_CACHE_HOME="$work/cache"
cd "$work" || exit 2
mkdir -p lib

cat >core.c <<'END'
static const char *buffer;
const char **swift_getFatalErrorMessageBuffer(void);
const char **swift_getFatalErrorMessageBuffer(void) { return &buffer; }
END
cat >main.c <<'END'
#include <stdlib.h>
#include <string.h>
const char **swift_getFatalErrorMessageBuffer(void);
__attribute__((section("swift5_protocols"), used)) static const int protocols = 1;
static inline __attribute__((always_inline)) void reason(void) { __builtin_trap(); }
int main(int argc, char **argv)
{
	if (argc > 1)
		*swift_getFatalErrorMessageBuffer() = strdup("main/f.swift:8: Fatal error: two\nlines\n");
	if (argc > 2)
		abort();
	(void)argv;
	reason();
}
END
"$CC_TARGET" -O2 -fPIC -shared core.c -o lib/libswiftCore.so -Wl,--build-id
# the name of the inlined function is one that C cannot have
"$CC_TARGET" -O2 -g -gdwarf-4 -S main.c -o main.s
sed -i 's/"reason"/"Swift runtime failure: arithmetic overflow"/' main.s
"$CC_TARGET" main.s -o shared -Llib -lswiftCore -Wl,-rpath,"$work/lib" -Wl,--build-id
"$CC_TARGET" -O2 main.s core.c -o whole -Wl,--build-id

# check WHAT PROGRAM MESSAGE ARGUMENT...: the message in JSON, and in text, where a newline is escaped otherwise, from a core
# and from its minidump
check() {
	what=$1 program=$2 message=$3
	shift 3
	rm -f core.dump core.dmp
	"$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -ex "run $*" -ex "generate-core-file core.dump" \
		"./$program" >said 2>&1 </dev/null
	[ -f core.dump ] || skip "GDB wrote no core: $(tail -n 1 said)"
	"$CAIRN" minidump -o core.dmp core.dump >said 2>&1 || [ $? = 1 ] || fail "$what: $(cat said)"
	for file in core.dump core.dmp; do
		"$CAIRN" bt "$file" >text 2>&1 || [ $? = 1 ] || fail "$what: $(cat text)"
		"$CAIRN" bt --json "$file" >json 2>&1 || [ $? = 1 ] || fail "$what: $(cat json)"
		if [ -z "$message" ]; then
			! grep -i abort text json || fail "$what: a message in $file"
			continue
		fi
		grep -qxF "Abort message: $(printf %s "$message" | sed 's/\\n/\\x0a/')" text || fail "$what: no message in $file: $(head -n 5 text)"
		grep -qF "\"abort_message\":\"$message\"" json || fail "$what: no message in $file: $(head -c 1000 json)"
	done
}

two='main/f.swift:8: Fatal error: two\nlines'
check 'a trap with a message' shared "$two" once
check 'abort() with a message' shared "$two" once more
check 'a trap without a message' shared 'Swift runtime failure: arithmetic overflow'
check 'a program with the runtime' whole "$two" once
strip -d shared
check 'neither message nor debug information' shared ''
exit $failed
