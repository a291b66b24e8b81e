#!/bin/sh
# SPDX-License-Identifier: MIT
# The example of cairn_backtrace() names the function that its signal interrupts, and main().
#
#	example.sh PROGRAM
out=$("$1") || exit 1
echo "$out" | head -1 | grep -qx '#0 work' && echo "$out" | sed -n 2p | grep -qx '#1 main' && exit 0
echo "$out"
exit 1
