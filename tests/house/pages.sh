#!/bin/sh
# SPDX-License-Identifier: MIT
# Follows pages literally: types their commands in a clone, and compares what is printed with the page.
#
#	pages.sh SOURCE BUILD [--story] [--accept] PAGE...
#
# With --story all pages are followed in one clone, in their order, as by somebody who reads them one after the other.
# The clone is a directory of links to SOURCE, with BUILD as its `build`.  pages.awk describes sessions, and
# pages.sed is the list of what may differ.  In a page the clone is /src/cairn and the user's directory /home/me.
# With --accept the pages get what was printed now: read the difference before you commit it.
set -u
unset CDPATH DEBUGINFOD_URLS XDG_CACHE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR
export LC_ALL=C
export COLUMNS=200 # a terminal in which GDB breaks no line
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
shift 2
accept='' story=''
[ "$1" != --story ] || {
	story=yes
	shift
}
[ "$1" != --accept ] || {
	accept=yes
	shift
}
for tool in cc gdb objcopy; do
	command -v $tool >/dev/null || {
		echo "skipped: no $tool on this machine"
		exit 77
	}
done
for part in core/cli/cairn plugin/gdb/cairn-gdb.so; do
	[ -e "$build/$part" ] || {
		echo "skipped: no $part in this build"
		exit 77
	}
done
# Short names, because a core keeps 80 characters of a command and they hold a clone's path.
work=$(mktemp -d "${TMPDIR:-/tmp}/pages.XXXXXX") || exit 2
work=$(cd "$work" && pwd -P)
trap 'rm -rf "$work"' EXIT

# A GDB that is typed takes the debug information of the C library from the copies that other tests of GDB have, too.
if [ -n "${DEBUG_FILES:-}" ]; then
	mkdir "$work/bin"
	printf '#!/bin/sh\nexec %s -ix %s "$@"\n' "$(command -v gdb)" "$DEBUG_FILES" >"$work/bin/gdb"
	chmod +x "$work/bin/gdb"
	PATH=$work/bin:$PATH
fi

# mask: standard input without what may differ
mask() {
	sed -f "$here/pages.sed"
}

# place: with the places of a page instead of those of this run
place() {
	sed -e "s|$clone|/src/cairn|g" -e "s|$build|/src/cairn/build|g" -e "s|$HOME|/home/me|g"
}

# unreadable_page: what GDB prints of a core here because of [vsyscall], which nobody may read in a usual kernel.  It is a
# line of the pages as it stands; where GDB prints none for a program that does nothing, none is expected.
unreadable_page() {
	gdb -nx -batch -ex starti -ex "generate-core-file $work/nothing.core" "$(command -v sed)" 2>&1 | grep -Fx "$page_warning"
	rm -f "$work/nothing.core"
}
page_warning='warning: Memory read failed for corefile section, 4096 bytes at 0xffffffffff600000.'
expected=$(unreadable_page)

# expect_here: standard input, an answer of a page, as it is with this kernel and this GDB
expect_here() {
	if [ -n "$expected" ]; then
		cat
	else
		grep -vFx "$page_warning"
	fi
}

# show_typed N: the output of a command with what was typed into it, which GDB does not print
show_typed() {
	awk -v typed="$steps/$1.typed" '
	function type() { if ((getline line <typed) > 0) return line "\n" }
	{
		while (/^\(gdb\) /) {
			printf "(gdb) %s", type()
			$0 = substr($0, 7)
			if ($0 == "") next
		}
		print
	}' "$steps/$1.raw"
}

# make_clone DIR: a clone, and a home of its own
make_clone() {
	clone=$1/cairn HOME=$1/home
	export HOME
	mkdir -p "$clone" "$HOME"
	ln -s "$source"/* "$clone"
	rm -f "$clone/build"
	ln -s "$build" "$clone/build"
}

# follow PAGE: each command in one shell, one after the other
follow() {
	page=$1
	pages=$((pages + 1))
	steps=$work/$pages.steps
	mkdir -p "$steps"
	[ -n "$story" ] && [ $pages -gt 1 ] || make_clone "$work/$pages"
	awk -v folder="$steps" -v part=extract -f "$here/pages.awk" "$page" || return
	for file in "$steps"/*.c; do
		[ ! -f "$file" ] || cp "$file" "$clone"
	done
	(
		cd "$clone" || exit 1
		for command in "$steps"/*.command; do
			step=${command%.command}
			# shellcheck disable=SC1090 # a command of the page
			. "$command" <"$step.typed" >"$step.raw" 2>&1
		done
		:
	) || return
	for command in "$steps"/*.command; do
		step=$(basename "$command" .command)
		show_typed "$step" | place >"$steps/$step.got"
		expect_here <"$steps/$step.expected" | mask >"$steps/page"
		mask <"$steps/$step.got" >"$steps/now"
		count=$((count + 1))
		cmp -s "$steps/page" "$steps/now" && continue
		different=$((different + 1))
		[ -n "$accept" ] || {
			echo "$page: $(cat "$command")"
			diff "$steps/page" "$steps/now"
		}
	done
	if [ -n "$accept" ]; then
		awk -v folder="$steps" -v part=join -f "$here/pages.awk" "$page" >"$steps/joined" &&
			sed 's/ *$//' "$steps/joined" >"$page"
	fi
}

count=0 different=0 pages=0
for page; do
	follow "$page" || exit
done
echo "$count commands, $different different"
[ $count != 0 ] && { [ $different = 0 ] || [ -n "$accept" ]; }
