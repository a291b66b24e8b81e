#!/bin/sh
# SPDX-License-Identifier: MIT
# Symbolizer markup, against a directory of logs with what must come out (see its README.md).
#
# What counts as one case:
#	one row of cases.tsv, or one file of logs/: as llvm-symbolizer has it (--compat=llvm, .llvm.out)
#	the same as cairn has it (.out, or .llvm.out where there is none)
#	mismatch/: a file of another build, which is refused, and which llvm-symbolizer takes
#	the same beside llvm-symbolizer 19, when it is there; and read a few bytes at a time
set -u
folder=$1
tab=$(printf '\t')
unset DEBUGINFOD_URLS
passed=0
failed=0

# Is $2 what $1 says?  $3 names the case.
same() {
	if cmp -s "$1" "$2"; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "markup: $3: $(diff "$1" "$2" | sed -n '/^[<>]/p' | head -2 | cut -c1-160 | tr '\n' '|')"
}

# Microsoft's names stay as they are here (docs/symbols.md), because only LLVM's own demangler reads them.
# spell INPUT EXPECTED: what is expected, with the readable names that LLVM's tool makes of those in the
# input put back.
undname=$(command -v llvm-undname-19 || command -v llvm-undname || :)
spell() {
	cat "$2" >"$WORK/spelled" # whose mode may forbid to write it again
	grep -aoE '[?][?A-Za-z0-9_$@]*@[A-Z0-9_@]+' "$folder/$1" | sort -u >"$WORK/names"
	while [ -n "$undname" ] && read -r name; do
		readable=$("$undname" "$name" 2>/dev/null | sed -n 2p)
		[ -n "$readable" ] && grep -aqF -e "$readable" "$WORK/spelled" || continue
		awk -v from="$readable" -v to="$name" '{
			out = ""
			while ((at = index($0, from)) > 0) {
				out = out substr($0, 1, at - 1) to
				$0 = substr($0, at + length(from))
			}
			print out $0
		}' "$WORK/spelled" >"$WORK/spelling" && mv "$WORK/spelling" "$WORK/spelled"
	done <"$WORK/names"
	echo "$WORK/spelled"
}

# Input $1 with arguments $3 as llvm has it; $2 is the name of what is expected without endings.
check() {
	(cd "$folder" && "$CAIRN" markup --compat=llvm --debug-file-directory=debug $3 <"$1") \
		>"$WORK/llvm" 2>"$WORK/errors"
	same "$(spell "$1" "$folder/$2.llvm.out")" "$WORK/llvm" "$1: --compat=llvm"
	(cd "$folder" && "$CAIRN" markup --debug-file-directory=debug $3 <"$1") \
		>"$WORK/own" 2>"$WORK/errors"
	expected=$folder/$2.out
	[ -f "$expected" ] || expected=$folder/$2.llvm.out
	same "$(spell "$1" "$expected")" "$WORK/own" "$1"
	if command -v llvm-symbolizer-19 >/dev/null 2>&1; then
		(cd "$folder" && llvm-symbolizer-19 --filter-markup --debug-file-directory=debug $3 \
			<"$1") >"$WORK/peer" 2>/dev/null
		same "$(spell "$1" "$WORK/peer")" "$WORK/llvm" "$1: llvm-symbolizer"
	fi
	# a pipe that hands on a few bytes at a time must make no difference
	(cd "$folder" && dd bs=7 if="$1" 2>/dev/null |
		"$CAIRN" markup --flush=line --debug-file-directory=debug $3) >"$WORK/slow" 2>/dev/null
	same "$WORK/own" "$WORK/slow" "$1: in small pieces"
}

while IFS=$tab read -r name arguments _; do
	case $name in
	'#'* | '') continue ;;
	esac
	[ "$arguments" = - ] && arguments=
	check "cases/$name.in" "cases/$name" "$arguments"
done <"$folder/cases.tsv"
for log in "$folder"/logs/*.log; do
	[ -f "$log" ] || continue
	name=logs/$(basename "$log" .log)
	check "$name.log" "$name" ""
done
if [ -d "$folder/mismatch" ]; then
	for form in "" --compat=llvm; do
		(cd "$folder/mismatch" && "$CAIRN" markup $form --debug-file-directory=debug <01-basic.in) \
			>"$WORK/own" 2>/dev/null
		expected=$folder/mismatch/01-basic.out
		[ "$form" ] && expected=$folder/mismatch/01-basic.llvm.out
		same "$expected" "$WORK/own" "mismatch/01-basic.in $form"
	done
fi
echo "markup: $passed passed, $failed failed"
[ "$failed" = 0 ]
