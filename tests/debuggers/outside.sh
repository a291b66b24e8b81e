#!/bin/sh
# SPDX-License-Identifier: MIT
# attach to a running program, and debug one through gdbserver.
# Arguments: compiler flags.  RUN is how a program is started for a GDB that is elsewhere (scripts/matrix.sh).
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET" objcopy gdbserver

build sample.c sample -g -pthread "$@"

# attach: the program waits in pause()
for kind in eh no; do
	with=without
	[ $kind = no ] && with=with
	# shellcheck disable=SC2086 # words
	${RUN:-} env -i "$tmp/$kind/sample" wait >"$tmp/said.$kind" &
	pid=$!
	tries=0
	until grep -qs waiting "$tmp/said.$kind" || [ $tries -gt 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	debug $with "$tmp/$kind/sample" -ex "attach $pid" -ex bt -ex 'up 2' -ex 'info locals' |
		grep -E '^#|^[a-z]+ = ' | sed 's/0x[0-9a-f]* in //; s/0x7f[0-9a-f]*/STACK/g' | settle >"$tmp/attach.$kind"
	kill $pid
	wait $pid 2>/dev/null || :
done
compare attach

# gdbserver: over a pipe, so that no port is needed
for kind in eh no; do
	with=without
	[ $kind = no ] && with=with
	for name in recurse inline busy qsort; do
		debug $with "$tmp/$kind/sample" -ex 'set sysroot /' -ex "target remote | \
env -i $(command -v gdbserver) --once - $tmp/$kind/sample $name" \
			-ex 'break stop_here' -ex continue -ex bt -ex up -ex 'info locals' |
			grep -E '^#|^[a-z]+ = ' | settle
	done >"$tmp/remote.$kind"
done
compare remote 12
echo "attach and gdbserver equal: $(cat "$tmp/attach.eh" "$tmp/remote.eh" | grep -c '^#') frames"
