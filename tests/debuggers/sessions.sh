#!/bin/sh
# SPDX-License-Identifier: MIT
# Symbols through a session as users have them: runs at other addresses, several inferiors, attach and
# detach, a core and then a process, another program, symbols taken away and given back.  Each time those
# that are there are right, and none is left of what was before.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" "$CC_TARGET" strip

# make NAME FLAGS...: $tmp/eh/NAME complete, $tmp/no/NAME stripped with its GSYM beside it
make() {
	name=$1
	shift
	"$CC_TARGET" -g -O0 -Wl,--build-id=sha1 -Wl,-rpath,'$ORIGIN' "$@" -o "$tmp/eh/$name"
	"$CAIRN" gsym create --quiet "$tmp/eh/$name" -o "$tmp/no/$name.gsym"
	strip -s -o "$tmp/no/$name" "$tmp/eh/$name"
}
make libuser.so -fPIC -shared -DLIBRARY -Wl,-soname,libuser.so "$programs/user.c"
make user "$programs/user.c" "$tmp/eh/libuser.so"
make other -no-pie "$programs/steps.c"

mkdir "$tmp/run"
session() {
	program=$1
	shift
	XDG_RUNTIME_DIR="$tmp/run" debug without "$program" -ex "source $CAIRN_GDB" "$@" >"$tmp/said" || :
}
inner='^#0  library_inner () at .*/user.c:1[0-9]$'
from_main='^#2  0x[0-9a-f]* in main () at .*/user.c:3[0-9]$'

# Three runs, each at another address.  Without `auto-symbols` the library is asked for each time; its
# breakpoint waits meanwhile.
session "$tmp/no/user" -ex 'set disable-randomization off' -ex 'cairn symbols load' -ex 'break main' \
	-ex run -ex 'cairn symbols load' -ex 'break library_inner' -ex continue -ex 'bt 3' \
	-ex run -ex 'info breakpoints' -ex 'cairn symbols load' -ex continue -ex 'bt 3' \
	-ex kill -ex run -ex 'cairn symbols load' -ex continue -ex 'bt 3' \
	-ex 'maint info breakpoints 2'
said 3 "$inner"
said 3 "$from_main"
said 1 '^2 .* <PENDING>  *library_inner$'
said 0 '^2\.2'

# The same by itself: nothing is asked for, and nothing waits at a stop.
session "$tmp/no/user" -ex 'set disable-randomization off' -ex 'set cairn auto-symbols on' \
	-ex 'break main' -ex run -ex 'break library_inner' -ex continue -ex 'bt 3' \
	-ex run -ex 'info breakpoints' -ex continue -ex 'bt 3' -ex kill -ex run -ex continue -ex 'bt 3'
said 3 "$inner"
said 3 "$from_main"
said 1 '^2 .* 0x[0-9a-f]* in library_inner at '

# The program complete, the library stripped; its file was given before there was a library.
cp "$tmp/eh/user" "$tmp/no/whole"
mv "$tmp/no/libuser.so.gsym" "$tmp/given.gsym"
session "$tmp/no/whole" -ex "cairn add-gsym $tmp/given.gsym" -ex 'break main' -ex run \
	-ex 'cairn symbols load' -ex 'break library_inner' -ex continue -ex 'bt 3' -ex 'frame 2' \
	-ex 'info locals' -ex 'cairn symbols unload' -ex 'bt 3' -ex 'info line main'
mv "$tmp/given.gsym" "$tmp/no/libuser.so.gsym"
said 1 "$inner"
said 3 '^#2  0x[0-9a-f]* in main (argc=1, argv=0x[0-9a-f]*) at .*/user.c:3[0-9]$'
said 1 '^value = '
said 1 '^#0  0x[0-9a-f]* in ?? () from .*/libuser.so$'
said 1 '^Line 3[0-9] of '

# Two inferiors of one program at different addresses, and a third of another program.
session "$tmp/no/user" -ex 'set disable-randomization off' -ex 'cairn symbols load' -ex 'break main' \
	-ex run -ex 'cairn symbols load' -ex 'break library_inner' -ex continue -ex 'clone-inferior' \
	-ex 'inferior 2' -ex 'info symbol main' -ex 'cairn symbols load' -ex run \
	-ex 'cairn symbols load' -ex continue -ex 'bt 3' \
	-ex "add-inferior -exec $tmp/no/other" -ex 'inferior 3' -ex 'cairn symbols load' \
	-ex run -ex 'bt 1' \
	-ex 'cairn symbols unload' -ex 'bt 1' \
	-ex 'inferior 1' -ex 'bt 3' -ex 'cairn symbols unload' -ex 'bt 1' \
	-ex 'inferior 2' -ex 'bt 3' -ex 'info symbol main'
said 5 "$inner" # two that `inferior` prints
said 3 "$from_main"
said 1 '^No symbol table is loaded\|^No symbol "main" in'
said 1 '^main in section .text'
said 1 '^#0  main () at .*/steps.c:'
said 1 '^#0  0x[0-9a-f]* in ?? ()$'
said 1 "^$tmp/no/other: unloaded"
said 1 '^#0  0x[0-9a-f]* in ?? () from .*/libuser.so$'

# Attach to two of them (RUN: what starts them where GDB is), one after the other; then a core, and a process again.
${RUN:-} "$tmp/no/user" wait &
one=$!
${RUN:-} "$tmp/no/user" wait &
two=$!
session "$tmp/no/user" -ex "attach $one" -ex 'cairn symbols load' -ex 'bt -2' -ex detach \
	-ex 'set cairn auto-symbols on' -ex "attach $two" -ex 'bt -2' -ex 'info symbol library_inner' \
	-ex "generate-core-file $tmp/core" -ex kill -ex "core-file $tmp/core" \
	-ex 'x/i wait_here' -ex 'info line wait_here' -ex 'info symbol library_inner' -ex 'core-file' -ex 'info symbol library_inner' \
	-ex 'break wait_here' -ex 'run wait' -ex 'bt 2' -ex 'cairn symbols unload' \
	-ex 'info symbol library_inner' -ex 'bt 1' -ex 'cairn symbols load' -ex 'bt 2' \
	-ex "file $tmp/no/other" -ex 'info symbol wait_here' -ex 'info line busy'
kill "$one" "$two" 2>/dev/null || :
grep -q '^Could not attach\|ptrace: Operation not permitted' "$tmp/said" && skip 'may not attach'
said 2 '^#[0-9]* .* in wait_here () at .*/user.c:[0-9]*$'
said 1 '^   0x[0-9a-f]* <wait_here>:'
said 1 '^Line 2[0-9] of .*user.c" starts at address 0x[0-9a-f]* <wait_here>'
# GDB has found the library's symbols itself, and keeps them as those of a complete library
said 4 '^library_inner in section '
said 2 '^#0  wait_here () at .*/user.c:[0-9]*$'
said 4 '^#[0-9]* .* in main () at .*/user.c:[0-9]*$'
said 1 '^#0  0x00005[0-9a-f]* in ?? ()'
said 1 '^No symbol table is loaded\|^No symbol "[a-z_]*" in current'
said 1 '^Line 2[0-9] of .*steps.c'

# Symbols that come while the program runs, in the middle of a stop and in the commands of a breakpoint
mkdir "$tmp/no/apart" # from its library, which is not ready then
cp "$tmp/no/user" "$tmp/no/apart/late"
cat >"$tmp/commands" <<'END'
break library_inner
commands
silent
cairn symbols unload
cairn symbols load
up 2
cairn symbols unload
bt 3
cairn symbols load
bt 3
continue
end
END
session "$tmp/no/apart/late" -ex "set exec-wrapper env -i LD_LIBRARY_PATH=$tmp/no" \
	-ex 'set cairn auto-symbols on' -ex starti \
	-ex "shell cp $tmp/no/user.gsym $tmp/no/apart/late.gsym" -ex stepi -ex 'break main' -ex continue \
	-ex "source $tmp/commands" -ex continue
said 3 "^$tmp/no/apart/late: [0-9]* functions from"
said 1 '^Breakpoint 1, main () at .*/user.c:3[0-9]$'
said 1 '^#0  0x[0-9a-f]* in ?? () from .*/libuser.so$'
said 1 "$inner"
said 2 "$from_main" # one that `up` prints
said 1 'exited normally'

# Built anew between two runs, symbols and all: the next run has those of the new build.
{
	echo
	echo
	cat "$programs/user.c"
} >"$tmp/newer.c"
cp "$tmp/no/user" "$tmp/no/built"
cp "$tmp/no/user.gsym" "$tmp/no/built.gsym"
make newer "$tmp/newer.c" "$tmp/eh/libuser.so"
for automatic in on off; do
	load=echo
	[ $automatic = on ] || load='cairn symbols load'
	session "$tmp/no/built" -ex "set cairn auto-symbols $automatic" -ex "$load" -ex 'break main' \
		-ex run -ex kill -ex "shell sleep 1; cp -f $tmp/no/newer $tmp/no/built" \
		-ex "shell cp $tmp/no/newer.gsym $tmp/no/built.gsym" -ex "$load" -ex run -ex 'bt 1' \
		-ex 'info breakpoints'
	said 2 "^$tmp/no/built: [0-9]* functions from"
	said 1 '^#0  main () at .*/newer.c:3[0-9]$'
	said 1 '^1 .* keep y .* in main at .*/newer.c:3[0-9]$'
	cp "$tmp/no/user" "$tmp/no/built"
	cp "$tmp/no/user.gsym" "$tmp/no/built.gsym"
done

[ -z "$(ls -A "$tmp/run")" ] || fail 'a folder is left behind'
echo 'symbols are right through runs, inferiors, processes and cores'
