/* SPDX-License-Identifier: MIT */
/*
 * Folds recursion: a repeated sequence of calls counts once, so that stacks that differ only in
 * recursion depth are equal.
 */
#ifndef CAIRN_GROUPS_RECURSION_H
#define CAIRN_GROUPS_RECURSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECURSION_PERIOD_MAX = 8 };

/*
 * Reduce each run of equal blocks of 1 to RECURSION_PERIOD_MAX items to one block. `items` are
 * innermost first. Return the number of items left. A run may end within a block. The partial block
 * is removed too, and the outermost complete block is kept, so that the result does not depend on
 * where in the block the program stopped. If `is_cut`, the outer end of the stack is missing, and
 * the innermost block is kept instead. Set *all_run if the whole stack is one such run: it may then
 * be cut at both ends, and it is arbitrary which item comes first.
 */
size_t recursion_fold(uint32_t *items, size_t count, bool is_cut, bool *all_run);

#endif
