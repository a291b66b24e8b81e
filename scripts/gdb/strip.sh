#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints a GDB script without what is for its reader alone: GDB reads it a byte at a time, with two system calls for
# each. The comment at the beginning stays up to its first blank line: strip.sh FILE
set -eu
sed -e '1,/^#*$/b' -e '/^[[:space:]]*#/d' -e '/^[[:space:]]*$/d' -e 's/^[[:space:]]*//' "$1"
