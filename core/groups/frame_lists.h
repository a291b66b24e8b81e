/* SPDX-License-Identifier: MIT */
/*
 * Frames that say nothing about a bug: functions that end a program, and functions that start every
 * program.
 */
#ifndef CAIRN_GROUPS_FRAME_LISTS_H
#define CAIRN_GROUPS_FRAME_LISTS_H

#include <cairn.h>

/*
 * Return true if this normal form (name_form.h) names a function that reports or terminates,
 * allocates, copies or compares memory and strings, or throws, or that belongs to a sanitizer. The
 * bug is in its caller.
 */
bool frame_list_is_inner(struct cairn_bytes name);

/* Return true for functions that start a program or a thread, which differ between C libraries. */
bool frame_list_is_outer(struct cairn_bytes name);

/* Return true if `module`, a base name, is the C library, the C++ library or the dynamic linker. */
bool frame_list_is_runtime(struct cairn_bytes module);

#endif
