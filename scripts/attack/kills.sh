# SPDX-License-Identifier: MIT
# Part of attack.sh: a signal at some system call of a verb.  Then the same verb answers as it does on a fresh
# machine, and nothing is left but what it writes.  The same with a server: what it acknowledged is still there.

prepare_kills() {
	strace -o /dev/null true 2>/dev/null || {
		reason='no strace that works'
		return 1
	}
	cat >"$work/killed" <<'END'
gsym create -j 1 --quiet -o OUT FILE
gsym create --quiet -o OUT FILE
gsym dump FILE
gsym diff FILE FILE
symbfile create -j 1 --quiet -o OUT FILE
symbfile dump FILE
symbols write --quiet --machine amd64 --force -o OUT FILE
sframe dump FILE
cbf decode FILE
dwarf dump --summary FILE
where FILE 0x1150 0x401136
markup --debug-file-directory=DEBUG LOG
bt FILE
END
	printf '%s\n' KILL KILL KILL TERM INT HUP SEGV XFSZ PIPE >"$work/signals"
	mkdir -p "$work/run"
}

# begin_run: no output, an empty cache
begin_run() {
	rm -rf "$work/run"
	mkdir -p "$work/run/cache"
}

# answer_in_full COMMAND...: what it prints, writes and leaves, as one text
answer_in_full() {
	(
		ulimit -c 0
		XDG_CACHE_HOME=$work/run/cache exec "$@"
	) 2>&1 </dev/null
	echo "status $?"
	(cd "$work/run" && find . -type f ! -path './cache/*' | sort | while read -r name; do cksum "$name"; done)
	(cd "$work/run/cache" && find . -type f | sort)
}

kill_verb() {
	draw_line "$work/killed"
	words=$drawn_line
	set_words
	# shellcheck disable=SC2046 # no blanks in them
	set -- $(sed "s|^$work/out$|$work/run/made|" "$work/words")
	begin_run
	answer_in_full "$plain/core/cli/cairn" "$@" >"$work/right"
	begin_run
	XDG_CACHE_HOME=$work/run/cache strace -f -qq -o "$work/calls" "$plain/core/cli/cairn" "$@" >/dev/null 2>&1 </dev/null
	draw "$(wc -l <"$work/calls")"
	number=$((drawn + 1))
	draw_line "$work/signals"
	begin_run
	{
		(
			ulimit -c 0
			XDG_CACHE_HOME=$work/run/cache exec strace -f -qq -o /dev/null \
				--inject=all:signal="$drawn_line":when=$number "$plain/core/cli/cairn" "$@"
		) </dev/null
	} >/dev/null 2>&1
	answer_in_full "$plain/core/cli/cairn" "$@" >"$work/again"
	runs=$((runs + 3))
	cmp -s "$work/right" "$work/again" || {
		diff "$work/right" "$work/again" >"$work/err"
		keep "another answer after SIG$drawn_line at call $number" "cairn $words"
	}
}

attack_kills() {
	draw 2
	[ "$drawn" = 0 ] || {
		cp "$source" "$file" # whole: verbs get farther
		bytes=$(wc -c <"$file")
	}
	ln -f "$file" "$debug"
	for again in 1 2 3; do
		kill_verb
	done
	rm -rf "$work/run"
}
