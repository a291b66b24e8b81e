#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does a file show the names it should, and no other?
#
#	exports.sh FILE NAME...         a module: just these
#	exports.sh FILE HEADER.h...     the library: what the headers declare CAIRN_API

file=$1
shift
case $1 in
*.h)
	# "CAIRN_API type *name(": the word before the parenthesis, over line ends
	names=$(cat "$@" | grep -v '^#' | tr '\n\t' '  ' | grep -o 'CAIRN_API [^;(]*(' |
		sed 's/($//; s/.*[ *]//')
	;;
*) names=$* ;;
esac
[ -n "$names" ] || { echo "no names expected of $file"; exit 1; }
shown=$(nm -D --defined-only "$file") || exit 1

expected=$(printf '%s\n' $names | LC_ALL=C sort)
found=$(printf '%s\n' "$shown" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort)
[ "$expected" = "$found" ] && exit 0
for name in $found; do
	case " $(echo $expected) " in *" $name "*) ;; *) echo "$file shows $name" ;; esac
done
for name in $expected; do
	case " $(echo $found) " in *" $name "*) ;; *) echo "$file lacks $name" ;; esac
done
exit 1
