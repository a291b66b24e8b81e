/* SPDX-License-Identifier: MIT */
/*
 * Is GDB running a script that belongs to a program or a library (PROGRAM-gdb.gdb, -gdb.py)?  It
 * does that in the middle of reading the file, and dies when that file is read again meanwhile.
 * GDB notifies nobody, but it has the script open.
 */
#ifndef CAIRN_GDB_QUERIES_AUTOLOAD_H
#define CAIRN_GDB_QUERIES_AUTOLOAD_H

#include <stdbool.h>

bool autoload_is_running(void);

#endif
