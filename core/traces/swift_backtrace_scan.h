/* SPDX-License-Identifier: MIT */
/*
 * Finds Swift backtraces in the memory of a process or core. The caller passes all readable memory
 * block by block; the scan follows pointers through the target.
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
 * Memory often contains a hundred copies of a Backtrace value, on stacks and in freed memory, but
 * each byte array is reported only once. Byte arrays are recognized by their class, whose address
 * is the same throughout a process and shared by most candidates.
 */
#ifndef CAIRN_TRACES_SWIFT_BACKTRACE_SCAN_H
#define CAIRN_TRACES_SWIFT_BACKTRACE_SCAN_H

#include <cairn.h>

#include "loaded_images.h"

#include "base/table.h"

enum {
	SWIFT_SCAN_TRACES_MAX = 1 << 20,
	/* maximum size of a byte array; a million frames take about 5 MB */
	SWIFT_SCAN_BYTES_MAX = 1 << 24,
	SWIFT_SCAN_IMAGES_MAX = 1 << 14,
	/* maximum size of a build ID, as for image maps in newer Swift releases */
	SWIFT_SCAN_BUILD_ID_MAX = 1024,
	/*
	 * Limits on the work that hostile memory can cause: number of bytes to decode, in addition
	 * to four times the scanned size, and total number of images to read.
	 */
	SWIFT_SCAN_DECODE_SLACK = 1 << 26,
	SWIFT_SCAN_ALL_IMAGES_MAX = 1 << 22,
};

enum swift_scan_kind {
	SWIFT_SCAN_VALUE,   /* a Backtrace whose byte array is undamaged */
	SWIFT_SCAN_DAMAGED, /* a Backtrace whose byte array is damaged after some valid frames */
	/* a byte array that decodes as a backtrace, but that no Backtrace refers to */
	SWIFT_SCAN_ARRAY,
};

struct swift_scan_trace {
	enum swift_scan_kind kind;
	uint64_t array;
	uint64_t size;
	uint64_t isa;
	const char *architecture; /* NULL for SWIFT_SCAN_ARRAY */
	uint64_t images;          /* address of the array of images; 0 if unknown */
	uint64_t copies;
	bool has_frames, sound;
};

struct swift_scan {
	const struct cairn_target *target;
	/* candidates, sorted by address after swift_scan_resolve() */
	struct swift_scan_trace *trace;
	size_t count, capacity;
	/* maps the address of a byte array to its index in trace[] plus 1 */
	struct slot_table slots;
	uint64_t isa; /* class of byte arrays; 0 while unknown */
	uint64_t scanned, decoded, images_decoded;
	bool gave_up;
	uint8_t *scratch;
	size_t scratch_size;
};

void swift_scan_init(struct swift_scan *finder, const struct cairn_target *target);
void swift_scan_finish(struct swift_scan *finder);

/*
 * Search a block of memory for Backtrace values. `address` is the start of the block, and must be a
 * multiple of 8.
 */
CAIRN_MUST_USE enum cairn_status swift_scan_block(struct swift_scan *finder, uint64_t address,
                                                  struct cairn_bytes block);

/* Determine the class of byte arrays from the candidates, and drop candidates of other classes. */
void swift_scan_resolve(struct swift_scan *finder);

/*
 * Search a block of memory for byte arrays that contain backtraces but that no Backtrace refers to.
 * Call this after swift_scan_resolve().
 */
CAIRN_MUST_USE enum cairn_status swift_scan_block_arrays(struct swift_scan *finder,
                                                         uint64_t address,
                                                         struct cairn_bytes block);

/* Read the byte array of a trace. *bytes is valid until the next call on the finder. */
CAIRN_MUST_USE enum cairn_status swift_scan_read_bytes(struct swift_scan *finder,
                                                       const struct swift_scan_trace *trace,
                                                       struct cairn_bytes *bytes);

/*
 * Read the images of a trace as far as they are readable, and sort them for loaded_images_find().
 */
CAIRN_MUST_USE enum cairn_status swift_scan_read_images(struct swift_scan *finder,
                                                        const struct swift_scan_trace *trace,
                                                        struct loaded_images *images);

#endif
