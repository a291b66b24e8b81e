# SPDX-License-Identifier: MIT
# Starts the programs of this directory; to be read by "." behind tests/lib/test.sh.

# start COMMAND...: in the background, and waits until it has said that it is ready.  Its number is in `pid`.
start() {
	rm -f "$work/ready"
	"$@" >"$work/ready" &
	pid=$!
	for _ in $(seq 50); do
		[ ! -s "$work/ready" ] || break
		sleep 0.1
	done
}
