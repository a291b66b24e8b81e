#!/bin/sh
# SPDX-License-Identifier: MIT
# near_limits.sh ROOT BUILD: what scripts/near_limits.sh lists of a run: tests above half of their time, with the names of
# old and new versions of Meson, and figures that tests report; of Meson's own description of this build it finds
# each test's time; and what a test spends is reported above half of its limit, and only there.
set -u
root=$1 build=$2
. "$(dirname "$0")/../lib/test.sh"

mkdir -p "$work/run/meson-info" "$work/run/meson-logs"
cat >"$work/run/meson-info/intro-tests.json" <<'END'
[{"cmd": ["/a", "name: b"], "env": {"X": "1"}, "name": "slow one", "workdir": null, "timeout": 300, "suite": ["cairn:gdb", "cairn:gdb-sanitized"], "is_parallel": true, "priority": 0, "protocol": "exitcode", "depends": []}, {"cmd": ["/b"], "env": {}, "name": "quick one", "workdir": null, "timeout": 300, "suite": ["cairn:golden"], "is_parallel": true, "priority": 0, "protocol": "exitcode", "depends": []}, {"cmd": ["/c"], "env": {}, "name": "one of figures", "workdir": null, "timeout": 30, "suite": ["cairn:golden"], "is_parallel": true, "priority": 0, "protocol": "exitcode", "depends": []}]
END
cat >"$work/expected" <<'END'
near its limit: gdb+gdb-sanitized / slow one: 151 of 300 s
near its limit: golden / one of figures: 6.2 of 10 s: cairn dwarf dump "a b"
END
# log PREFIX-OF-SUITES PREFIX-OF-NAMES: as the two kinds of Meson write it
log() {
	cat >"$work/run/meson-logs/testlog.json" <<END
{"name": "$1gdb+gdb-sanitized$2slow one", "stdout": "3 lines\\n", "result": "OK", "starttime": 17.5, "duration": 151.25, "returncode": 0, "env": {}, "command": ["/a"]}
{"name": "$1golden$2quick one", "stdout": "say \\"near its limit: no\\"\\n", "result": "OK", "starttime": 17.5, "duration": 149.9, "returncode": 0, "env": {}, "command": ["/b"]}
{"name": "$1golden$2one of figures", "stdout": "near its limit: 6.2 of 10 s: cairn dwarf dump \\"a b\\"\\nend\\n", "result": "OK", "starttime": 17.5, "duration": 1.0, "returncode": 0, "env": {}, "command": ["/c"]}
END
	"$root/scripts/near_limits.sh" "$work/run" >"$work/listed" || fail "exit status $?"
	cmp -s "$work/expected" "$work/listed" || {
		fail "names as $1SUITES$2NAME"
		diff "$work/expected" "$work/listed"
	}
}
log cairn: ' / '
log '' ' - cairn:'

# each test of this build has a time: one that takes a day is near its limit, all of them are listed
mkdir "$work/build"
ln -s "$build/meson-info" "$work/build/meson-info"
mkdir "$work/build/meson-logs"
meson test --list --no-rebuild -C "$build" 2>/dev/null |
	sed -n -E -e 's#^cairn:([^ ]* / .*)#cairn:\1#p' -e 's#^([^ ]* - cairn:.*)#\1#p' >"$work/names"
sed 's/.*/{"name": "&", "result": "OK", "starttime": 1.0, "duration": 86400.0, "returncode": 0}/' "$work/names" \
	>"$work/build/meson-logs/testlog.json"
"$root/scripts/near_limits.sh" "$work/build" >"$work/listed"
count=$(grep -c . "$work/names")
[ "$count" -gt 0 ] || fail 'this build has no tests'
[ "$(grep -c '^near its limit: ' "$work/listed")" = "$count" ] ||
	fail "of $count tests $(wc -l <"$work/listed") have a time"

# commands are in the log of a test's own directory
burn='until times >"$0" && grep -q "^0m1" "$0"; do i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; done'
for limit in 1000 2; do
	(work=$work/own-$limit && mkdir "$work" && (spend $limit sh -c "$burn" "$work/program") && tell_near_limits) \
		>"$work/told-$limit" || fail "a command within $limit s ends with $?"
done
[ ! -s "$work/told-1000" ] || fail "far from its limit: $(cat "$work/told-1000")"
if command -v time >/dev/null; then
	grep -q '^near its limit: [12][.0-9]* of 2 s: sh -c .* program$' "$work/told-2" ||
		fail "above half of its limit: $(cat "$work/told-2")"
fi
[ $failed = 0 ] && echo "$count tests have a limit"
exit $failed
