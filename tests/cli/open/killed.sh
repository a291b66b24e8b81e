#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What `cairn open` makes for a debugger goes when both have ended, also by SIGKILL: then the next call removes it.
#
#	killed.sh CAIRN
set -u
LC_ALL=C
export LC_ALL
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
. "$(dirname "$0")/../../lib/test.sh"
fixtures=$(cd "$(dirname "$0")/../../fixtures/minidump" && pwd) || exit 2
dump=$fixtures/amd64.dmp
mkdir "$work/temporary" || exit 2
TMPDIR=$work/temporary
export TMPDIR
cat >"$work/debugger" <<END
#!/bin/sh
echo \$\$ >"$work/debugger.pid"
mv "$work/debugger.pid" "$work/started"
exec sleep 1000
END
cat >"$work/ends" <<END
#!/bin/sh
ls "$work/temporary" >"$work/seen"
END
chmod +x "$work/debugger" "$work/ends"

# Starts the debugger that sleeps: $opener, $debugger.
start() {
	rm -f "$work/started"
	"$cairn" open --quiet --debugger="$work/debugger" "$dump" >"$work/said" 2>&1 &
	opener=$!
	tries=0
	while [ ! -f "$work/started" ]; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || { cat "$work/said"; fail 'the debugger was not started'; exit 1; }
		sleep 0.1
	done
	debugger=$(cat "$work/started")
}
folders() {
	ls "$work/temporary" | grep -c .
}

start
kill -9 $opener
wait $opener 2>/dev/null
"$cairn" open --quiet --debugger="$work/ends" "$dump" >"$work/said" 2>&1
[ "$(grep -c . "$work/seen")" = 2 ] || fail "the folder of a debugger that runs was removed: $(cat "$work/seen")"
[ "$(folders)" = 1 ] || fail "its own folder stays: $(ls "$work/temporary")"
mkdir "$work/temporary/cairn-open.others"
echo mine >"$work/temporary/cairn-open.others/mine"
kill -9 "$debugger"
tries=0
while kill -0 "$debugger" 2>/dev/null && [ $tries -lt 100 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
"$cairn" open --quiet --debugger="$work/ends" "$dump" >"$work/said" 2>&1
[ "$(ls "$work/temporary")" = cairn-open.others ] || fail "the folder of killed programs stays: $(ls "$work/temporary")"
[ -f "$work/temporary/cairn-open.others/mine" ] || fail 'a file of another kind was removed'
exit $failed
