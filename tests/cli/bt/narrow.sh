#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn bt of cores of 32-bit programs that nothing here can run: x32, i386 and s390 are unwound by their tables, arm by
# its .debug_frame, whatever identifies the program; other machines are named and refused in words, and
# so are dumps of kernels and of other systems.
#
#	narrow.sh x32|i386|s390|arm|refused|foreign
set -eu
export LC_ALL=C
: "${CAIRN?path of cairn}" "${MAKE_CORE?path of make_core}"
sources=$(cd "$(dirname "$0")/../../fixtures/narrow" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cairn-narrow.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/cache"
export XDG_CACHE_HOME="$tmp/cache"
failed=0
run=0

# Address of a symbol of the program.
find_symbol() {
	nm "$tmp/program" | awk -v name="$1" '$3 == name { print "0x" $1 }'
}

# The sum, in hexadecimal.
sum() {
	printf '0x%x' $(($1 + $2))
}

# The frames, and how the command ended, of CORE with PROGRAM.
check() {
	status=0
	"$CAIRN" bt --quiet "$tmp/core" "$2" >"$tmp/bt" 2>"$tmp/errors" || status=$?
	sed -n 's/^#\([0-9]*\) .* in \([a-z_]*\) .*/\1 \2/p' "$tmp/bt" | tr '\n' ' ' >"$tmp/frames"
	[ "$status $(cat "$tmp/frames")" = "0 0 leaf 1 middle 2 _start " ] && [ ! -s "$tmp/errors" ] && return
	echo "$1: exit status $status"
	cat "$tmp/bt" "$tmp/errors"
	failed=1
}

# The core of a program, its notes and memory given, identified by each of: the auxiliary vector, its headers in
# memory, and these when the program was stripped after it had crashed. A core has a name for no file.
check_program() {
	name=$1
	shift
	headers=$(readelf -lW "$tmp/program" | awk '$1 == "LOAD" { print $3 ":" 4096 }')
	first=$(echo "$headers" | head -n 1)
	count=$(readelf -hW "$tmp/program" | awk '/Number of program headers/ { print $NF }')
	entry=$(find_symbol _start)
	# shellcheck disable=SC2086 # one argument for each segment
	"$MAKE_CORE" "$tmp/core" "$@" $headers auxv:3="$(sum "${first%:*}" 52)" auxv:5="$count" auxv:9="$entry"
	check "$name, by its auxiliary vector" "$tmp/program"
	# shellcheck disable=SC2086
	"$MAKE_CORE" "$tmp/core" "$@" "$first@$tmp/program" $(echo "$headers" | tail -n +2)
	check "$name, by its headers" "$tmp/program"
	run=1
	[ -n "$objcopy" ] || return 0 # which would take the tables away
	cp "$tmp/program" "$tmp/later"
	"$objcopy" --strip-debug "$tmp/later"
	check "$name, stripped later" "$tmp/later"
}

# Of 32 bits, with addresses of 4 and registers of 8 bytes.
check_x32() {
	as --x32 "$sources/x32.S" -o "$tmp/object" && ld -m elf32_x86_64 $header --build-id=none "$tmp/object" -o "$tmp/program" || return 0
	objcopy=objcopy
	check_program x32 62 little 8 27 124 16="$(find_symbol here)" 19=0x7fff07d0 4=0x7fff07f0 \
		'*0x7fff07f8'="$(find_symbol after_middle)" '*0x7fff07f0=0' \
		'*0x7fff07d8'="$(find_symbol after_leaf)" '*0x7fff07d0=0xbb'
}

# A system call's stub that nothing describes: its code shows where it returns to.
check_i386() {
	as --32 "$sources/i386.S" -o "$tmp/object" && ld -m elf_i386 $header --build-id=none "$tmp/object" -o "$tmp/program" || return 0
	objcopy=objcopy
	check_program i386 3 little 4 17 124 12="$(find_symbol here)" 15=0x7fff07c8 5=0 \
		'*0x7fff07f8=0' '*0x7fff07fc'="$(find_symbol after_middle)" \
		'*0x7fff07c8=0x7fff07f8' '*0x7fff07cc=0xbb' '*0x7fff07d0'="$(find_symbol after_leaf)"
}

# A return address has the bit above the 31 of an address.
check_s390() {
	command -v s390x-linux-gnu-as >/dev/null || return 0
	objcopy=s390x-linux-gnu-objcopy
	make_s390
	make_s390 --defsym BARE=1
}

make_s390() {
	s390x-linux-gnu-as -m31 -mesa "$@" "$sources/s390.S" -o "$tmp/object"
	s390x-linux-gnu-ld -m elf_s390 $header --build-id=none "$tmp/object" -o "$tmp/program"
	check_program "s390 $*" 22 big 4 36 124 1="$(sum "$(find_symbol here)" 0x80000000)" 17=0x7fff0738 13=0x7fff0798 \
		'*0x7fff082c=0' '*0x7fff0838'="$(sum "$(find_symbol after_middle)" 0x80000000)" '*0x7fff083c=0x7fff0800' \
		'*0x7fff07c4=0x7fff0798' '*0x7fff07d0'="$(sum "$(find_symbol after_leaf)" 0x80000000)" '*0x7fff07d4=0x7fff0798'
}

check_arm() {
	command -v clang >/dev/null && command -v ld.lld >/dev/null || return 0
	clang --target=arm-linux-gnueabi -c "$sources/arm.S" -o "$tmp/object" 2>/dev/null || return 0
	ld.lld -m armelf_linux_eabi --build-id=none "$tmp/object" -o "$tmp/program"
	objcopy=
	check_program arm 40 little 4 18 124 15="$(find_symbol here)" 13=0x7fff07e0 11=0x7fff07f8 \
		'*0x7fff07fc'="$(find_symbol after_middle)" '*0x7fff07f8=0' \
		'*0x7fff07e4'="$(find_symbol after_leaf)" '*0x7fff07e0=4'
	check_link
}

# Without the program nobody can read the code: then the link register leads to the caller, and it is a guess.
check_link() {
	"$MAKE_CORE" "$tmp/core" 40 little 4 18 124 15="$(find_symbol here)" 13=0x7fff07e0 11=0x7fff07f8 \
		14="$(find_symbol after_leaf)" '*0x7fff07fc'="$(find_symbol after_middle)" '*0x7fff07f8=0' \
		"$first@$tmp/program" $(echo "$headers" | tail -n +2)
	"$CAIRN" bt --quiet --explain "$tmp/core" >"$tmp/bt" 2>"$tmp/errors" || :
	"$CAIRN" bt --quiet --json "$tmp/core" >"$tmp/json" 2>>"$tmp/errors" || :
	grep -q "^#1 .*$(find_symbol after_leaf | cut -c 3-) in .* \[link\]$" "$tmp/bt" &&
		grep -q 'found by link (a guess: ' "$tmp/bt" && grep -q '"found":"link".*"guessed":true' "$tmp/json" && return
	echo "arm without its program: no guess by the link register"
	cat "$tmp/bt" "$tmp/json" "$tmp/errors"
	failed=1
}

# Those that are not unwound are named; the process, its thread and its signal are printed.
check_refused() {
	while read -r number order registers process name; do
		"$MAKE_CORE" "$tmp/core" "$number" "$order" 4 "$registers" "$process" '*0x7fff0000=0'
		status=0
		"$CAIRN" bt --quiet "$tmp/core" >"$tmp/bt" 2>"$tmp/errors" || status=$?
		if [ "$status" != 1 ] || ! grep -q "$name" "$tmp/bt" "$tmp/errors" || ! grep -q 'LWP 4321' "$tmp/bt"; then
			echo "a core of $name: exit status $status"
			cat "$tmp/bt" "$tmp/errors"
			failed=1
		fi
	done <<-END
		2 big 38 124 sparc
		18 big 38 124 sparc
		8 big 45 128 mips
		8 little 45 128 mips
		4 big 20 124 m68k
		15 big 80 124 hppa
		42 little 23 124 sh
		43 big 38 124 sparc64
		50 little 128 128 ia64
		94 little 128 124 xtensa
		189 big 40 124 microblaze
		258 little 45 128 loongarch32
		36902 little 33 128 alpha
		183 little 34 124 aarch64 (ILP32)
		243 little 32 128 riscv32
		4711 little 20 124 an unknown machine
	END
	run=1
}

# What is not the core of a program under Linux is refused in words, as a file and as a stream.
reject() {
	words=$1 wanted=$2
	for from in file stream; do
		status=0
		case $from in
		file) "$CAIRN" bt --quiet "$tmp/core" >"$tmp/bt" 2>"$tmp/errors" || status=$? ;;
		stream) "$CAIRN" bt --quiet - <"$tmp/core" >"$tmp/bt" 2>"$tmp/errors" || status=$? ;;
		esac
		if [ "$status" != "$wanted" ] || ! grep -qF "$words" "$tmp/errors"; then
			echo "$words ($from): exit status $status"
			cat "$tmp/bt" "$tmp/errors"
			failed=1
		fi
	done
}

check_foreign() {
	run=1
	while read -r owner words; do
		"$MAKE_CORE" "$tmp/core" 3 little 4 17 124 "note:$owner"
		reject "$words" 1
	done <<-END
		VMCOREINFO they are from a kernel dump, which cairn does not unwind
		QEMU they are from a virtual machine dump, which cairn does not unwind
		Xen they are from a virtual machine dump, which cairn does not unwind
		FreeBSD they are from FreeBSD and are not read
		NetBSD-CORE@1 they are from NetBSD and are not read
		OpenBSD they are from OpenBSD and are not read
	END
	while read -r magic words; do
		{ printf "$magic" && head -c 4096 /dev/zero; } >"$tmp/core"
		reject "$words" 3
	done <<-END
		KDUMP\\040\\040\\040 a kernel dump by kdump, which cairn does not unwind
		DISKDUMP a kernel dump, which cairn does not unwind
		makedumpfile a kernel dump by makedumpfile, which cairn does not unwind
		PAGEDU64 a Windows kernel dump, which cairn does not unwind
		PAGEDUMP a Windows kernel dump, which cairn does not unwind
		\\317\\372\\355\\376 a Mach-O file; macOS cores are not supported
		\\316\\372\\355\\376 a Mach-O file; macOS cores are not supported
		ProblemType: an apport report; apport-unpack extracts the core
	END
	# nothing but notes of no use
	printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\4\0\3\0\1\0\0\0\0\0\0\0\064\0\0\0\0\0\0\0\0\0\0\0\064\0\040\0\1\0\0\0\0\0\0\0' >"$tmp/core"
	printf '\4\0\0\0\124\0\0\0\0\0\0\0\0\0\0\0\024\0\0\0\024\0\0\0\4\0\0\0\4\0\0\0' >>"$tmp/core"
	printf '\5\0\0\0\0\0\0\0\1\0\0\0GNUX\0\0\0\0' >>"$tmp/core"
	reject 'contains no thread registers' 3
}

header=--eh-frame-hdr
check_"$1"
[ "$run" = 1 ] || { echo "skipped: no assembler for it on this machine"; exit 77; }
[ "$failed" = 0 ] && echo 'frames equal'
exit "$failed"
