/* SPDX-License-Identifier: MIT */
/*
 * Work that goes on when the command has answered and ended, such as filling a cache: at low priority,
 * without a terminal, and once at a time for a folder.
 *
 *	if (os_background_begin("/home/me/.cache/cairn"))
 *		os_background_end();      only the process in the background is here
 */
#ifndef CAIRN_OS_BACKGROUND_H
#define CAIRN_OS_BACKGROUND_H

#include <stdbool.h>

/*
 * True in the new process, which has no input and prints nowhere.  False in this one, whether or not there is
 * another now: none is begun while one works for the folder.  To be called with one thread and standard output
 * flushed.
 */
bool os_background_begin(const char *folder);

/* Ends the process, without what exit() does. */
_Noreturn void os_background_end(void);

#endif
