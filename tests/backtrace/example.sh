#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that the example of cairn_backtrace() prints the interrupted function and main().
#
#	example.sh PROGRAM
out=$("$1") || exit 1
echo "$out" | head -1 | grep -qx '#0 work' && echo "$out" | sed -n 2p | grep -qx '#1 main' && exit 0
echo "$out"
exit 1
