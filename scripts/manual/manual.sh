#!/bin/sh
# SPDX-License-Identifier: MIT
# Man pages, from the texts that are there anyway: manual.sh CAIRN DIRECTORY DATE.
#
#	section 1  each verb, from its --help and notes.md (verbs.sh)
#	section 3  each function of the C interface, from its comment in the headers (functions.awk)
#	section 5  each format, from docs/formats
#	section 7  cairn in GDB and in LLDB, from docs; all messages, from the source
#
# Pages are written as Markdown first, and lowdown converts them.  DATE is that of the release, so that
# the same sources always give the same bytes.
set -eu
cairn=$1 directory=$2 date=$3
here=$(cd "$(dirname "$0")" && pwd)
top=${here%/scripts/manual}
version=$("$cairn" --version)
export LC_ALL=C.UTF-8
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# write_page NAME SECTION: Markdown on standard input becomes a page.  Sections of a page are those of
# the second level.  What lowdown writes for fixed-width text is not known everywhere.
write_page() {
	folder=$directory/man$2
	mkdir -p "$folder"
	sed 's/^##/#/' | awk -f "$here/tables.awk" |
		lowdown -s -t man --out-no-smarty --parse-no-intraemph -M title="$1" -M section="$2" -M date="$date" \
			-M source="$version" |
		sed -e 's/\\fC/\\fB/g' -e 's/\\f(C[RWB]/\\fB/g' -e 's/\\f(CI/\\fI/g' |
		awk -f "$here/macros.awk" >"$folder/$1.$2"
}

"$here/verbs.sh" "$cairn" man | write_page cairn 1
for verb in $("$cairn" --help | sed -n '/^verbs:$/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p'); do
	"$here/verbs.sh" "$cairn" man "$verb" | write_page "cairn-$verb" 1
done

mkdir "$tmp/functions"
for header in "$top"/core/include/cairn/*.h "$top"/core/include/cairn_emit.h; do
	awk -v directory="$tmp/functions" -f "$here/functions.awk" "$header"
done
for page in "$tmp"/functions/*.md; do
	name=${page##*/}
	write_page "${name%.md}" 3 <"$page"
done

# write_document NAME SECTION FILE: a page of the documentation; its title is what NAME says
write_document() {
	{
		printf '## NAME\n\n%s \\- %s\n\n' "$1" "$(sed -n '1s/^# //p' "$3")"
		printf '## DESCRIPTION\n'
		sed 1d "$3"
	} | write_page "$1" "$2"
}
for page in "$top"/docs/formats/*.md; do
	name=${page##*/}
	name=${name%.md}
	[ "$name" != README ] || name=formats # the index
	write_document "cairn-$name" 5 "$page"
done
"$top/scripts/messages.sh" >"$tmp/messages.md"
write_document cairn-messages 7 "$tmp/messages.md"
write_document cairn-gdb 7 "$top/docs/gdb.md"
write_document cairn-lldb 7 "$top/docs/lldb.md"
