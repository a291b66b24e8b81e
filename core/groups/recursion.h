/* SPDX-License-Identifier: MIT */
/* Recursion folded: calls that repeat count once, so that two depths of one recursion are one stack. */
#ifndef CAIRN_GROUPS_RECURSION_H
#define CAIRN_GROUPS_RECURSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECURSION_PERIOD_MAX = 8 }; /* frames of a block that repeats */

/*
 * Keeps one of each run of equal blocks of 1 to RECURSION_PERIOD_MAX items, which are innermost first; nothing repeats in
 * what is left.  Returns how many are left.  A run may end within a block: that part goes too, so that the outermost
 * complete block is what stays, wherever the program stopped in it.  In a stack whose outer end `is_cut`, the
 * innermost one stays.  *all_run tells that the whole stack is one such run: then it may be cut at both ends, and which item is the
 * first means nothing.
 */
size_t recursion_fold(uint32_t *items, size_t count, bool is_cut, bool *all_run);

#endif
