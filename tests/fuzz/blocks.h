/* SPDX-License-Identifier: MIT */
/*
 * An allocator for fuzz targets under AddressSanitizer. The sanitizer maps each block above 128 KiB anew, with its
 * shadow, and unmaps it as soon as it is freed, which is half of the time of targets that take such blocks for each
 * input. Here some of them are kept, poisoned as freed memory is, until the same size is wanted again.
 *
 * The functions stand for those of the C library; blocks_wrap.c has the wrappers for targets that do not count memory.
 */
#ifndef CAIRN_TESTS_FUZZ_BLOCKS_H
#define CAIRN_TESTS_FUZZ_BLOCKS_H

#include <stddef.h>

void *blocks_malloc(size_t size);
void *blocks_calloc(size_t count, size_t size);
void blocks_free(void *memory);

#endif
