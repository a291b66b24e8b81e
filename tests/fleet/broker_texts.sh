#!/bin/sh
# SPDX-License-Identifier: MIT
# Can a broker drive the terminal of who runs `cairn work`?  broker_texts.sh CAIRN ODD_BROKER
set -u
LC_ALL=C
export LC_ALL
cairn=$1
odd_broker=$2
. "$(dirname "$0")/../lib/test.sh"
broker=
trap '[ -z "$broker" ] || kill "$broker" 2>/dev/null; rm -rf "$work"' EXIT

# try WHEN OPTION...: with words of the broker that would clear the screen, set its title and write from right to left
try() {
	when=$1
	shift
	rm -f "$work/broker"
	"$odd_broker" "$when" "$(printf 'no\033[2J\033]0;title\a\n\342\200\256entry')" >"$work/broker" &
	broker=$!
	until grep -q . "$work/broker" 2>/dev/null; do sleep 0.02; done
	timeout 3 "$cairn" work --amqp "amqp://guest:guest@$(sed 's/.* //' "$work/broker")" --requests q "$@" >"$work/said" 2>&1
	kill "$broker"
	grep -qF 'no\x1b[2J\x1b]0;title\x07\x0a\xe2\x80\xaeentry' "$work/said" || fail "$when $*: $(od -c "$work/said" | head -n 8)"
	! tr -d '\n' <"$work/said" | grep -q '[[:cntrl:]]' || fail "$when $*: a control character"
}
for when in login channel; do
	try $when --answers a --child true
	try $when --redrive --dead d
done
exit $failed
