/* SPDX-License-Identifier: MIT */
/*
 * The Swift backtraces in the memory of a process or core: give it all readable memory block by
 * block, and it follows the pointers through the target.
 *
 *	struct swift_scan finder;
 *	swift_scan_init(&finder, &target);
 *	status = swift_scan_block(&finder, address, block);        ... for all memory, in any order
 *	swift_scan_resolve(&finder);
 *	status = swift_scan_block_arrays(&finder, address, block); ... all again, for bare arrays
 *	for (size_t i = 0; i < finder.count; i++)
 *		status = swift_scan_read_bytes(&finder, &finder.trace[i], &bytes);
 *	swift_scan_finish(&finder);
 *
 * A value is often in memory a hundred times, as copies on stacks and in freed memory; each
 * array of bytes is reported once.  What proves an array is its class: one address in each process,
 * which most candidates share.
 */
#ifndef CAIRN_TRACES_SWIFT_BACKTRACE_SCAN_H
#define CAIRN_TRACES_SWIFT_BACKTRACE_SCAN_H

#include <cairn.h>

#include "loaded_images.h"

#include "base/table/slot_table.h"

enum {
	SWIFT_SCAN_TRACES_MAX = 1 << 20,
	SWIFT_SCAN_BYTES_MAX = 1 << 24, /* of one array; a million frames take some 5 MB */
	SWIFT_SCAN_IMAGES_MAX = 1 << 14,
	SWIFT_SCAN_BUILD_ID_MAX = 1024, /* as in newer Swift's image maps */
	/* Decoded for nothing beyond what was scanned, and images in all: bounds for hostile
	   memory. */
	SWIFT_SCAN_DECODE_SLACK = 1 << 26,
	SWIFT_SCAN_ALL_IMAGES_MAX = 1 << 22,
};

enum swift_scan_kind {
	SWIFT_SCAN_VALUE,   /* a Backtrace whose bytes are sound */
	SWIFT_SCAN_DAMAGED, /* a Backtrace whose bytes are not, but have frames before the damage */
	SWIFT_SCAN_ARRAY,   /* an array of bytes that are sound, without a Backtrace around it */
};

struct swift_scan_trace {
	enum swift_scan_kind kind;
	uint64_t array; /* address of the array object */
	uint64_t size;  /* bytes in it */
	uint64_t isa;
	const char *architecture; /* NULL for a bare array */
	uint64_t images;          /* address of the array object; 0 when there are none */
	uint64_t copies;          /* values that have this array */
	bool has_frames, sound;   /* how its bytes decode */
};

struct swift_scan {
	const struct cairn_target *target;
	struct swift_scan_trace *trace; /* candidates; by address after swift_scan_resolve() */
	size_t count, room;
	struct slot_table slots; /* of trace[] by their arrays, each by its index + 1 */
	uint64_t isa;            /* of arrays of bytes; 0 while it is not known */
	uint64_t scanned, decoded, images_decoded;
	bool gave_up; /* a bound was hit, and candidates were left out */
	uint8_t *scratch;
	size_t scratch_size;
};

/* `target` stays the caller's. */
void swift_scan_init(struct swift_scan *finder, const struct cairn_target *target);
void swift_scan_finish(struct swift_scan *finder);

/* Look for values in a block whose first byte is at `address`, a multiple of 8. */
CAIRN_MUST_USE enum cairn_status swift_scan_block(struct swift_scan *finder, uint64_t address,
                                                  struct cairn_bytes block);

/* Learn the class of arrays of bytes from the candidates, and keep those that are real. */
void swift_scan_resolve(struct swift_scan *finder);

/* After that: look for arrays of bytes that are backtraces though no value holds them. */
CAIRN_MUST_USE enum cairn_status swift_scan_block_arrays(struct swift_scan *finder,
                                                         uint64_t address,
                                                         struct cairn_bytes block);

/* The bytes of a trace; good until the next call on the finder. */
CAIRN_MUST_USE enum cairn_status swift_scan_read_bytes(struct swift_scan *finder,
                                                       const struct swift_scan_trace *trace,
                                                       struct cairn_bytes *bytes);

/* The images that came with it, as many as can be read, sorted for loaded_images_find(). */
CAIRN_MUST_USE enum cairn_status swift_scan_read_images(struct swift_scan *finder,
                                                        const struct swift_scan_trace *trace,
                                                        struct loaded_images *images);

#endif
