#!/bin/sh
# SPDX-License-Identifier: MIT
# Symbols from a symbol server, all of it real: a program is stripped, its symbols are sent to
# `cairn symbfile serve` on the loopback, and a GDB that knows only the FileID and the URL shows the
# functions, calls that were inlined, files and lines that it shows of the complete build.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" "$CC_TARGET" strip

no_proxy=127.0.0.1
PATH=$(dirname "$CAIRN"):$PATH
XDG_CACHE_HOME=$tmp/cache
export no_proxy PATH XDG_CACHE_HOME
unset CAIRN_API_KEY http_proxy HTTP_PROXY all_proxy ALL_PROXY

server=
end_server() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || :
	[ -z "$server" ] || wait "$server" || :
	server=
}
trap 'status=$?; end_server; (exit $status); finish' EXIT

serve() {
	"$CAIRN" symbfile serve --listen 127.0.0.1:0 --store "$tmp/store" "$@" >"$tmp/serve" \
		2>"$tmp/serve.log" &
	server=$!
	tries=0
	until grep -q '^listening on ' "$tmp/serve"; do
		! grep -q 'built without' "$tmp/serve.log" || skip 'cairn was built without a server'
		tries=$((tries + 1))
		[ "$tries" -le 500 ] || fail "no server: $(cat "$tmp/serve.log")"
		sleep 0.02
	done
	url=http://$(sed -n 's/^listening on //p' "$tmp/serve")
}

cat >"$tmp/prog.c" <<'END'
#include <stdlib.h>
static inline __attribute__((always_inline)) int deepest(int n)
{
	if (n > 3)
		abort();
	return n * 3;
}
static __attribute__((noinline)) int middle(int n)
{
	return deepest(n + 2) + 1;
}
static __attribute__((noinline)) int outer(int n)
{
	return middle(n) + 2;
}
int main(int argc, char **argv)
{
	return argv ? outer(argc + 1) + 3 : 0;
}
END
"$CC_TARGET" -g -O1 -Wl,--build-id=sha1 "$tmp/prog.c" -o "$tmp/eh/prog"
strip -s "$tmp/eh/prog" -o "$tmp/no/prog"
id=$("$CAIRN" symbfile id "$tmp/no/prog" | awk '{ print $2 }')

# names COMMANDS...: what GDB says of the program's own frames; the FileID is all that it knows
names() {
	debug without "$tmp/no/prog" -ex "source $CAIRN_GDB" -ex 'set print frame-arguments none' \
		-ex run "$@" -ex bt -ex 'frame function main' -ex 'cairn where $pc' >"$tmp/said"
	frames
}
frames() {
	sed -n 's/^#[0-9]* *\(0x[0-9a-f]* in \)\{0,1\}\([a-z]*\) (.*) at .*\(prog.c:[0-9]*\)$/\2 \3/p' \
		"$tmp/said"
}

debug without "$tmp/eh/prog" -ex 'set print frame-arguments none' -ex run -ex bt \
	-ex 'frame function main' >"$tmp/said"
frames >"$tmp/complete"
[ "$(sed 's/ .*//' "$tmp/complete" | tr '\n' ' ')" = 'deepest middle outer main main ' ] ||
	fail "the complete build shows $(cat "$tmp/complete")"

# same HOW: the frames are those of the complete build, and "cairn where" has a line of main
same() {
	diff -u "$tmp/complete" "$tmp/frames" || {
		cat "$tmp/said" "$tmp/serve.log"
		fail "$1"
	}
	grep -q '^0x[0-9a-f]* main + [0-9]* at prog.c:18$' "$tmp/said" || {
		cat "$tmp/said"
		fail "$1: cairn where"
	}
}

serve
names -ex "cairn add-symbfile $id -url $url" >"$tmp/frames"
grep -qF "cairn: $id: the server has no symbols" "$tmp/said" || {
	cat "$tmp/said"
	fail 'of a server that has nothing it is not said'
}
[ ! -s "$tmp/frames" ] || fail 'names from nowhere'

"$CAIRN" symbfile push --url "$url" "$tmp/no/prog" --debug "$tmp/eh/prog" >"$tmp/pushed"
names -ex "cairn add-symbfile $id -url $url" >"$tmp/frames"
same 'from the server'
grep -q ' 200 GET /.*/ranges$' "$tmp/serve.log" || fail 'the server was not asked for the ranges'

# by now the cache has them
end_server
names -ex "cairn add-symbfile $id" >"$tmp/frames"
same 'from the cache'
