/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: backtraces as they were recorded, in the Compact Backtrace Format.
 */
#ifndef CAIRN_INCLUDE_TRACES_H
#define CAIRN_INCLUDE_TRACES_H

#include <cairn/base.h>
#include <cairn/unwind.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Backtraces that a program recorded itself: bytes in Swift's Compact Backtrace Format.
 *
 *	struct cairn_trace trace;
 *	struct cairn_frame run;
 *	cairn_trace_open(bytes, &trace);
 *	while (cairn_trace_next(&trace, &run))
 *		...            innermost first; equal neighbours are one run
 *	if (trace.fault.status != CAIRN_OK)
 *		...            damaged there; the frames before it are good
 *
 * Nothing is allocated, and there is nothing to free.
 */
struct cairn_trace {
	bool cut;                 /* its producer left out the outer end */
	unsigned word_bits;       /* of a machine word; 0 when that is not known */
	size_t consumed;          /* bytes of this backtrace, complete behind the last run */
	struct cairn_fault fault; /* OK unless the bytes are damaged */
	uint64_t state[16];
};

CAIRN_API void cairn_trace_open(struct cairn_bytes bytes, struct cairn_trace *trace);
CAIRN_API bool cairn_trace_next(struct cairn_trace *trace, struct cairn_frame *run);

/* How it ended, for scripts: "end", "trunc", "eof" (of the bytes), or what is damaged. */
CAIRN_API const char *cairn_trace_end_name(const struct cairn_trace *trace);

/* What was found in the memory of a 64-bit Swift program. */
enum cairn_found_trace_kind {
	CAIRN_FOUND_TRACE_VALUE,   /* a Backtrace whose bytes are sound */
	CAIRN_FOUND_TRACE_DAMAGED, /* a Backtrace whose bytes are not */
	CAIRN_FOUND_TRACE_ARRAY,   /* an array of sound bytes, without a Backtrace around it */
};

struct cairn_found_trace {
	enum cairn_found_trace_kind kind;
	uint64_t array;           /* address of the array object that holds the bytes */
	uint64_t size;            /* how many bytes */
	uint64_t class_address;   /* of arrays of bytes; the same in all of a process */
	uint64_t images;          /* address of the array of its images; 0: none */
	uint64_t copies;          /* Backtrace values that share the array */
	const char *architecture; /* a constant; NULL for a bare array */
};

/*
 * Search the target: begin, scan every range of memory that can be written, settle; then ask for
 * what was found.
 *
 *	status = cairn_trace_search_begin(space);
 *	for (size_t i = 0; i < count; i++)
 *		status = cairn_trace_search_scan(space, range[i]);
 *	cairn_trace_search_resolve(space);
 *	for (size_t at = 0; cairn_trace_search_next(space, &at, &found);)
 *		status = cairn_found_trace_bytes(space, &found, &bytes);
 *
 * Copies of one value lie everywhere; each array is told once, by ascending address.  Memory is
 * read in blocks, and what cannot be read is passed over.  UNSUPPORTED: the range has
 * CAIRN_TRACE_SEARCH_HOLES_MAX pages that cannot be read, and was searched up to there.
 */
enum { CAIRN_TRACE_SEARCH_HOLES_MAX = 1 << 20 };

CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_search_begin(struct cairn_space *space);
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_search_scan(struct cairn_space *space,
                                                                   struct cairn_range range);
CAIRN_API void cairn_trace_search_resolve(struct cairn_space *space);

/* After settling: scan again for arrays of bytes that are backtraces though no value holds them. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_search_scan_arrays(struct cairn_space *space,
                                                                          struct cairn_range range);

/* Start with *at = 0; false behind the last. */
CAIRN_API bool cairn_trace_search_next(struct cairn_space *space, size_t *at,
                                       struct cairn_found_trace *found);

/* Did so much look like backtraces that some was left out? */
CAIRN_API bool cairn_trace_search_is_incomplete(const struct cairn_space *space);

/* The Backtrace value at an address.  NOT_FOUND: there is none; or UNREADABLE. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_found_trace_at(struct cairn_space *space,
                                                                uint64_t address,
                                                                struct cairn_found_trace *found);

/* Its bytes, which the space keeps until one of these two is called again. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_found_trace_bytes(
	struct cairn_space *space, const struct cairn_found_trace *found,
	struct cairn_bytes *bytes);

/*
 * The bytes of a backtrace at an address.  With `size` 0 they are read until the backtrace ends, by
 * its own bytes or by damage, or the memory does, or at CAIRN_TRACE_BYTES_MAX.  UNREADABLE: not even
 * the first byte can be read, or not all of those that were asked for.
 */
enum { CAIRN_TRACE_BYTES_MAX = 1 << 24 };

CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_read(struct cairn_space *space,
                                                            uint64_t address, uint64_t size,
                                                            struct cairn_bytes *bytes);

/* A file that was loaded when the backtrace was taken. */
struct cairn_image {
	uint64_t base, end;                      /* of its text, as pc */
	struct cairn_bytes build_id, path, name; /* empty when not known */
};

/*
 * Read the images of what was found, as many as can be; the space keeps them until the next call.
 * NOT_FOUND: it has none.  Then: the image whose text holds `pc`.  With a frame, ask for its lookup
 * address.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_found_trace_images(
	struct cairn_space *space, const struct cairn_found_trace *found, size_t *count);
CAIRN_API bool cairn_found_trace_image(const struct cairn_space *space, uint64_t pc,
                                       struct cairn_image *image);

#ifdef __cplusplus
}
#endif

#endif
