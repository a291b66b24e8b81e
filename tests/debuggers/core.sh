#!/bin/sh
# SPDX-License-Identifier: MIT
# bt of a core: the program without CFI and with cairn shows what the complete program shows.
# Arguments: compiler flags.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET" objcopy

build sample.c sample -g -pthread "$@"

for name in recurse inline busy qsort thread; do
	debug without "$tmp/eh/sample" -ex 'break stop_here' -ex "run $name" \
		-ex "generate-core-file $tmp/core.eh" >/dev/null
	debug without "$tmp/no/sample" -ex 'break stop_here' -ex "run $name" \
		-ex "generate-core-file $tmp/core.no" >/dev/null
	# in the threaded case the other thread may be anywhere
	all='thread apply all bt'
	[ $name = thread ] && all='info frame'
	for kind in eh no; do
		with=without
		[ $kind = no ] && with=with
		debug $with "$tmp/$kind/sample" -ex "core-file $tmp/core.$kind" -ex 'bt' \
			-ex "$all" | grep '^#' | settle >"$tmp/core-$name.$kind"
	done
	compare "core-$name"
	debug with "$tmp/eh/sample" -ex "core-file $tmp/core.eh" -ex 'bt' \
		-ex "$all" | grep '^#' | settle >"$tmp/core-$name.no"
	compare "core-$name"
done
echo "cores equal: $(cat "$tmp"/core-*.eh | grep -c '^#') frames"
