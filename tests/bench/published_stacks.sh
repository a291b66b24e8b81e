#!/bin/sh
# SPDX-License-Identifier: MIT
# published_stacks.sh CAIRN [DIR...]: cores that other projects publish with their tests, by `cairn bt`, by GDB and
# by eu-stack where that is installed. Directories may also be in CAIRN_PUBLISHED_CORES, apart by colons; the tests of
# elfutils and LLDB are such. Nothing of them is kept: what is packed is unpacked into a temporary directory.
#
# The program of NAME.core or NAME-core is NAME.exec, NAME.out or NAME beside it. Stacks are compared by addresses.
# Frames of GDB from one in no function on are left out, because GDB prints words of the stack there; so are those of
# cairn from one in no module on.
# A line for each stack says of each tool:
#
#	whole     all tools agree as far as they go, or two do, and none of these has further frames
#	cut       likewise, but one of these has further frames
#	wrong     the other two agree with each other where it differs
#	apart     the tools differ, and no two of them agree further
#	none      no stack
#
# It fails where cairn is wrong, or whole on fewer than GDB.
set -eu
export LC_ALL=C
unset DEBUGINFOD_URLS
cairn=$1
shift
: "${GDB:=gdb-multiarch}"
[ $# -gt 0 ] || {
	IFS=:
	# shellcheck disable=SC2086 # a list
	set -- ${CAIRN_PUBLISHED_CORES:-}
	unset IFS
}
[ $# -gt 0 ] || {
	echo 'skipped: CAIRN_PUBLISHED_CORES names no folders'
	exit 77
}
command -v "$GDB" >/dev/null || {
	echo "skipped: no $GDB on this machine"
	exit 77
}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/published.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/cache"
export XDG_CACHE_HOME="$tmp/cache"

# unpack FILE NAME: into the temporary directory; false where nothing can.
unpack() {
	case $1 in
	*.bz2) bzip2 -dc "$1" ;;
	*.gz) gzip -dc "$1" ;;
	*.xz) xz -dc "$1" ;;
	*.zst) zstd -qdc "$1" ;;
	*) cat "$1" ;;
	esac >"$2" 2>/dev/null
}

# The program of a core whose name has no ending of compression, in $program; empty: there is none.
find_program() {
	stem=${1%.core}
	stem=${stem%[-_]core}
	program=
	for end in .exec .out ''; do
		for packed in '' .bz2 .gz .xz .zst; do
			[ -f "$stem$end$packed" ] || continue
			unpack "$stem$end$packed" "$tmp/program" && program=$tmp/program
			return
		done
	done
}

# Lines "THREAD ADDRESS", of addresses without leading zeros.
by_cairn() {
	timeout 60 "$cairn" bt "$tmp/core" ${program:+"$program"} 2>/dev/null |
		awk '/^Thread/ { thread = $4 + 0; off = 0 } / in \?\? \(\)$/ && !/^#0/ { off = 1 }
			/^#/ && $2 ~ /^0x/ && !off { print thread, $2 }'
}
by_gdb() {
	set -- ${program:+"$program"}
	timeout 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-iex 'set sysroot /none' -ex 'set width 0' -ex 'set print frame-arguments none' -ex 'set print address on' \
		-ex 'set backtrace past-main on' -ex 'set backtrace past-entry on' -ex "core-file $tmp/core" \
		-ex 'thread apply all bt' "$@" </dev/null 2>/dev/null |
		awk '/^Thread/ { thread = 0; for (i = 1; i < NF; i++) if ($i ~ /LWP/) thread = $(i + 1) + 0; off = 0 }
			/^#/ && thread { level = substr($1, 2); if (level > 0 && $4 == "??") off = 1
				if (!off && ($2 ~ /^0x/ || level == 0)) print thread, $2 ~ /^0x/ ? $2 : "-" }'
}
by_elfutils() {
	timeout 60 eu-stack -n 0 --core "$tmp/core" ${program:+-e "$program"} 2>/dev/null |
		awk '/^TID/ { thread = $2 + 0 } /^#/ && $2 ~ /^0x/ { print thread, $2 }'
}

# One line for each thread: its number, then for each tool what it is and how many frames it has.
judge() {
	awk -v name="$1" '
		{ sub(/0x0*/, "0x", $2); tool = FILENAME; sub(/.*\//, "", tool); seen[$1] = 1
		  frame[tool, $1, ++count[tool, $1]] = $2 }
		function drop_end(a, t,    n) { # the first page is no code, and a frame that comes again ends a stack
			for (n = count[a, t]; n > 1; n--)
				if (length(frame[a, t, n]) > 5 && frame[a, t, n] != frame[a, t, n - 1]) break
			count[a, t] = n
		}
		function agree(a, b, t,    i, n) { # frames that are equal from the innermost on
			n = count[a, t] < count[b, t] ? count[a, t] : count[b, t]
			for (i = 1; i <= n && (frame[a, t, i] == frame[b, t, i] || (frame[a, t, i] frame[b, t, i]) ~ /-/); i++) ;
			return i - 1
		}
		function differ(a, b, t,    n) {
			n = agree(a, b, t)
			return n < count[a, t] && n < count[b, t]
		}
		function word(own, x, y, t,    dx, dy) {
			if (!count[own, t]) return "none"
			dx = count[x, t] && differ(own, x, t)
			dy = count[y, t] && differ(own, y, t)
			if (dx && dy) return agree(x, y, t) > agree(own, x, t) ? "wrong" : "apart"
			if (dx || dy) { # the other of both decides, if it goes past the place
				if (dy) { dy = x; x = y; y = dy }
				return agree(own, y, t) > agree(own, x, t) ? (count[y, t] > count[own, t] ? "cut" : "whole") : "apart"
			}
			return count[own, t] < count[x, t] || count[own, t] < count[y, t] ? "cut" : "whole"
		}
		function show(own, x, y, t) {
			return sprintf("  %-8s %-5s %3d", own, word(own, x, y, t), count[own, t])
		}
		END {
			for (t in seen) {
				drop_end("cairn", t); drop_end("gdb", t); drop_end("eu-stack", t)
				print sprintf("%-44s %7d", name, t) show("cairn", "gdb", "eu-stack", t) \
					show("gdb", "cairn", "eu-stack", t) show("eu-stack", "cairn", "gdb", t)
			}
		}' "$tmp/cairn" "$tmp/gdb" "$tmp/eu-stack"
}

examine() {
	unpack "$1" "$tmp/core" || return 0
	case $(od -An -tx1 -j16 -N2 "$tmp/core" | tr -d ' ')$(od -An -tx1 -N4 "$tmp/core" | tr -d ' ') in
	04007f454c46 | 00047f454c46) ;;
	*) return 0 ;;
	esac
	bare=$1
	case $bare in *.bz2 | *.gz | *.xz | *.zst) bare=${bare%.*} ;; esac
	find_program "$bare"
	by_cairn >"$tmp/cairn" || :
	by_gdb >"$tmp/gdb" || :
	{ ! command -v eu-stack >/dev/null || by_elfutils; } >"$tmp/eu-stack" || :
	judge "$(basename "$bare")"
}

for folder; do
	[ -d "$folder" ] || {
		echo "skipped: no folder $folder"
		continue
	}
	find "$folder" -type f \( -name '*core' -o -name '*core*.bz2' -o -name '*core*.gz' -o -name '*core*.xz' -o -name '*core*.zst' \) |
		sort >"$tmp/list"
	while read -r core; do examine "$core"; done <"$tmp/list"
done | tee "$tmp/table"

awk '{ for (i = 3; i < NF; i += 3) n[$i, $(i + 1)]++ }
	END {
		split("cairn gdb eu-stack", tools, " "); split("whole cut wrong apart none", words, " ")
		for (k = 1; k <= 3; k++) {
			line = sprintf("%-9s", tools[k])
			for (w = 1; w <= 5; w++) line = line sprintf(" %s %d", words[w], n[tools[k], words[w]])
			print line
		}
		if (!NR) print "no core was found"
		exit !NR || n["cairn", "wrong"] > 0 || n["cairn", "whole"] < n["gdb", "whole"]
	}' "$tmp/table"
