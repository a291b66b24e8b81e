/* SPDX-License-Identifier: MIT */
/* Lists frames that say nothing about a bug: functions that end a program, and those that start every program. */
#ifndef CAIRN_GROUPS_FRAME_LISTS_H
#define CAIRN_GROUPS_FRAME_LISTS_H

#include <cairn.h>

/*
 * Is this normal form (name_form.h) a function that reports or ends, that allocates, copies or compares memory and texts,
 * that throws, or a part of a sanitizer?  The bug is in the caller.
 */
bool frame_list_is_inner(struct cairn_bytes name);

/* Is it one of the functions that start a program or a thread, and that differ among C libraries? */
bool frame_list_is_outer(struct cairn_bytes name);

/* Is the module, by the last part of its path, the C library, that of C++, or the dynamic linker? */
bool frame_list_is_runtime(struct cairn_bytes module);

#endif
