# SPDX-License-Identifier: MIT
# Part of attack.sh: another process cuts a file while a verb reads it.  tests/tools/cut_file.c does so within the verb, at
# one of its allocations, maps or calls of the C library.  The verb ends with a status from 0 to 3.

prepare_cuts() {
	[ -f "$plain/tests/tools/libcut_file.so" ] || {
		reason='no library that cuts'
		return 1
	}
}

# run_cut AT SIZE COMMAND...
run_cut() {
	(
		ulimit -c 0
		ulimit -t $((3 + bytes / 1048576))
		CUT_FILE=$file CUT_AT=$1 CUT_SIZE=$2 CUT_COUNT=$work/count LD_PRELOAD=$plain/tests/tools/libcut_file.so
		export CUT_FILE CUT_AT CUT_SIZE CUT_COUNT LD_PRELOAD
		shift 2
		exec "$@"
	) >"$work/text" 2>"$work/err" </dev/null
	status=$?
	runs=$((runs + 1))
}

attack_cuts() {
	draw 4
	[ "$drawn" = 0 ] || cp "$source" "$file"
	cp "$file" "$work/whole"
	bytes=$(wc -c <"$file")
	[ "$bytes" -gt 0 ] || return 0
	ln -f "$file" "$debug"
	list_kind
	for again in 1 2 3 4; do
		draw_line "$work/kind"
		words=$drawn_line
		set_words
		# shellcheck disable=SC2046 # no blanks in them
		set -- $(cat "$work/words")
		run_cut 0 0 "$plain/core/cli/cairn" --no-sandbox "$@"
		read -r counted <"$work/count" || counted=0
		draw $((counted + 1))
		number=$drawn
		draw "$bytes"
		run_cut "$number" "$drawn" "$plain/core/cli/cairn" --no-sandbox "$@"
		cat "$work/whole" >"$file"
		if [ $status -gt 3 ]; then
			keep "status $status, cut to $drawn bytes at event $number" "cairn $words"
		elif has_control "$work/err"; then
			keep 'a control character in a message' "cairn $words"
		fi
		rm -rf "$work"/out*
	done
}
