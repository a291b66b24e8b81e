/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: recorded backtraces, in the Compact Backtrace Format.
 */
#ifndef CAIRN_INCLUDE_TRACES_H
#define CAIRN_INCLUDE_TRACES_H

#include <cairn/base.h>
#include <cairn/unwind.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A backtrace that a program recorded: bytes in Swift's Compact Backtrace Format
 * (docs/formats/cbf.md).
 *
 *	struct cairn_trace trace;
 *	struct cairn_frame run;
 *	cairn_trace_open(bytes, &trace);
 *	while (cairn_trace_next(&trace, &run))
 *		...            innermost first; adjacent equal frames are one run
 *	if (trace.fault.status != CAIRN_OK)
 *		...            damaged there; the frames before it are good
 *
 * It allocates nothing, and there is nothing to free.  The bytes are borrowed until the last call.
 */
struct cairn_trace {
	bool cut;                 /* its producer left out the outermost frames */
	unsigned word_bits;       /* size of a machine word; 0 if it is not known */
	size_t consumed;          /* bytes of this backtrace; final after the last run */
	struct cairn_fault fault; /* CAIRN_OK unless the bytes are damaged */
	uint64_t state[16];       /* private to cairn */
};

/* Begins to read a backtrace.  It always succeeds: what is wrong is in trace->fault. */
CAIRN_API void cairn_trace_open(struct cairn_bytes bytes, struct cairn_trace *trace);

/* Reads the next run of frames, outwards.  Returns false at the end, or at damage. */
CAIRN_API bool cairn_trace_next(struct cairn_trace *trace, struct cairn_frame *run);

/*
 * Returns how it ended, for scripts: "end", "trunc" (its producer cut it), "eof" (the bytes end
 * first), or a phrase for the damage; a constant.
 */
CAIRN_API const char *cairn_trace_end_name(const struct cairn_trace *trace);

/* What a search finds in the memory of a 64-bit Swift program. */
enum cairn_found_trace_kind {
	CAIRN_FOUND_TRACE_VALUE,   /* a Backtrace whose bytes are sound */
	CAIRN_FOUND_TRACE_DAMAGED, /* a Backtrace whose bytes are not */
	CAIRN_FOUND_TRACE_ARRAY,   /* an array of sound bytes, without a Backtrace around it */
};

struct cairn_found_trace {
	enum cairn_found_trace_kind kind;
	uint64_t array;           /* address of the array object that contains the bytes */
	uint64_t size;            /* how many bytes */
	uint64_t class_address;   /* of arrays of bytes; it is the same everywhere in a process */
	uint64_t images;          /* address of the array of its images; 0: none */
	uint64_t copies;          /* Backtrace values that share the array */
	const char *architecture; /* a constant; NULL for a bare array */
};

/*
 * A search of the target: begin, scan every writable range of memory, resolve; then list what was
 * found.
 *
 *	status = cairn_trace_search_begin(space);
 *	for (size_t i = 0; i < count; i++)
 *		status = cairn_trace_search_scan(space, range[i]);
 *	cairn_trace_search_resolve(space);
 *	for (size_t at = 0; cairn_trace_search_next(space, &at, &found);)
 *		status = cairn_found_trace_bytes(space, &found, &bytes);
 *
 * Memory has many copies of one value; the search lists each array once, by ascending address.  It
 * reads memory in blocks and skips what it cannot read.  The limit on unreadable pages bounds the
 * time that a sparse range can take.
 */
enum { CAIRN_TRACE_SEARCH_HOLES_MAX = 1 << 20 };

/*
 * Begins a search, and forgets the results of the one before.  Returns NO_MEMORY if memory is
 * short.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_search_begin(struct cairn_space *space);

/*
 * Scans a range of addresses (pc).  Returns UNSUPPORTED if the search has met
 * CAIRN_TRACE_SEARCH_HOLES_MAX pages that cannot be read, in all its ranges: it has then searched
 * up to there.  Returns NO_MEMORY if memory is short.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_search_scan(struct cairn_space *space,
                                                                   struct cairn_range range);

/* Ends the scan: decides which of the findings are backtraces. */
CAIRN_API void cairn_trace_search_resolve(struct cairn_space *space);

/*
 * After resolving: scans a range again, for arrays of bytes that are backtraces although no value
 * refers to them.  The outcomes are those of cairn_trace_search_scan().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_search_scan_arrays(struct cairn_space *space,
                                                                          struct cairn_range range);

/* Lists what was found.  *at is 0 before the first call; returns false after the last one. */
CAIRN_API bool cairn_trace_search_next(struct cairn_space *space, size_t *at,
                                       struct cairn_found_trace *found);

/* Returns true if more was found than the search keeps, so that some was left out. */
CAIRN_API bool cairn_trace_search_is_incomplete(const struct cairn_space *space);

/* Finds the Backtrace value at an address.  Returns NOT_FOUND if there is none, or UNREADABLE. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_found_trace_at(struct cairn_space *space,
                                                                uint64_t address,
                                                                struct cairn_found_trace *found);

/*
 * Reads the bytes of what was found.  They belong to the space, and are valid until the next call
 * of this function or of cairn_trace_read().  The outcomes are those of cairn_trace_read().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_found_trace_bytes(
	struct cairn_space *space, const struct cairn_found_trace *found,
	struct cairn_bytes *bytes);

/*
 * Reads the bytes of a backtrace at an address.  If `size` is 0, it reads until the backtrace ends,
 * is damaged, or meets unreadable memory, at most CAIRN_TRACE_BYTES_MAX bytes.  *bytes belongs to
 * the space as above.  Returns UNREADABLE if it cannot read the first byte, or one of `size` bytes;
 * UNSUPPORTED if `size` is above the limit; NO_MEMORY.
 */
enum { CAIRN_TRACE_BYTES_MAX = 1 << 24 };

CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_read(struct cairn_space *space,
                                                            uint64_t address, uint64_t size,
                                                            struct cairn_bytes *bytes);

/* A file that was loaded when the backtrace was taken. */
struct cairn_image {
	uint64_t base, end;                      /* pc; of its text */
	struct cairn_bytes build_id, path, name; /* empty if not known */
};

/*
 * Reads the images of what was found, as many as it can; *count is how many.  They belong to the
 * space, and are valid until the next call of this function.  Returns NOT_FOUND if it has none,
 * UNSUPPORTED if there are more than the space keeps, UNREADABLE or NO_MEMORY; those that were read
 * before are valid.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_found_trace_images(
	struct cairn_space *space, const struct cairn_found_trace *found, size_t *count);

/*
 * Finds the image whose text contains `pc`, among those that were read; false if there is none.
 * For a frame, `pc` is its cairn_frame_lookup_address().
 */
CAIRN_API bool cairn_found_trace_image(const struct cairn_space *space, uint64_t pc,
                                       struct cairn_image *image);

#ifdef __cplusplus
}
#endif

#endif
