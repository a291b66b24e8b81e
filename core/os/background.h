/* SPDX-License-Identifier: MIT */
/*
 * Low-priority work without a terminal that continues after the command has answered and exited,
 * such as filling a cache. At most one such process runs per directory.
 *
 *	if (os_background_begin("/home/me/.cache/cairn"))
 *		os_background_end();      only the process in the background is here
 */
#ifndef CAIRN_OS_BACKGROUND_H
#define CAIRN_OS_BACKGROUND_H

#include <stdbool.h>

/*
 * Fork a background process for `folder`. Returns true in the new process, whose standard streams
 * are /dev/null. Returns false in the calling process, whether or not the fork happened: no process
 * is started while another one works for the directory. Call it with a single thread and with
 * standard output flushed.
 */
bool os_background_begin(const char *folder);

/* End the process without running exit() handlers. */
_Noreturn void os_background_end(void);

#endif
