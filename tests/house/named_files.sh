#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Are the files and directories that docs/architecture.md names there?  Prints those that are not.
#
#	named_files.sh [ROOT]
#
# What stands in backquotes and begins with a directory of the tree is the path of one, and so are headers of cairn/.  Letters in
# capitals stand for names that are yet to be chosen, and "x.[ch]" for two files.
set -uf
cd "${1:-.}" || exit 1
failed=0 count=0

# is_there PATH
is_there() {
	[ -e "$1" ] || [ -e "core/include/$1" ]
}

for path in $(tr '\n' ' ' <docs/architecture.md | 
	grep -oE '`(core|plugin|tests|docs|scripts|cairn)/[][a-z0-9_./-]*`' | tr -d '`' | LC_ALL=C sort -u); do
	count=$((count + 1))
	case $path in
	*.'[ch]') is_there "${path%\[ch]}c" && is_there "${path%\[ch]}h" ;;
	*) is_there "$path" ;;
	esac || {
		echo "docs/architecture.md names $path, which is not there"
		failed=1
	}
done
[ $count -gt 0 ] || {
	echo 'docs/architecture.md names no file'
	failed=1
}
exit $failed
