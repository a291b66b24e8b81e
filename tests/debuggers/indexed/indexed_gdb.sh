#!/bin/sh
# SPDX-License-Identifier: MIT
# GDB, which takes the debug information of the C library from the copies that make_debug_files.sh made: DEBUG_FILES is
# its output.
exec gdb -ix "${DEBUG_FILES:?the output of make_debug_files.sh}" "$@"
