#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the repository has at its top: nothing else, so that no file of a test or of a run was committed by accident.
#
#	top_level.sh [ROOT]

cd "${1:-.}" || exit 1
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "skipped: $PWD is no repository of git"; exit 77; }
others=$(git ls-files | sed 's|/.*||' | LC_ALL=C sort -u |
	grep -vxE 'meson\.build|meson_options\.txt|plugin|core|scripts|tests|docs|README\.md|LICENSE|\..*')
[ -z "$others" ] || { printf '%s: not at the top of the repository\n' "$others"; exit 1; }
