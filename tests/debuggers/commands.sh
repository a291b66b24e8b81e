#!/bin/sh
# SPDX-License-Identifier: MIT
# finish, up, step, next, until, advance, return, call, full backtraces and info frame behave as
# in the complete build.  One difference is known: info frame lists no "Saved registers", for the
# registers come as values and not as places in memory.
# Arguments: compiler flags.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET" objcopy

build sample.c sample -g -pthread "$@"

cat >"$tmp/script" <<'END'
break stop_here
run recurse
bt full
finish
up
info frame
info locals
down
step
step
next
until
bt
run inline
up
up
info frame
finish
next
next
step
bt
run busy
finish
next
bt -full
advance stop_here
bt
up
return
bt
next
run recurse
print stop_here (3)
bt
delete
break innermost
run inline
bt
step
step
finish
info frame
tbreak compare
run qsort
bt
finish
finish
bt
END
debug_each without "$tmp/eh/sample" "$tmp/script" | settle >"$tmp/commands.eh"
debug_each with "$tmp/no/sample" "$tmp/script" | settle >"$tmp/commands.no"
# the list of saved registers goes on in further lines until the next command's output
for kind in eh no; do
	awk '/^ *Saved registers:/ { saved = 1; next }
	     saved && /^  *[a-z0-9]+ at 0x/ { next }
	     { saved = 0; print }' "$tmp/commands.$kind" >"$tmp/list.$kind"
done
compare list 60
# and in the complete build cairn changes nothing
debug_each with "$tmp/eh/sample" "$tmp/script" | settle >"$tmp/commands.no"
compare commands 60
echo "$(wc -l <"$tmp/list.eh") lines equal"
