#!/bin/sh
# SPDX-License-Identifier: MIT
# The units of servers for systemd: what systemd-analyze counts as exposed of it, out of 100, is at most 15 of each.
folder=$(cd "$(dirname "$0")/../../docs/examples" && pwd)
command -v systemd-analyze >/dev/null || {
	echo "skipped: no systemd-analyze"
	exit 77
}
failed=0
for unit in "$folder/cairn-symbols.service" "$folder/cairn-serve.service" "$folder/cairn-work@.service"; do
	systemd-analyze security --offline=yes --threshold=15 "$unit" >/dev/null 2>&1 || failed=1
done
[ $failed = 1 ] || exit 0
systemd-analyze security --help 2>&1 | grep -q -- --offline || {
	echo "skipped: this systemd-analyze has no --offline"
	exit 77
}
for unit in "$folder/cairn-symbols.service" "$folder/cairn-serve.service" "$folder/cairn-work@.service"; do
	systemd-analyze security --offline=yes --threshold=15 "$unit" | grep -E '✗|→'
done
exit 1
