# SPDX-License-Identifier: MIT
# `scripts/bench.sh compare REVISION [ROW...]`: instructions of the command's work, by callgrind, beside those of a
# revision, which is built next to the inputs. Sourced, as rows.sh is. A row takes an input, then the command's words.

compare_rows='start
	where:self where:cpp line:self line:cpp ten:cpp hundred:self hundred:cpp thousand:cpp many:self many:cpp
	create:self create:cpp create:zlib statements:self symbfile:self symbfile:cpp
	log:plain log:different log:json markup:self markup:zlib wide'
WORSE=1.03 # as in path_counts.sh

# build_revision REVISION: $compared is its command
build_revision() {
	have git ninja valgrind || return 1
	place=$inputs/compared/$(git -C "$root" rev-parse --verify --quiet "$1^{commit}") ||
		lack "no revision $1" || return 1
	compared=$place/build/core/cli/cairn
	[ ! -x "$compared" ] || return 0
	mkdir -p "$place"
	git -C "$root" archive "$(basename "$place")" | tar x -C "$place"
	{ [ -d "$place/build" ] || meson setup "$place/build" "$place"; } >"$place/log" 2>&1 &&
		ninja -C "$place/build" core/cli/cairn >>"$place/log" 2>&1 || lack "$1 does not compile ($place/log)"
}

# instructions COMMAND...: of one run, its input from $stdin; 0 when none were counted.  With which status the command ends
# does not matter: `where` has one for addresses that are not found.
instructions() {
	if valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$work/counted" "$@" <"$stdin" \
		>/dev/null 2>&1 || [ -s "$work/counted" ]; then
		awk '/Collected :/ { sum = $NF } END { print sum + 0 }' "$work/counted"
	else
		echo 0
	fi
}

# compare_words ROW: one word a line, what the command is asked; $stdin
compare_words() {
	stdin=/dev/null
	case $1 in
	*:*) use_input "${1#*:}" || [ "${1%%:*}" = log ] || return 1 ;;
	esac
	case ${1%%:*} in
	start) set -- --version ;;
	where) list=$(address_list 19000) && set -- where --no-cache "$input" "$(sed -n 100p "$list")" ;;
	line) list=$(address_list 19000) && stdin=$work/line && sed -n 100p "$list" >"$stdin" && set -- where --no-cache "$input" ;;
	# shellcheck disable=SC2046 # one address each word
	hundred) list=$(address_list 19000) && set -- where --no-cache "$input" $(head -n 100 "$list") ;;
	many) list=$(address_list 2000) && stdin=$list && set -- where --no-cache "$input" ;;
	ten) list=$(address_list 19000) && stdin=$work/ten && head -n 10 "$list" >"$stdin" && set -- where --no-cache "$input" ;;
	thousand) list=$(address_list 19000) && stdin=$work/thousand && head -n 1000 "$list" >"$stdin" && set -- where --no-cache "$input" ;;
	wide) make_wide && set -- bt "$inputs/wide.core" ;;
	create) set -- gsym create --quiet -j 1 "$input" -o "$work/compared.gsym" ;;
	statements) set -- gsym create --quiet --statements -j 1 "$input" -o "$work/compared.gsym" ;;
	symbfile) set -- symbfile create --quiet -j 1 "$input" -o "$work/compared" ;;
	markup)
		list=$(address_list 2000) && markup_log "${1#*:}" || return 1
		stdin=$inputs/${1#*:}.markup
		set -- markup --debug-file-directory="$inputs/${1#*:}.ids"
		;;
	log)
		write_logs || return 1
		kind_of_log=${1#*:}
		head -c 2000000 "$inputs/$kind_of_log.log" >"$work/$kind_of_log.log"
		stdin=$work/$kind_of_log.log
		set -- markup --debug-file-directory="$inputs/self.ids"
		[ "$kind_of_log" != json ] || set -- "$@" --json
		;;
	esac
	printf '%s\n' "$@" >"$work/words"
}

# compare_row ROW: a line of the table; false when it is worse than the revision
compare_row() {
	lacking='it cannot be made'
	compare_words "$1" || { missing="$missing$1: $lacking. "; return 0; }
	old=$IFS
	IFS='
'
	set -f
	# shellcheck disable=SC2046 # one word each line
	set -- "$1" $(cat "$work/words")
	set +f
	IFS=$old
	row=$1
	shift
	then=$(instructions "$compared" "$@")
	now=$(instructions "$cairn" "$@")
	awk -v row="$row" -v then="$then" -v now="$now" -v worse="$WORSE" 'BEGIN {
		if (!now) { printf "%-20s is not counted\n", row; exit 1 }
		if (!then) { printf "%-20s %14.0f instructions, the revision does not do it\n", row, now; exit }
		bad = now > then * worse
		printf "%-20s %14.0f instructions, before %14.0f, %.3f%s\n", row, now, then, now / then, bad ? " WORSE" : ""
		exit bad }'
}

compare_all() {
	build_revision "$1" || { echo "$lacking" >&2; return 1; }
	shift
	# shellcheck disable=SC2086 # a list of names
	[ $# -gt 0 ] || set -- $compare_rows
	found_worse=0
	for row_of_compare in "$@"; do
		compare_row "$row_of_compare" || found_worse=1
	done
	[ -z "$missing" ] || echo "Left out: $missing"
	return "$found_worse"
}
