#!/bin/sh
# SPDX-License-Identifier: MIT
# set cairn auto-symbols on leaves the user's hooks as they are and running, however often and in
# whatever order both are said.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" "$CC_TARGET" strip

"$CC_TARGET" -g -O1 -Wl,--build-id=sha1 -pthread "$programs/sample.c" -o "$tmp/sample" ||
	skip 'the sample does not compile'
"$CAIRN" gsym create --quiet "$tmp/sample" -o "$tmp/sample.gsym" || fail 'no GSYM'
strip -s "$tmp/sample"

cat >"$tmp/hooks" <<'END'
define hook-stop
  if 1
    echo my stop $$dollar "quoted"\n
  else
    echo never\n
  end
  set $stops = $stops + 1
end
define hook-run
  echo my run\n
end
define hookpost-file
  echo my file\n
end
END
cat >"$tmp/session" <<END
set \$stops = 0
source $CAIRN_GDB
source $tmp/hooks
set cairn auto-symbols on
set cairn auto-symbols on
set cairn auto-symbols off
set cairn auto-symbols on
file $tmp/sample
break stop_here
run recurse
print \$stops
show user hook-stop
echo again\n
source $tmp/hooks
set cairn auto-symbols on
show user hook-stop
stepi
print \$stops
show user hook-break
END
within 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
	-iex 'set confirm off' -iex 'set width 0' -x "$tmp/session" </dev/null >"$tmp/said" 2>&1 || :
said 1 '^my file$'
said 1 '^my run$'
said 2 '^my stop \$\$dollar "quoted"$'
said 0 '^never$'
said 1 '^\$1 = 1$'
said 1 '^\$2 = 2$'
# symbols have come all the same: the breakpoint is hit in a program without a symbol of its own
said 1 '^Breakpoint 1, stop_here ()'
[ "$(sed -n '/^User command "hook-stop"/,/^$/p' "$tmp/said" | grep -c '^  _cairn follow$')" = 2 ] ||
	fail 'hook-stop has not one line of ours each time'
[ "$(sed -n '/^User command "hook-break"/,/^$/p' "$tmp/said" | grep -c '^    _cairn follow$')" = 1 ] ||
	fail 'hook-break has not one line of ours'
echo 'hooks stay'
