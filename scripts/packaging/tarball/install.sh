#!/bin/sh
# SPDX-License-Identifier: MIT
# Copies this cairn below a directory, or removes it from there: install.sh [--remove] [DIR].
set -eu
here=$(cd "$(dirname "$0")" && pwd)
remove=
[ "${1:-}" != --remove ] || {
	remove=yes
	shift
}
folder=${1:-$HOME/.local}
case $folder in
/*) ;;
*) folder=$PWD/$folder ;;
esac
case $folder in
*[\"\\\|\&]*)
	echo "install.sh: GDB cannot be given the name of this folder: $folder" >&2
	exit 2
	;;
esac
cd "$here"

# what is copied, but for the script that is made
list() {
	find bin lib share -type f ! -name cairn.gdb.in
}

if [ -n "$remove" ]; then
	list | while read -r file; do
		rm -f "$folder/$file"
	done
	rm -f "$folder/share/cairn/cairn.gdb"
	# directories that are empty now, the deepest first
	find bin lib share -depth -type d | while read -r each; do
		rmdir "$folder/$each" 2>/dev/null || :
	done
	echo "removed from $folder"
	exit
fi
list | while read -r file; do
	mkdir -p "$folder/$(dirname "$file")"
	cp "$file" "$folder/$file"
done
mkdir -p "$folder/share/cairn"
sed "s|@MODULE@|$folder/lib/cairn/cairn-gdb.so|" share/cairn/cairn.gdb.in >"$folder/share/cairn/cairn.gdb"
echo "installed below $folder; next: $folder/bin/cairn doctor"
