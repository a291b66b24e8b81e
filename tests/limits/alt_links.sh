#!/bin/sh
# SPDX-License-Identifier: MIT
#
# .gnu_debugaltlink names a FIFO, a link to one, and a device: whoever reads such a program does not
# wait for it, and tells no name less than without the section.  Files that name each other, or themselves, are read once.
#
#	alt_links.sh CAIRN COMPILER
set -eu
LC_ALL=C
export LC_ALL
cairn=$1 cc=$2
for tool in objcopy mkfifo timeout; do
	command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
tmp=$(mktemp -d "${TMPDIR:-/tmp}/alt-links.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
# a unit and a function with names in the supplementary file
cat >"$tmp/prog.s" <<'END'
	.text
	.globl main, twice
	.section .note.GNU-stack,"",@progbits
	.text
main:	ret
	.type twice, @function
twice:	nop
	ret
twice_end:
	.size twice, .-twice
	.section .debug_abbrev,"",@progbits
	.uleb128 1, 0x11
	.byte 1
	.uleb128 0x03, 0x1f21, 0x11, 0x01, 0x12, 0x01, 0, 0
	.uleb128 2, 0x2e
	.byte 0
	.uleb128 0x6e, 0x1f21, 0x03, 0x08, 0x11, 0x01, 0x12, 0x01, 0, 0
	.byte 0
	.section .debug_info,"",@progbits
	.long unit_end - unit
unit:	.short 4
	.long 0
	.byte 8
	.uleb128 1
	.long 0
	.quad main, twice_end
	.uleb128 2
	.long 1
	.asciz "twice"
	.quad twice, twice_end
	.byte 0
unit_end:
END
$cc -no-pie -Wl,--build-id=sha1 "$tmp/prog.s" -o "$tmp/plain"
at=0x$(nm "$tmp/plain" | sed -n 's/ T twice$//p')
id=$(readelf -n "$tmp/plain" | sed -n 's/.*Build ID: //p')
mkfifo "$tmp/fifo"
ln -s fifo "$tmp/link"
mkdir -p "$tmp/debug/.build-id/${id%"${id#??}"}"
prog=$tmp/debug/.build-id/${id%"${id#??}"}/${id#??}.debug
failed=0

# ends ARGUMENT...: within ten seconds of a machine that has nothing else to do
ends() {
	status=0
	timeout $((10 * ${CK_TIMEOUT_MULTIPLIER:-1})) "$cairn" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	[ $status -le 3 ] || {
		echo "$target: cairn $*: status $status"
		failed=1
	}
}

for target in "$tmp/missing" "$tmp/fifo" "$tmp/link" /dev/zero; do
	printf '%s\0aaaaaaaaaaaaaaaaaaaa' "$target" >"$tmp/section"
	objcopy --add-section .gnu_debugaltlink="$tmp/section" "$tmp/plain" "$prog"
	printf '{{{reset}}}\n{{{module:0:prog:elf:%s}}}\n{{{mmap:0x400000:0x10000:load:0:rx:0x400000}}}\n{{{pc:%s}}}\n' "$id" "$at" \
		>"$tmp/log"
	ends dwarf dump --summary "$prog"
	grep '^units' "$tmp/err" >"$tmp/units"
	[ "$target" != "$tmp/missing" ] || cp "$tmp/units" "$tmp/expected"
	cmp -s "$tmp/units" "$tmp/expected" || {
		echo "$target: dwarf dump: another answer than with nothing there: $(cat "$tmp/units")"
		failed=1
	}
	ends gsym create --quiet -o "$tmp/made" "$prog"
	ends markup --debug-file-directory="$tmp/debug" "$tmp/log"
	ends markup --compat=llvm --debug-file-directory="$tmp/debug" "$tmp/log"
	grep -q twice "$tmp/out" || {
		echo "$target: markup: $(head -n 1 "$tmp/out" "$tmp/err")"
		failed=1
	}
	ends where --no-cache "$prog" "$at"
	grep -q twice "$tmp/out" || {
		echo "$target: where: $(head -n 1 "$tmp/out" "$tmp/err")"
		failed=1
	}
done

# bytes ID: for printf
bytes() {
	echo "$1" | sed 's/../\\x&/g'
}
other_id=$(echo "$id" | sed 's/^../bb/')
cp "$tmp/plain" "$tmp/other"
printf '\4\0\0\0\24\0\0\0\3\0\0\0GNU\0' >"$tmp/note"
# shellcheck disable=SC2059 # escapes
env printf "$(bytes "$other_id")" >>"$tmp/note"
objcopy --update-section .note.gnu.build-id="$tmp/note" "$tmp/other"
for target in itself 'each other'; do
	rm -f "$prog" "$tmp/alt"
	[ "$target" = itself ] && linked=$id || linked=$other_id
	# shellcheck disable=SC2059 # escapes
	env printf "%s\0$(bytes "$linked")" "$tmp/alt" >"$tmp/section"
	objcopy --add-section .gnu_debugaltlink="$tmp/section" "$tmp/plain" "$prog"
	if [ "$target" = itself ]; then
		ln "$prog" "$tmp/alt"
	else
		# shellcheck disable=SC2059 # escapes
		env printf "%s\0$(bytes "$id")" "$prog" >"$tmp/section"
		objcopy --add-section .gnu_debugaltlink="$tmp/section" "$tmp/other" "$tmp/alt"
	fi
	ends dwarf dump "$prog"
	ends sframe verify "$prog"
	ends gsym create --quiet -o "$tmp/made" "$prog"
	ends markup --debug-file-directory="$tmp/debug" "$tmp/log"
	ends where --no-cache "$prog" "$at"
	grep -q twice "$tmp/out" || {
		echo "$target: where: $(head -n 1 "$tmp/out" "$tmp/err")"
		failed=1
	}
done
exit $failed
