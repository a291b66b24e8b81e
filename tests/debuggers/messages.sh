#!/bin/sh
# SPDX-License-Identifier: MIT
# Messages of the commands in GDB that need a program without a build ID, files that go meanwhile, or memory that no
# process has.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}" "${ODD_FILES:?path of odd_files}"
need "$GDB" "$CC_TARGET" strip

cd "$tmp"
cat >prog.c <<'END'
int counter;
__attribute__((noinline, noclone)) int twice(int n) { counter++; return n + n; }
int main(int argc, char **argv) { return argv ? twice(argc) - 2 : 0; }
END
"$CC_TARGET" -g -O1 -Wl,--build-id=none prog.c -o bare
"$CC_TARGET" -g -O1 -no-pie -Wl,--build-id=sha1 -Wa,--gsframe prog.c -o app 2>/dev/null ||
	skip 'the assembler does not know --gsframe'
"$CAIRN" gsym create --quiet bare
"$CAIRN" gsym create --quiet app
"$CAIRN" symbfile create --quiet --only ranges app -o app
hex=$("$CAIRN" symbfile id app | cut -d ' ' -f 1)
cp app.ranges "$hex.symbfile"
strip bare app
cp app whole
for kind in traces core; do
	"$ODD_FILES" $kind >$kind
done
cp traces constant # its only segment may be read
printf '\004' | dd of=constant bs=1 seek=68 conv=notrunc 2>/dev/null

# ask ARGUMENTS...: GDB with cairn, and these arguments; what it prints is in `said`
ask() {
	within 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex 'set width 0' -ex 'set confirm off' -ex 'set exec-wrapper env -i' -ex "source $CAIRN_GDB" "$@" </dev/null >said 2>&1 || :
}

# says MESSAGE: it is a line of that
says() {
	sed "s|$tmp/||g" said | grep -qxF "cairn: $1" || {
		cat said
		fail "not printed: $1"
	}
}

# a cairn.gdb beside a module of another version: it works, and tells
version=$("$CAIRN" --version | sed 's/.* //')
sed 's/\(_cairn_script=\)[0-9]*/\11/' "$CAIRN_GDB" >other.gdb
grep -q '_cairn_script=1,' other.gdb || fail 'the version in cairn.gdb was not found'
ask -ex 'source other.gdb' -ex 'cairn status'
! grep -q 'install both together' said || fail 'a module that is loaded already'
sed -e 's/\$_cairn_script=[0-9]*,//' -e '/^ *set .*_cairn_script=[0-9]*$/d' "$CAIRN_GDB" >older.gdb
for script in other older; do
	within 120 "$GDB" -nx -q -batch -ex "source $script.gdb" -ex 'cairn status' </dev/null >said 2>&1 || :
	says "this cairn.gdb is not version $version, unlike the module it loads: install both together"
	grep -q "^cairn $version in GDB" said || fail "$script: no status"
done

long=$(head -c 4090 /dev/zero | tr '\0' n)
ask -ex 'cairn add-gsym ""' -ex "cairn add-gsym $long"
says 'FILE is missing; see "help cairn add-gsym"'
says 'the path is too long'

ask -ex 'cairn symbols load bare' -ex starti -ex 'cairn add-gsym -module bare -force bare.gsym' bare
says 'bare: GDB cannot find symbols without a build ID; start the program first to add other symbols'
says 'bare has no build ID, so cairn cannot match symbols to this module'

ask -ex starti -ex 'cairn symbols load app' -ex 'shell rm app' -ex 'cairn symbols unload app' \
	-ex "cairn add-symbfile -module app $hex.symbfile" app
says 'app: the file no longer exists, so GDB keeps the symbols'
says "$hex.symbfile: the module's FileID is unknown: no such file; use -force to load the symbols anyway"

cp whole app
ask -ex starti -ex 'cairn sframe 0x400010' app
says 'no unwind rule at 0x400010: no row covers the address'
# more files than a session keeps: those of other builds are kept for modules that may come
mkdir many
for number in $(seq 256); do
	{
		head -c 28 app.gsym
		printf "$(printf '\\%03o\\%03o' $((number % 256)) $((number / 256)))"
		tail -c +31 app.gsym
	} >"many/$number.gsym"
	echo "cairn add-gsym many/$number.gsym"
done >many.gdb
ask -ex 'source many.gdb' -ex 'cairn add-gsym app.gsym' app
says 'out of memory, or too many symbol files (limit: 256)'

ask -ex 'cairn find-cbf 0 0xffffffffff' app
says 'too much of the searched memory is unreadable'
ask -ex 'cairn find-cbf' -ex 'cairn sframe' -c core
says 'cairn cannot read the module of the innermost frame'
ask -ex 'cairn find-cbf' -c traces
says 'too many backtraces to list; specify START and END to limit the search'
ask -ex 'cairn find-cbf' -c constant
says 'this target does not list its writable memory; specify START and END'
