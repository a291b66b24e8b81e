#!/bin/sh
# SPDX-License-Identifier: MIT
# A full disk: a file system of a megabyte, or a limit on files where none can be mounted.
. "$(dirname "$0")/net.sh"

"$MAKE_SYMBFILE" 20 >"$work/small"
"$MAKE_SYMBFILE" 40000 >"$work/large"
mounted=no
mkdir "$work/store"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=1m tmpfs "$work/store" 2>/dev/null; then
	mounted=yes
	mounted_at=$work/store
	serve
else
	echo "no file system of its own: a limit on files instead"
	ulimit -f 512 # of 512 bytes, or 1024 in some shells
	serve
	ulimit -f unlimited 2>/dev/null
fi

expect 0 "$CAIRN" symbfile push --url "$url" --file-id $id "$work/small"
expect 3 "$CAIRN" symbfile push --url "$url" --file-id $id --retries 1 --backoff 10 "$work/large"
says "$work/err" "the server answers 507; attempt 2 of 2 follows"
says "$work/err" "the server answers 507, code 2001: the store is full (uuid "
[ -z "$(ls -A "$work/store/new")" ] || fail "left behind: $(ls -A "$work/store/new")"
same "$work/small"
expect 0 "$CAIRN" symbfile push --url "$url" --file-id $id "$work/small"
same "$work/small"

# parts fit, all of them joined do not
expect 3 "$CAIRN" symbfile push --url "$url" --file-id $id --retries 0 --part-size 150000 "$work/large"
says "$work/err" "507"
same "$work/small"
[ -z "$(ls -A "$work/store/new")" ] || fail "left behind: $(ls -A "$work/store/new")"

# once there is room again, everything goes
if [ $mounted = yes ]; then
	mount -o remount,size=64m "$work/store"
	expect 0 "$CAIRN" symbfile push --url "$url" --file-id $id --part-size 150000 "$work/large"
	same "$work/large"
fi
exit $failed
