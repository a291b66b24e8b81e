#!/bin/sh
# SPDX-License-Identifier: MIT
# cores.sh: the stack of a core whose program is gone, by an object that was made while it was there; and of cores of
# aarch64, which an emulator writes, by objects of programs without .eh_frame and without symbols.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
command -v gdb >/dev/null || skip 'no gdb on this machine, which makes the core'
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"
cd "$tmp"
version=$("$LLDB" --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')

# in_core ARGUMENTS...: LLDB with a core, to "said"; an error of one command does not end it
in_core() {
	within "${LIMIT:-300}" "$LLDB" -x -b -O 'settings set use-color false' \
		-O 'settings set symbols.enable-external-lookup false' -O 'settings set plugin.process.gdb-remote.packet-timeout 60' \
		-O 'settings set stop-line-count-before 0' -O 'settings set stop-line-count-after 0' \
		-O 'settings set frame-format "f ${frame.index} ${frame.pc} ${frame.reg.sp} ${frame.reg.fp} ${function.name-without-args} ${line.file.basename}:${line.number}\n"' \
		-O "plugin load $LLDB_PLUGIN" "$@" </dev/null >said 2>&1 || [ $? = 1 ] || {
		cat said
		fail "LLDB ended with status $?"
	}
}
# frames OUT: of the last stack in "said", up to main
frames() {
	sed -n 's/^.*\(f [0-9]* 0x\)/\1/p' said | awk '$2 == 0 { n = 0 } { line[n++] = $0 }
		END { for (i = 0; i < n; i++) { print line[i]; if (line[i] ~ / main /) exit } }' >"$1"
}
# same WHAT LEAST: complete and bare are equal, and long enough
same() {
	[ "$(wc -l <complete)" -ge "$2" ] || fail "$1: only $(wc -l <complete) frames in the complete build"
	diff complete bare || {
		cat said
		fail "$1"
	}
	echo "$1: $(wc -l <bare) frames are equal"
}

"$CC_TARGET" -g -O1 -pthread -Wa,--gsframe -Wl,--build-id=sha1 "$programs/sample.c" -o eh/sample 2>said ||
	skip 'the assembler does not know --gsframe'
objcopy -S --remove-section .eh_frame --remove-section .eh_frame_hdr eh/sample no/sample
"$CAIRN" gsym create --quiet eh/sample -o sample.gsym
"$CAIRN" symbols write --debugger=lldb -q --for no/sample sample.gsym -o sample.debug
for which in eh no; do
	within 100 gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex 'set exec-wrapper env -i' \
		-ex "break *(0x555555554000+0x$(va sample stop_here))" -ex 'run recurse' \
		-ex "generate-core-file $tmp/core.$which" $which/sample </dev/null >said 2>&1 || :
	[ -s core.$which ] || fail 'no core of GDB'
done
in_core -o "target create --core $tmp/core.eh $tmp/eh/sample" -o bt
frames complete
mv no/sample no/moved
in_core -o "target create --core $tmp/core.no" -o bt
frames bare
[ "$(wc -l <bare)" -le 1 ] || fail 'LLDB needs no object here: the test shows nothing'
in_core -o "target create --core $tmp/core.no" -o 'target modules add sample.debug' \
	-o 'target modules load --file sample.debug --slide 0x555555554000' -o bt -o 'cairn where $pc'
frames bare
same 'core without its program' 8
grep -q '^0x[0-9a-f]* stop_here at sample.c:' said || fail 'cairn where has no name'
for command in 'cairn modules' 'cairn add-gsym sample.gsym' 'cairn find-cbf'; do
	in_core -o "target create --core $tmp/core.no" -o "$command" -o 'cairn status'
done

# By its build ID cairn finds the program's file, or reports what it lacks and where it looks.
id=$(readelf -n no/moved | sed -n 's/.*Build ID: //p')
build=$(echo "$id" | sed 's/^../&\//')
# expect WHAT TEXT: "said" has the text
expect() {
	grep -qF -- "$2" said || {
		cat said
		fail "$1: not there: $2"
	}
}
mkdir apart # where the core is, LLDB looks for its program, too
mv core.no apart
for command in 'cairn bt' 'cairn symbols load' 'cairn sframe'; do
	in_core -o "target create --core $tmp/apart/core.no" -o "$command"
	expect "$command" "no file of the module at 0x555555554000, build ID $id; name its directory in target.exec-search-paths"
	[ "$(grep -c 'no file of the module at 0x555555554000' said)" = 1 ] || fail "$command: reported twice"
	in_core -o "target create --core $tmp/apart/core.no" -o "$command -json"
	! grep -q 'no file of' said || fail "$command -json: text"
done
mkdir -p "tree/.build-id/${build%/*}" "made/.build-id/${build%/*}" "gsyms/.build-id/${build%/*}" folder
cp sample.gsym "gsyms/.build-id/$build.gsym"
cp no/moved "tree/.build-id/$build"
cp no/moved folder/another-name
cp sample.debug "made/.build-id/$build.debug"
for where in 'debug-file-search-paths tree' 'exec-search-paths folder'; do
	in_core -o "target create --core $tmp/apart/core.no" -o "settings append target.${where% *} $tmp/${where#* }" \
		-o 'cairn bt' -o 'cairn add-gsym sample.gsym' -o bt -o 'cairn bt 4'
	expect "$where" ": the file of the module at 0x555555554000"
	grep -q '^#7 ' said || {
		cat said
		fail "$where: cairn bt"
	}
	[ "$(grep -c '^#[0-3] .* in [a-z_]' said)" = 4 ] || fail "$where: cairn bt without names"
	frames bare
	same "a program found in ${where#* }" 8
	in_core -o "target create --core $tmp/apart/core.no" -o "settings append target.${where% *} $tmp/${where#* }" \
		-o "cairn set directory $tmp/gsyms" -o 'cairn symbols load' -o bt
	frames bare
	same "loaded from ${where#* }" 8
done
in_core -o "target create --core $tmp/apart/core.no" -o "settings append target.debug-file-search-paths $tmp/made" \
	-o 'cairn symbols load' -o bt
expect made "$build.debug: the file of the module at 0x555555554000"
frames bare
same 'an object in place of the program' 8

# None of its files is there.
echo 'int main(void) { __builtin_trap(); }' >alone.c
"$CC_TARGET" -static -Wl,--build-id=sha1 alone.c -o alone
within 100 gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex run -ex "generate-core-file $tmp/apart/core.alone" \
	alone </dev/null >said 2>&1 || :
[ -s apart/core.alone ] || fail 'no core of GDB'
rm alone
in_core -o "target create --core $tmp/apart/core.alone" -o 'cairn symbols load'
expect static 'no file of the module at 0x400000, build ID '
# from 23 on LLDB makes modules of what the core has
[ "$version" -ge 23 ] || expect static 'error: no module of the core has a file; add directories with "settings append target.exec-search-paths DIR" and repeat the command'
echo 'a core whose files are all gone'

# A core whose library lies elsewhere than that of the program's file: LLDB has the library twice, and the process loaded one.
mkdir whole here there
"$CC_TARGET" -g -O0 -Wl,--build-id=sha1 -fPIC -shared -DLIBRARY -Wl,-soname,libuser.so "$programs/user.c" -o whole/libuser.so
"$CC_TARGET" -g -O0 -Wl,--build-id=sha1 "$programs/user.c" whole/libuser.so -Wl,-rpath,'$ORIGIN' -o whole/user
for file in user libuser.so; do
	strip -s -o here/$file whole/$file
	cp here/$file there
	"$CAIRN" gsym create --quiet whole/$file -o here/$file.gsym
	cp here/$file.gsym there
done
cp here/libuser.so* . # where LLDB looks for libraries of a program that does not run
within 100 gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex 'set breakpoint pending on' -ex 'break library_call' \
	-ex run -ex "generate-core-file $tmp/core.there" there/user </dev/null >said 2>&1 || :
[ -s core.there ] || fail 'no core of GDB'
in_core -o "target create --core $tmp/core.there $tmp/here/user" -o 'cairn symbols load' -o bt
[ "$(grep -c 'user.*: [0-9]* functions from' said)" = 2 ] && grep -q ' library_call user.c:' said && grep -q ' main user.c:' said || {
	cat said
	fail 'a library that is there twice'
}
# The end of a page that the file has, and the segment has not: .eh_frame is read there.
in_core -o "target create --core $tmp/core.there $tmp/there/user" -o 'cairn symbols load' -o 'cairn where main'
grep -q '^  cfi      0x' said || {
	cat said
	fail 'call frame information that the core has left out'
}
echo 'a library that is there twice, and the last page of a segment'

for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-objcopy qemu-aarch64; do
	command -v $tool >/dev/null || {
		echo "aarch64: not tried, no $tool on this machine"
		exit 0
	}
done
cat >deep.c <<'END_C'
static volatile int sink;
static int *volatile nowhere;
__attribute__((noinline)) static int leaf(int n)
{
	return *nowhere + n;
}
__attribute__((noinline)) static int busy(int a, int b, int c)
{
	int x = a * b, y = b * c, z = c * a;
	int got = leaf(x + y);
	return got + x + y * z + sink;
}
__attribute__((noinline)) static int recurse(int depth, int *trail)
{
	int local[8] = { depth, sink };
	if (depth == 0)
		return busy(trail[0], 2, 3);
	return recurse(depth - 1, local) + local[sink & 7];
}
__attribute__((noinline)) static int variable(int n)
{
	char some[n];
	some[n - 1] = 1;
	return recurse(5, (int[]){ n, 1 }) + some[sink];
}
int main(void)
{
	return variable(100 + sink);
}
END_C
for flags in '-O2' '-O2 -fomit-frame-pointer' '-O0' '-O1 -fstack-protector-all'; do
	# shellcheck disable=SC2086 # flags are words
	aarch64-linux-gnu-gcc -g $flags -static -Wa,--gsframe -Wl,--build-id=sha1 deep.c -o eh/deep 2>said || {
		echo "aarch64 $flags: not tried, the assembler does not know --gsframe"
		continue
	}
	aarch64-linux-gnu-objcopy -S --remove-section .eh_frame --remove-section .eh_frame_hdr eh/deep no/deep
	"$CAIRN" gsym create --quiet eh/deep -o deep.gsym
	"$CAIRN" symbols write --debugger=lldb -q --for no/deep deep.gsym -o deep.debug
	for which in eh no; do
		(
			rm -rf dump && mkdir dump && cd dump && ulimit -c unlimited
			within 60 qemu-aarch64 -s 262144 ../$which/deep >said 2>&1
		) >said 2>&1 || :
		set -- dump/qemu_*.core
		[ -s "$1" ] || fail 'no core of the emulator'
		mv "$1" core.$which
	done
	in_core -o "target create --core $tmp/core.eh $tmp/eh/deep" -o bt
	frames complete
	# where LLDB looks as it opens the program: what it found out about code without symbols it keeps
	id=$(readelf -n no/deep | sed -n 's/.*Build ID: //p')
	mkdir -p "debug/.build-id/$(echo "$id" | cut -c 1-2)"
	cp deep.debug "debug/.build-id/$(echo "$id" | sed 's/^../&\//').debug"
	in_core -O "settings append target.debug-file-search-paths $tmp/debug" \
		-o "target create --core $tmp/core.no $tmp/no/deep" -o bt
	frames bare
	same "aarch64 $flags" 8
done
