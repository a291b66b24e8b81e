#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions of Rust are found by the paths by which GDB finds them in the complete build, at the same places, and have
# the same names on a stack: `break traits::{impl#1}::feed`, which no linkage name shows. Programs of the rustc of this machine
# are looked at, too, if it has one.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" objcopy
fixtures=${here%/tests/*}/tests/fixtures/rust

# list_places PROGRAM COMMAND...: of a breakpoint on each name
list_places() {
	program=$1
	shift
	while read -r name; do
		set -- "$@" -ex "echo on $name\\n" -ex "break $name" -ex 'info breakpoints' -ex 'delete'
	done <"$tmp/names"
	debug without "$program" "$@" | sed -n -e '/^on /p' -e '/not defined/p' \
		-e 's|^[0-9.]* .* y  *\(0x[0-9a-f]*\) in \(.*\) at \(.*/\)*\([^/]*\)$|\1 \2 \4|p'
}

# list_stacks PROGRAM COMMAND...: where each method of a trait is called first
list_stacks() {
	program=$1
	shift
	for name in 'traits::{impl#1}::feed' 'traits::{impl#3}::feed<u8>' 'traits::Dog<u32>::bark<u32>' 'traits::air::{impl#1}::drop'; do
		set -- "$@" -ex "tbreak $name" -ex continue -ex bt
	done
	debug without "$program" "$@" | sed -n 's|^\(#[0-9]* \).*\(traits::.*\) (.*) at \(.*/\)*\([^/]*\)$|\1\2 \4|p'
}

# compare_names PROGRAM
compare_names() {
	cp "$1" "$tmp/eh/traits"
	objcopy -S "$tmp/eh/traits" "$tmp/no/traits"
	"$CAIRN" gsym create --quiet --statements "$tmp/eh/traits" -o "$tmp/traits.gsym"
	# all that have code of their own, what is only inlined, and what is not a whole path
	debug without "$tmp/eh/traits" -ex 'info functions -n traits::' |
		sed -n 's/^[0-9]*:.*fn \(traits::[^(]*\)(.*/\1/p' | sort -u >"$tmp/names"
	grep -qxF 'traits::{impl#1}::feed' "$tmp/names" || fail "no methods of traits: $(cat "$tmp/names")"
	printf '%s\n' traits::Cat::nap 'traits::add_all::{closure#0}' 'traits::add_all::{closure#1}' 'traits::seen<u64>' \
		'traits::Dog::bark' 'traits::{impl#3}::feed' 'traits::Animal::feed_twice' feed nap >>"$tmp/names"
	list_places "$tmp/eh/traits" >"$tmp/places.eh"
	list_places "$tmp/no/traits" -ex "source $CAIRN_GDB" -ex "cairn add-gsym $tmp/traits.gsym" >"$tmp/places.no"
	compare places 60
	list_stacks "$tmp/eh/traits" -ex starti >"$tmp/stacks.eh"
	list_stacks "$tmp/no/traits" -ex "source $CAIRN_GDB" -ex starti -ex "cairn add-gsym $tmp/traits.gsym" >"$tmp/stacks.no"
	compare stacks 8
}

compare_names "$fixtures/traits"
compare_names "$fixtures/traits-v0"
if command -v rustc >/dev/null; then
	for mangling in '' v0; do
		rustc --crate-name traits -g -C opt-level=2 -C panic=abort -C force-unwind-tables=yes -C relocation-model=static \
			${mangling:+-C symbol-mangling-version=$mangling} \
			-C link-args='-nostdlib -nostartfiles -static -no-pie -Wl,--build-id=sha1' "$fixtures/traits.rs" -o "$tmp/made"
		compare_names "$tmp/made"
	done
	echo "programs of $(rustc --version), too"
fi
echo 'functions of Rust are found by their paths'
