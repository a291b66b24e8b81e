# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# For scripts that read this file: how far a long command has come.

# show_progress SECONDS LOG WORDS COMMAND...: runs COMMAND, whose log is LOG, and every so many SECONDS prints
# after WORDS how far the log has come: the newest "[12/345]" of it as "12 of 345", or else how long it has taken.
# On a terminal this is one line, which is gone in the end.
show_progress() {
	interval=$1 log=$2 words=$3
	shift 3
	: >"$log"
	taken=0 form='%s\n' clear=
	if [ -t 1 ]; then
		form='\r%s\033[K' clear='\r\033[K'
	fi
	while sleep "$interval" >/dev/null && kill -0 $$ 2>/dev/null; do
		taken=$((taken + interval))
		far=$(sed -n -E 's|^ *\[?([0-9]+)/([0-9]+)[] ].*|\1 of \2|p' "$log" | tail -n 1)
		# shellcheck disable=SC2059 # one of the two above
		printf "$form" "$words: ${far:-$taken s}"
	done &
	shower=$!
	status=0
	"$@" >"$log" 2>&1 || status=$?
	kill $shower 2>/dev/null || :
	wait $shower 2>/dev/null || :
	# shellcheck disable=SC2059
	printf "$clear"
	return $status
}
