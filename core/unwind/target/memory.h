/* SPDX-License-Identifier: MIT */
/*
 * Reading the target.  Any read may leave by a C++ exception of the host: keep nothing across one
 * that the space does not already own.
 */
#ifndef CAIRN_UNWIND_TARGET_MEMORY_H
#define CAIRN_UNWIND_TARGET_MEMORY_H

#include <cairn.h>

/* Fill the buffer, or false.  A range that wraps is refused without asking. */
bool memory_read(const struct cairn_target *target, uint64_t address, void *buffer, size_t size);

/* A word of 8 bytes in the target's order. */
bool memory_word(const struct cairn_target *target, uint64_t address, bool big, uint64_t *word);

/* As many bytes as can be read from `address` on, up to `size`, in steps. */
size_t memory_read_some(const struct cairn_target *target, uint64_t address, void *buffer,
                        size_t size);

#endif
