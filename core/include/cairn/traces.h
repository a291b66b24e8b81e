/* SPDX-License-Identifier: MIT */
/* Part of <cairn.h>: reads recorded backtraces in Swift's Compact Backtrace Format. */
#ifndef CAIRN_INCLUDE_TRACES_H
#define CAIRN_INCLUDE_TRACES_H

#include <cairn/base.h>
#include <cairn/unwind.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A backtrace that a program has recorded: bytes in Swift's Compact Backtrace Format
 * (docs/formats/cbf.md).
 *
 *	struct cairn_trace trace;
 *	struct cairn_frame run;
 *	cairn_trace_open(bytes, &trace);
 *	while (cairn_trace_next(&trace, &run))
 *		...            innermost first; adjacent equal frames are one run
 *	if (trace.fault.status != CAIRN_OK)
 *		...            the rest is damaged; all frames before the damage are valid
 *
 * Reading allocates nothing, so there is nothing to free. The bytes are borrowed until the last
 * call.
 */
struct cairn_trace {
	bool cut; /* the program that recorded the backtrace omitted the outermost frames */
	unsigned word_bits; /* size of a machine word in bits; 0 if unknown */
	size_t consumed;    /* size of the encoded backtrace in bytes; final after the last run */
	struct cairn_fault fault; /* CAIRN_OK unless the bytes are damaged */
	uint64_t state[16];       /* private to cairn */
};

/* Begin to read a backtrace. This cannot fail: damage is reported in trace->fault. */
CAIRN_API void cairn_trace_open(struct cairn_bytes bytes, struct cairn_trace *trace);

/*
 * Read the next run of frames, starting with the innermost. Returns false at the end or at damage.
 */
CAIRN_API bool cairn_trace_next(struct cairn_trace *trace, struct cairn_frame *run);

/*
 * Return a constant identifier for the way in which the backtrace ended: "end", "trunc" (the
 * recording program truncated it), "eof" (the bytes end too early), or a phrase that describes the
 * damage.
 */
CAIRN_API const char *cairn_trace_end_name(const struct cairn_trace *trace);

/*
 * Kinds of objects that a search finds in the memory of a 64-bit Swift program. A Backtrace is a
 * Swift value with an array of bytes in Compact Backtrace Format.
 */
enum cairn_found_trace_kind {
	CAIRN_FOUND_TRACE_VALUE,   /* a Backtrace whose bytes are valid */
	CAIRN_FOUND_TRACE_DAMAGED, /* a Backtrace whose bytes are damaged */
	/* a byte array that is an encoded backtrace, but to which no Backtrace refers */
	CAIRN_FOUND_TRACE_ARRAY,
};

struct cairn_found_trace {
	enum cairn_found_trace_kind kind;
	uint64_t array; /* address of the array object that contains the encoded backtrace */
	uint64_t size;  /* size of the encoded backtrace in bytes */
	/* address of the byte array class, which is the same throughout a process */
	uint64_t class_address;
	uint64_t images; /* address of the array with the backtrace's images, or 0 */
	uint64_t copies; /* number of Backtrace values that share the array */
	/* constant name of the architecture; NULL if no Backtrace refers to the array */
	const char *architecture;
};

/*
 * Search the target's memory for backtraces: begin, scan every writable range, resolve, and list
 * the results.
 *
 *	status = cairn_trace_search_begin(space);
 *	for (size_t i = 0; i < count; i++)
 *		status = cairn_trace_search_scan(space, range[i]);
 *	cairn_trace_search_resolve(space);
 *	for (size_t at = 0; cairn_trace_search_next(space, &at, &found);)
 *		status = cairn_found_trace_bytes(space, &found, &bytes);
 *
 * Memory contains many copies of a value; the search lists each array once, in order of address.
 * Unreadable memory is skipped. The maximum number of unreadable pages bounds the time for sparse
 * ranges.
 */
enum { CAIRN_TRACE_SEARCH_HOLES_MAX = 1 << 20 };

/*
 * Begin a search and discard the previous search's results. Returns NO_MEMORY if allocation fails.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_search_begin(struct cairn_space *space);

/*
 * Scan the memory in a range of pc addresses. Stops and returns UNSUPPORTED when the search has
 * encountered CAIRN_TRACE_SEARCH_HOLES_MAX unreadable pages in all ranges together. Returns
 * NO_MEMORY if allocation fails.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_search_scan(struct cairn_space *space,
                                                                   struct cairn_range range);

/* End the scan, and determine which of the candidates are backtraces. */
CAIRN_API void cairn_trace_search_resolve(struct cairn_space *space);

/*
 * Scan a range again after cairn_trace_search_resolve(), for byte arrays that are encoded
 * backtraces although no Backtrace refers to them. Returns the same statuses as
 * cairn_trace_search_scan().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_search_scan_arrays(struct cairn_space *space,
                                                                          struct cairn_range range);

/* List the results. Set *at to 0 before the first call. Returns false after the last result. */
CAIRN_API bool cairn_trace_search_next(struct cairn_space *space, size_t *at,
                                       struct cairn_found_trace *found);

/* Return true if the search has dropped results because it has found too many. */
CAIRN_API bool cairn_trace_search_is_incomplete(const struct cairn_space *space);

/*
 * Find the Backtrace value at an address. Returns NOT_FOUND if there is no Backtrace at the
 * address, and UNREADABLE if the value, or the header of the array that it refers to, cannot be
 * read.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_found_trace_at(struct cairn_space *space,
                                                                uint64_t address,
                                                                struct cairn_found_trace *found);

/*
 * Read a result's encoded bytes. They belong to the space and are valid until the next call of this
 * function or of cairn_trace_read(). Returns the same statuses as cairn_trace_read().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_found_trace_bytes(
	struct cairn_space *space, const struct cairn_found_trace *found,
	struct cairn_bytes *bytes);

/*
 * Read an encoded backtrace at an address. If `size` is 0, it is read up to its end, up to damage
 * or up to unreadable memory, but at most CAIRN_TRACE_BYTES_MAX bytes. *bytes belongs to the space
 * and is valid until the next call of this function or of cairn_found_trace_bytes(). Returns
 * UNREADABLE if the first byte, or any of `size` bytes, cannot be read; UNSUPPORTED if `size` is
 * above the limit; NO_MEMORY.
 */
enum { CAIRN_TRACE_BYTES_MAX = 1 << 24 };

CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_read(struct cairn_space *space,
                                                            uint64_t address, uint64_t size,
                                                            struct cairn_bytes *bytes);

struct cairn_image {
	uint64_t base, end;                      /* pc range of the image's code */
	struct cairn_bytes build_id, path, name; /* empty if unknown */
};

/*
 * Read the images that were loaded when a backtrace was recorded, and store their number in *count.
 * They belong to the space and are valid until the next call of this function. Returns NOT_FOUND if
 * the backtrace has no images, UNSUPPORTED if it has more images than the space keeps, UNREADABLE
 * or NO_MEMORY; images that have been read before a failure are valid.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_found_trace_images(
	struct cairn_space *space, const struct cairn_found_trace *found, size_t *count);

/*
 * Find the image whose code contains `pc` among the images from the last call of
 * cairn_found_trace_images(). Returns false if no image contains it. To look up a frame, pass
 * cairn_frame_lookup_address() as `pc`.
 */
CAIRN_API bool cairn_found_trace_image(const struct cairn_space *space, uint64_t pc,
                                       struct cairn_image *image);

#ifdef __cplusplus
}
#endif

#endif
