/* SPDX-License-Identifier: MIT */
/*
 * What the files of libcairn-jit share: memory that is counted, a growing run of bytes, and a function as the writers
 * of all consumers see it.
 */
#ifndef CAIRN_JIT_PRODUCER_BASE_PARTS_H
#define CAIRN_JIT_PRODUCER_BASE_PARTS_H

#include <cairn_jit.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The one file cairn_jit.c defines it as static. */
#ifndef CAIRN_JIT_INTERNAL
#define CAIRN_JIT_INTERNAL
#endif

/* Zeroed memory, or NULL.  Its size is counted, and whoever frees it knows the size. */
CAIRN_JIT_INTERNAL void *cairn_jit_allocate(size_t size);
CAIRN_JIT_INTERNAL void cairn_jit_free(void *memory, size_t size);
CAIRN_JIT_INTERNAL size_t cairn_jit_allocated(void);

/* Bytes that grow.  After the first failure nothing is appended any more. */
struct cairn_jit_bytes {
	uint8_t *data;
	size_t size, room;
	bool failed;
};

CAIRN_JIT_INTERNAL void cairn_jit_put(struct cairn_jit_bytes *bytes, const void *data, size_t size);
CAIRN_JIT_INTERNAL void cairn_jit_put_number(struct cairn_jit_bytes *bytes, uint64_t value,
                                             unsigned size);
CAIRN_JIT_INTERNAL void cairn_jit_put_uleb(struct cairn_jit_bytes *bytes, uint64_t value);
CAIRN_JIT_INTERNAL void cairn_jit_put_sleb(struct cairn_jit_bytes *bytes, int64_t value);

/* What is stored before stays before what is stored afterwards, for a debugger and for other threads. */
static inline void cairn_jit_keep_order(void)
{
#if defined(__x86_64__) || defined(__SANITIZE_THREAD__)
	__asm__ volatile(
		"" ::
			: "memory"); /* this processor stores in order; ThreadSanitizer knows no fences */
#else
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__asm__ volatile("" ::: "memory");
#endif
}

/*
 * Makes place for `size` bytes more in an array of `count` elements, or returns NULL and leaves the array as it is.  *room is in
 * elements.
 */
CAIRN_JIT_INTERNAL void *cairn_jit_grow(void *array, size_t element, uint32_t count,
                                        uint32_t *room);

/*
 * A function, with what its frame and its lines come to in DWARF.  All of it is borrowed: from a caller and a scratch buffer, or
 * from the object that has the function.
 */
struct cairn_jit_facts {
	uint64_t start;
	uint32_t size;
	uint32_t first_line;  /* 0: none */
	const char *name;     /* name_size bytes, with the NUL */
	const char *file;     /* file_size bytes, with the NUL; 0: none */
	const uint8_t *frame; /* call frame instructions */
	const uint8_t *
		lines; /* the operations of a line program from the function's start on, without its end */
	uint32_t name_size, file_size, frame_size, lines_size;
	uint32_t lead; /* bytes before the function that belong to a run which begins with it */
	bool framed;   /* `frame` is known, even if it is empty */
};

#endif
