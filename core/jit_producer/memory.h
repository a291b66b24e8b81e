/* SPDX-License-Identifier: MIT */
/*
 * Helpers of libcairn-jit: counted allocations, a growing byte buffer, and the encoded function
 * that is passed to all consumers.
 */
#ifndef CAIRN_JIT_PRODUCER_MEMORY_H
#define CAIRN_JIT_PRODUCER_MEMORY_H

#include <cairn_jit.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* storage class of internal functions, defined as static by the amalgamated cairn_jit.c */
#ifndef CAIRN_JIT_INTERNAL
#define CAIRN_JIT_INTERNAL
#endif

/*
 * Allocate zeroed memory, or return NULL. The library counts its memory, so cairn_jit_free() needs
 * the size.
 */
CAIRN_JIT_INTERNAL void *cairn_jit_allocate(size_t size);
CAIRN_JIT_INTERNAL void cairn_jit_free(void *memory, size_t size);
CAIRN_JIT_INTERNAL size_t cairn_jit_allocated(void);

/* A growing byte buffer. If an allocation fails, later appends have no effect. */
struct cairn_jit_bytes {
	uint8_t *data;
	size_t size, capacity;
	bool failed;
};

CAIRN_JIT_INTERNAL void cairn_jit_put(struct cairn_jit_bytes *bytes, const void *data, size_t size);
CAIRN_JIT_INTERNAL void cairn_jit_put_number(struct cairn_jit_bytes *bytes, uint64_t value,
                                             unsigned size);
CAIRN_JIT_INTERNAL void cairn_jit_put_uleb(struct cairn_jit_bytes *bytes, uint64_t value);
CAIRN_JIT_INTERNAL void cairn_jit_put_sleb(struct cairn_jit_bytes *bytes, int64_t value);

/* Store barrier between this thread and debuggers or other threads. */
static inline void cairn_jit_keep_order(void)
{
#if defined(__x86_64__) || defined(__SANITIZE_THREAD__)
	/* no fence: x86 does not reorder stores, and ThreadSanitizer does not support fences */
	__asm__ volatile("" ::: "memory");
#else
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__asm__ volatile("" ::: "memory");
#endif
}

/*
 * Grow an array to hold `count` + 1 elements. *room is the capacity in elements. If allocation
 * fails, returns NULL and leaves the array unchanged.
 */
CAIRN_JIT_INTERNAL void *cairn_jit_grow(void *array, size_t element, uint32_t count,
                                        uint32_t *capacity);

/*
 * A function with its frame and lines encoded as DWARF. All pointers are borrowed from the caller
 * and a scratch buffer, or from the object that contains the function.
 */
struct cairn_jit_facts {
	uint64_t start;
	uint32_t size;
	/*
	 * line number in the first row of the line table, used as the declaration line; 0 without
	 * lines
	 */
	uint32_t first_line;
	const char *name; /* NUL-terminated; name_size includes the NUL */
	/* NUL-terminated; file_size includes the NUL, and is 0 without a file */
	const char *file;
	const uint8_t *frame;
	const uint8_t *lines; /* line program without DW_LNE_end_sequence */
	uint32_t name_size, file_size, frame_size, lines_size;
	uint32_t lead; /* unused bytes at the start of the run, before the function */
	bool framed;   /* the function has a frame, although `frame` may be empty */
};

#endif
