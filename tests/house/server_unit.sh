#!/bin/sh
# SPDX-License-Identifier: MIT
# The server's unit for systemd: what systemd-analyze counts as exposed of it, out of 100, is at most 15.
unit=$(cd "$(dirname "$0")/../../docs/examples" && pwd)/cairn-symbols.service
command -v systemd-analyze >/dev/null || {
	echo "skipped: no systemd-analyze"
	exit 77
}
systemd-analyze security --offline=yes --threshold=15 "$unit" >/dev/null 2>&1 && exit 0
systemd-analyze security --help 2>&1 | grep -q -- --offline || {
	echo "skipped: this systemd-analyze has no --offline"
	exit 77
}
systemd-analyze security --offline=yes --threshold=15 "$unit" | grep -E '✗|→'
exit 1
