#!/bin/sh
# SPDX-License-Identifier: MIT
# The seeds that make_seeds.c makes are in the corpus, byte for byte: seeds.sh MAKE_SEEDS CORPUS [--accept]
# With --accept those of the corpus become what is made.
set -eu
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cairn-seeds.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
"$1" "$tmp"
if [ "${3:-}" = --accept ]; then
	cp -R "$tmp/." "$2"
	exit
fi
failed=0
for seed in "$tmp"/*/*; do
	there=$2/${seed#"$tmp/"}
	cmp -s "$seed" "$there" && continue
	echo "$there: not what make_seeds makes"
	failed=1
done
exit $failed
