#!/bin/sh
# SPDX-License-Identifier: MIT
# side_files.sh FLAGS...: a program without symbols and without unwind tables, and a file with a table that `cairn sframe create`
# made of the complete build. LLDB's bt and that of cairn have the frames of the complete build: live, of a core, attached, and through
# LLDB's server; with the file beside the program, below .build-id in a directory of set cairn directory, or named by add-sframe before or after the program
# runs. What add-sframe says is what it says in GDB.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"
cd "$tmp"

make_table sample "$@" -pthread "$programs/sample.c"
mv no/sample.sframe named.sframe
id=$(readelf -n no/sample | sed -n 's/.*Build ID: //p')
stop=0x$(va sample stop_here)
base=0x555555554000
case $(readelf -hW eh/sample) in *' EXEC '*) base=0 ;; esac
total=0

# session WHICH ARGUMENTS...: LLDB, for the bare build with cairn; its last stack is in WHICH.out
session() {
	which=$1
	shift
	load='settings set use-color false'
	[ "$which" = eh ] || load="plugin load $LLDB_PLUGIN"
	within "${LIMIT:-200}" "$LLDB" -x -b -O 'settings set target.disable-aslr true' -O 'settings set target.inherit-env false' \
		-O 'settings set symbols.enable-external-lookup false' -O 'settings set use-color false' \
		-O 'settings set plugin.process.gdb-remote.packet-timeout 60' -O "$load" \
		-O 'settings set frame-format "f ${frame.index} ${frame.pc} ${frame.reg.rsp} ${frame.reg.rbp}\n"' \
		"$@" </dev/null >said 2>&1 || :
	sed -n 's/^.*\(f [0-9]* 0x\)/\1/p' said |
		awk '$2 == 0 { n = 0 } { line[n++] = $0 } END { for (i = 0; i < n; i++) print line[i] }' >"$which.out"
}

# same WHAT LEAST: LLDB's frames of both builds, and those of cairn bt where it was asked
same() {
	[ "$(wc -l <eh.out)" -ge "$2" ] || fail "$1: only $(wc -l <eh.out) frames in the complete build"
	diff eh.out no.out >differ || {
		head -n 20 differ
		tail -n 40 said
		fail "$1"
	}
	awk '{ print $3 }' eh.out >pcs
	sed -n 's/^#[0-9]* *\(0x[0-9a-f]*\) in .*/\1/p' said >own
	[ ! -s own ] || diff pcs own >differ || {
		head -n 20 differ
		fail "$1: cairn bt"
	}
	total=$((total + $(wc -l <no.out)))
	echo "$1: $(wc -l <no.out) frames are equal"
}

# place FORM: puts the file there; $before are the commands that make cairn use it
place() {
	rm -rf no/sample.sframe store
	before='cairn set auto-symbols on'
	case $1 in
	beside) cp named.sframe no/sample.sframe ;;
	folder)
		folder=store/.build-id/$(echo "$id" | cut -c 1-2)
		mkdir -p "$folder"
		cp named.sframe "$folder/$(echo "$id" | cut -c 3-).sframe"
		before="cairn set directory $tmp/store;$before"
		;;
	named) before='cairn add-sframe named.sframe' ;;
	none) before= ;;
	esac
}

# bare COMMAND...: a session of the bare build, after what `before` has
bare() {
	commands=$before
	for command; do commands="$commands;$command"; done
	old=$IFS
	IFS=';'
	set --
	for command in $commands; do
		[ -z "$command" ] || set -- "$@" -o "$command"
	done
	IFS=$old
	session no "$@"
}
forms=${FORMS:-"beside folder named"}

for word in ${WORDS:-recurse inline busy variable signal qsort thread}; do
	session eh -o "target create eh/sample" -o "settings set target.run-args $word" -o "breakpoint set -s sample -a $stop" \
		-o 'process launch --no-stdio --stop-at-entry' -o 'process handle -s false -p true SIGSEGV SIGUSR1' -o continue -o bt
	for form in $forms; do
		place $form
		bare 'target create no/sample' "settings set target.run-args $word" "breakpoint set -s sample -a $stop" \
			'process launch --no-stdio --stop-at-entry' 'process handle -s false -p true SIGSEGV SIGUSR1' continue bt 'cairn bt'
		same "live $word, $form" 4
	done
done

# after the first bt, as somebody does who sees that there are no frames
place none
session eh -o 'target create eh/sample' -o "breakpoint set -s sample -a $stop" -o 'run recurse' -o bt
bare 'target create no/sample' "breakpoint set -s sample -a $stop" 'run recurse' bt
case " $* " in
*' -O0 '*) ;; # it follows frame pointers
*) [ "$(wc -l <no.out)" -lt 8 ] || fail 'LLDB needs no table here: the test shows nothing' ;;
esac
# where code has a fixed address LLDB 19 keeps what it has found out about it
if [ $base != 0 ]; then
	bare 'target create no/sample' "breakpoint set -s sample -a $stop" 'run recurse' bt 'cairn add-sframe named.sframe' bt 'cairn bt'
	same 'live recurse, named after bt' 8
	grep -qx 'named.sframe: frames of 1 module' said || fail 'add-sframe does not say what it did'
fi

if command -v gdb >/dev/null; then
	for which in eh no; do
		within 100 gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex 'set exec-wrapper env -i' \
			-ex "break *($base+$stop)" -ex 'run recurse' -ex "generate-core-file $tmp/core.$which" $which/sample </dev/null >said 2>&1 || :
		[ -s core.$which ] || fail "no core of GDB: $(tail -n 3 said)"
	done
	session eh -o "target create --core $tmp/core.eh $tmp/eh/sample" -o bt
	for form in $forms; do
		place $form
		bare "target create --core $tmp/core.no $tmp/no/sample" bt 'cairn bt'
		same "core, $form" 8
	done
fi

# attached: two processes, at the same addresses
if command -v setarch >/dev/null; then
	for which in eh no; do
		(cd $which && exec env -i "$(command -v setarch)" -R ./sample wait) >waiting &
		pid=$!
		until grep -qs waiting waiting; do sleep 0.1; done
		if [ $which = eh ]; then
			session eh -o 'target create eh/sample' -o "process attach -p $pid" -o bt
		else
			for form in $forms; do
				place $form
				bare 'target create no/sample' "process attach -p $pid" bt 'cairn bt'
				same "attached, $form" 6
			done
		fi
		kill $pid
		wait $pid 2>/dev/null || :
	done
fi

# serve WHICH: LLDB's server on a free port, $port
server=$(dirname "$(readlink -f "$(command -v "$LLDB")")")/lldb-server
serve() {
	rm -f port
	mkfifo port
	(cd "$1" && exec env -i "$(command -v setarch)" -R "$server" gdbserver --named-pipe "$tmp/port" localhost:0 -- ./sample recurse) >served 2>&1 &
	serving=$!
	port=$(within 20 cat port | tr -d '\0')
}
if [ -x "$server" ] && command -v setarch >/dev/null; then
	serve eh
	session eh -o 'target create eh/sample' -o "gdb-remote localhost:$port" -o "breakpoint set -s sample -a $stop" -o continue -o bt -o kill
	wait $serving 2>/dev/null || :
	for form in $forms; do
		place $form
		serve no
		bare 'target create no/sample' "gdb-remote localhost:$port" "breakpoint set -s sample -a $stop" continue bt 'cairn bt' kill
		wait $serving 2>/dev/null || :
		same "remote, $form" 8
	done
fi

# what the command says
echo text >text
echo 'int main(void) { return 0; }' >other.c
"$CC_TARGET" -Wl,--build-id=sha1 other.c -o other && "$CAIRN" sframe create --quiet other
place none
{
	printf 'cairn add-sframe %s\n' none text other.sframe '"named.sframe"'
	i=0
	while [ $i -lt 66 ]; do
		cp other.sframe other$i.sframe
		echo "cairn add-sframe other$i.sframe"
		i=$((i + 1))
	done
} >list
bare 'target create no/sample' "breakpoint set -s sample -a $stop" 'run recurse' 'command source -e false list'
for words in 'error: none: cannot be read; expected a file created by "cairn sframe create"' 'error: text: not an ELF file' 'other.sframe: for a module that is not loaded yet' \
	'named.sframe: frames of 1 module' 'sframe: too many SFrame files'; do
	grep -q "$words" said || fail "not said: $words; $(grep sframe said | head -4)"
done
echo "$total frames equal"
