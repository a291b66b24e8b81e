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
 * It allocates nothing, and there is nothing to free. The bytes are borrowed until the last call.
 */
struct cairn_trace {
	bool cut;                 /* the producer left out the outermost frames */
	unsigned word_bits;       /* size of a machine word; 0 if unknown */
	size_t consumed;          /* bytes of this backtrace; final after the last run */
	struct cairn_fault fault; /* CAIRN_OK unless the bytes are damaged */
	uint64_t state[16];       /* private to cairn */
};

/* Begin to read a backtrace. Always succeeds: damage is reported in trace->fault. */
CAIRN_API void cairn_trace_open(struct cairn_bytes bytes, struct cairn_trace *trace);

/* Read the next run of frames, outwards. Returns false at the end, or at damage. */
CAIRN_API bool cairn_trace_next(struct cairn_trace *trace, struct cairn_frame *run);

/*
 * Return how the backtrace ended, for scripts: "end", "trunc" (its producer truncated it), "eof"
 * (the bytes end too early), or a phrase for the damage. The string is a constant.
 */
CAIRN_API const char *cairn_trace_end_name(const struct cairn_trace *trace);

/* Kinds of objects that a search finds in the memory of a 64-bit Swift program. */
enum cairn_found_trace_kind {
	CAIRN_FOUND_TRACE_VALUE,   /* a Backtrace whose bytes are valid */
	CAIRN_FOUND_TRACE_DAMAGED, /* a Backtrace whose bytes are damaged */
	CAIRN_FOUND_TRACE_ARRAY,   /* an array of valid bytes without a Backtrace around it */
};

struct cairn_found_trace {
	enum cairn_found_trace_kind kind;
	uint64_t array; /* address of the array object that contains the bytes */
	uint64_t size;  /* number of bytes */
	/* address of the class of byte arrays; the same throughout a process */
	uint64_t class_address;
	uint64_t images;          /* address of the array of the backtrace's images, or 0 */
	uint64_t copies;          /* number of Backtrace values that share the array */
	const char *architecture; /* a constant; NULL for a bare array */
};

/*
 * To search the target, begin, scan every writable range of memory, resolve, and list the results:
 *
 *	status = cairn_trace_search_begin(space);
 *	for (size_t i = 0; i < count; i++)
 *		status = cairn_trace_search_scan(space, range[i]);
 *	cairn_trace_search_resolve(space);
 *	for (size_t at = 0; cairn_trace_search_next(space, &at, &found);)
 *		status = cairn_found_trace_bytes(space, &found, &bytes);
 *
 * Memory contains many copies of a value; the search lists each array once, by ascending address.
 * It reads memory in blocks and skips unreadable ones. The limit on unreadable pages bounds the
 * time that a sparse range can take.
 */
enum { CAIRN_TRACE_SEARCH_HOLES_MAX = 1 << 20 };

/*
 * Begin a search and forget the results of the previous one. Returns NO_MEMORY if memory is short.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_search_begin(struct cairn_space *space);

/*
 * Scan a range of addresses (pc). Returns UNSUPPORTED if the search has met
 * CAIRN_TRACE_SEARCH_HOLES_MAX unreadable pages in all its ranges together; it has then searched up
 * to that point. Returns NO_MEMORY if memory is short.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_search_scan(struct cairn_space *space,
                                                                   struct cairn_range range);

/* End the scan: decide which of the findings are backtraces. */
CAIRN_API void cairn_trace_search_resolve(struct cairn_space *space);

/*
 * Scan a range again after resolving, for byte arrays that are backtraces although no value refers
 * to them. Returns the same statuses as cairn_trace_search_scan().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_search_scan_arrays(struct cairn_space *space,
                                                                          struct cairn_range range);

/* List the findings. *at is 0 before the first call. Returns false after the last one. */
CAIRN_API bool cairn_trace_search_next(struct cairn_space *space, size_t *at,
                                       struct cairn_found_trace *found);

/* Return true if there were more findings than the search keeps, so that some were left out. */
CAIRN_API bool cairn_trace_search_is_incomplete(const struct cairn_space *space);

/*
 * Find the Backtrace value at an address. Returns NOT_FOUND if there is no such value, or
 * UNREADABLE.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_found_trace_at(struct cairn_space *space,
                                                                uint64_t address,
                                                                struct cairn_found_trace *found);

/*
 * Read the bytes of a finding. They belong to the space and are valid until the next call of this
 * function or of cairn_trace_read(). Returns the same statuses as cairn_trace_read().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_found_trace_bytes(
	struct cairn_space *space, const struct cairn_found_trace *found,
	struct cairn_bytes *bytes);

/*
 * Read the bytes of a backtrace at an address. If `size` is 0, it reads until the backtrace ends,
 * is damaged, or meets unreadable memory, at most CAIRN_TRACE_BYTES_MAX bytes. *bytes belongs to
 * the space, as above. Returns UNREADABLE if it cannot read the first byte, or one of `size` bytes;
 * UNSUPPORTED if `size` is above the limit; NO_MEMORY.
 */
enum { CAIRN_TRACE_BYTES_MAX = 1 << 24 };

CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_read(struct cairn_space *space,
                                                            uint64_t address, uint64_t size,
                                                            struct cairn_bytes *bytes);

/* A file that was loaded when the backtrace was taken. */
struct cairn_image {
	uint64_t base, end;                      /* pc range of its code */
	struct cairn_bytes build_id, path, name; /* empty if unknown */
};

/*
 * Read the images of a finding, as many as possible, and store their number in *count. They belong
 * to the space and are valid until the next call of this function. Returns NOT_FOUND if the finding
 * does not have images, UNSUPPORTED if there are more than the space keeps, UNREADABLE or
 * NO_MEMORY; images read before the failure are valid.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_found_trace_images(
	struct cairn_space *space, const struct cairn_found_trace *found, size_t *count);

/*
 * Find the image whose code contains `pc`, among the images that were read last. Returns false if
 * no image contains it. For a frame, pass cairn_frame_lookup_address() as `pc`.
 */
CAIRN_API bool cairn_found_trace_image(const struct cairn_space *space, uint64_t pc,
                                       struct cairn_image *image);

#ifdef __cplusplus
}
#endif

#endif
