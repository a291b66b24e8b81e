#!/bin/sh
# SPDX-License-Identifier: MIT
# A store: store.sh CAIRN COMPILER FIXTURES
# Files get the names by which clients of debuginfod and Breakpad ask for them, from what is in them; what is damaged, or of another build
# than its name says, is found; and cairn itself and debuginfod-find take names from there.
set -u
export LC_ALL=C
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
compiler=$2
fixtures=$(cd "$3" && pwd)
. "$(dirname "$0")/../../lib/test.sh"
cd "$work" || exit 2
export HOME="$work" XDG_CACHE_HOME="$work/cache"
unset DEBUGINFOD_URLS

printf 'int twice(int n)\n{\n\treturn 2 * n;\n}\nint main(void)\n{\n\treturn twice(1);\n}\n' >a.c
$compiler -O0 -g -Wl,--build-id -o whole a.c || exit 2
"$cairn" gsym create --quiet -o a.gsym whole || exit 2
strip -o stripped whole && objcopy --only-keep-debug whole apart || exit 2
id=$(readelf -n whole | sed -n 's/.*Build ID: //p')

# expect STATUS COMMAND...: its text is in ./said
expect() {
	want=$1
	shift
	"$@" >said 2>&1
	got=$?
	[ $got = "$want" ] || fail "$*: status $got: $(cat said)"
}

# says LINE...: these and no others
says() {
	printf '%s\n' "$@" | cmp -s - said || fail "not '$*' but: $(cat said)"
}

expect 0 "$cairn" store add --store store stripped apart a.gsym
says "added	buildid/$id/executable" "added	buildid/$id/debuginfo" "added	buildid/$id/gsym"
cmp stripped "store/buildid/$id/executable" && cmp apart "store/buildid/$id/debuginfo" && cmp a.gsym "store/buildid/$id/gsym" || fail 'other bytes'
[ "$(find store -type f | wc -l)" = 3 ] || fail "more files: $(find store -type f)"
[ "$(stat -c %a "store/buildid/$id/gsym")" = "$(printf '%o' $((0666 & ~0$(umask))))" ] || fail 'a web server may not read it'
expect 0 "$cairn" store add --store store a.gsym
says "there	buildid/$id/gsym"
# one file with both names; what is there stays
expect 1 "$cairn" store add --store store whole
says "cairn: whole: the store already contains a different file as buildid/$id/executable; use --replace to overwrite that file" \
	"cairn: whole: the store already contains a different file as buildid/$id/debuginfo; use --replace to overwrite that file"
cmp stripped "store/buildid/$id/executable" || fail 'it was replaced'
expect 0 "$cairn" store add --store other whole
says "added	buildid/$id/executable" "added	buildid/$id/debuginfo"
expect 0 "$cairn" store add --store other --replace stripped
says "replaced	buildid/$id/executable"
if "$cairn" sframe create --quiet -o a.sframe whole 2>/dev/null; then
	expect 0 "$cairn" store add --store store a.sframe
	says "added	buildid/$id/sframe"
fi

# Breakpad's files are where the symbol servers of others have them.
for symbols in amd64 arm; do
	file=$(cd "$fixtures/minidump/$symbols-symbols" && find . -name '*.sym' | sed 's|^\./||')
	rm -rf breakpad
	expect 0 "$cairn" store add --store breakpad "$fixtures/minidump/$symbols-symbols/$file"
	says "added	$file"
done
printf 'MODULE windows x86_64 0123456789abcdef0123456789ABCDEF1 shop.pdb\nPUBLIC 10 0 f\n' >pdb.sym
expect 0 "$cairn" store add --store breakpad pdb.sym
says 'added	shop.pdb/0123456789ABCDEF0123456789ABCDEF1/shop.sym'

# refuses WORDS FILE: and nothing is written
refuses() {
	expect 3 "$cairn" store add --store none "$2"
	grep -q -- "$1" said || fail "$2: not '$1' but: $(cat said)"
	[ ! -e none ] || fail "$2: something was written: $(find none)"
}
printf '' >empty
printf 'hello\n' >text
head -c 300 a.gsym >cut.gsym
head -c 9000 whole >cut
printf 'MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 ../../etc/passwd\nPUBLIC 10 0 f\n' >up.sym
printf 'MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 .hidden\nPUBLIC 10 0 f\n' >hidden.sym
printf 'MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 a\nPUBLIC 10 0 f\nFUNC x\n' >bad.sym
printf 'MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 a\nPUBLIC 10 0 f' >end.sym
objcopy --remove-section .note.gnu.build-id whole nameless || exit 2
refuses 'neither ELF, GSYM nor Breakpad' empty
refuses 'neither ELF, GSYM nor Breakpad' text
refuses ' at byte ' cut.gsym
refuses 'a section is truncated' cut
refuses 'a plain name' up.sym
refuses 'a plain name' hidden.sym
refuses 'a line that is not a record' bad.sym
refuses 'the last line has no newline' end.sym
refuses 'no build ID' nameless
refuses 'cannot read' missing
expect 2 "$cairn" store add a.gsym
# of several files the good ones are added
expect 3 "$cairn" store add --store some text a.gsym
[ "$(find some -type f)" = "some/buildid/$id/gsym" ] || fail "beside a damaged file: $(find some)"

expect 0 "$cairn" store check store
grep -q '^[34] files, [0-9]* bytes, 0 wrong$' said || fail "check: $(cat said)"
cp -r store damaged
printf x >>"damaged/buildid/$id/gsym.old"
head -c 200 a.gsym >"damaged/buildid/$id/gsym"
mkdir damaged/buildid/0123 damaged/buildid/0123/deep
cp stripped damaged/buildid/0123/executable
cp a.gsym damaged/stray
ln -s /etc/passwd "damaged/buildid/$id/source"
mkfifo "damaged/buildid/0123/pipe"
expect 1 "$cairn" store check damaged
grep -q "^[0-9]* files, [0-9]* bytes, 7 wrong\$" said || fail "check: $(cat said)"
for wrong in "buildid/$id/gsym: " "buildid/$id/gsym.old: " 'buildid/0123/executable: its build or type is not what its name says' 'stray: its build or type is not what its name says' \
	"buildid/$id/source: " 'buildid/0123/pipe: not a regular file\|buildid/0123/pipe: ' 'buildid/0123/deep: '; do
	grep -q "^$wrong" said || fail "check does not find '$wrong': $(cat said)"
done
expect 3 "$cairn" store check nothing

# Names come from there: by GSYM, by DWARF, by Breakpad's path.
va=$(nm whole | sed -n 's/^0*\([0-9a-f]*\) T twice$/\1/p')
echo "{\"frames\":[{\"build_id\":\"$id\",\"address\":\"0x$va\",\"kind\":\"va\"}]}" >request
for kind in gsym debuginfo; do
	rm -rf one
	mkdir -p "one/buildid/$id"
	cp "store/buildid/$id/$kind" "one/buildid/$id/"
	expect 0 "$cairn" symbolize --directory one <request
	grep -q '"function":"twice","offset":0,"file":"[^"]*a.c","line":2' said || fail "$kind: $(cat said)"
done

printf 'int seed;\nstatic inline int thrice(int n)\n{\n\treturn 3 * n + seed;\n}\nint main(int n, char **v)\n{\n\t(void)v;\n\treturn thrice(n);\n}\n' >b.c
# A package of split DWARF has no build ID, and goes with its program.
if $compiler -O2 -gdwarf-4 -gsplit-dwarf -Wl,--build-id -o parted b.c && { dwp -e parted -o parted.dwp || llvm-dwp -e parted -o parted.dwp; } 2>errors; then
	rm -f ./*.dwo
	parted=$(readelf -n parted | sed -n 's/.*Build ID: //p')
	cp parted.dwp alone.dwp
	refuses 'a split DWARF file has no build ID of its own; add PROGRAM and PROGRAM.dwp with the same command' alone.dwp
	expect 0 "$cairn" store add --store split parted parted.dwp
	says "added	buildid/$parted/executable" "added	buildid/$parted/debuginfo" "added	buildid/$parted/executable.dwp" "added	buildid/$parted/debuginfo.dwp"
	expect 0 "$cairn" store check split
	expect 0 "$cairn" where --no-cache "split/buildid/$parted/executable" main main+1 main+2 main+3 main+4 main+5 main+6
	grep -q 'inlined into main' said || fail "split DWARF: $(cat said)"
	echo x >"split/buildid/$parted/executable.dwp"
	expect 1 "$cairn" store check split
else
	echo 'not checked: no dwp, or the compiler does not split DWARF'
fi
module=$(cd "$fixtures/minidump/amd64-symbols" && ls)
rm -rf breakpad
sym=$(find "$fixtures/minidump/amd64-symbols" -name '*.sym')
expect 0 "$cairn" store add --store breakpad "$sym"
address=$(sed -n 's/^FUNC \(m \)\{0,1\}\([0-9a-f]*\) .*/\2/p' "$sym" | head -n 1)
guid=$(basename "$(dirname "$sym")")
breakpad_id=$(echo "$guid" | sed 's/^\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(.\{16\}\).*/\4\3\2\1\6\5\8\7\9/' | tr A-F a-f)
echo "{\"tid\":1,\"crashed\":true,\"frames\":[{\"pc\":\"0x1\",\"module\":\"/lib/$module\",\"build_id\":\"$breakpad_id\",\"va\":\"0x$address\",\"module_offset\":\"0x$address\"}]}" >request
expect 0 "$cairn" symbolize --directory breakpad <request
grep -q '"function":"' said || fail "Breakpad: $(cat said)"

# A client that never saw cairn.
if command -v debuginfod-find >/dev/null; then
	for kind in debuginfo executable; do
		DEBUGINFOD_URLS="file://$work/store" debuginfod-find $kind "$id" >found 2>errors || fail "debuginfod-find $kind: $(cat errors)"
		cmp "$(cat found)" "store/buildid/$id/$kind" || fail "debuginfod-find $kind: other bytes"
	done
else
	echo 'skipped: no debuginfod-find'
fi

# Two that add at a time, and one that is killed: what has a name is whole.
for turn in 1 2 3; do
	"$cairn" store add --store crowd whole >/dev/null 2>&1 &
	"$cairn" store add --store crowd --replace stripped apart >/dev/null 2>&1 &
	killed=$!
	kill -9 $killed
	wait
	"$cairn" store check crowd >said || grep -q '/\.cairn-' said || fail "in a crowd: $(cat said)"
	"$cairn" store add --store crowd --replace whole >/dev/null
	"$cairn" store check crowd >said || [ "$(grep -c -v -e "/\.cairn-" -e wrong said)" = 0 ] || fail "after a crowd: $(cat said)"
	rm -rf crowd
done
exit $failed
