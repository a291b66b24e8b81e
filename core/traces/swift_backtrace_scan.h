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
 * Memory often holds a value a hundred times, as copies on stacks and in freed memory; each byte
 * array is reported once. An array is recognized by its class: its address is the same throughout a
 * process, and most candidates share it.
 */
#ifndef CAIRN_TRACES_SWIFT_BACKTRACE_SCAN_H
#define CAIRN_TRACES_SWIFT_BACKTRACE_SCAN_H

#include <cairn.h>

#include "loaded_images.h"

#include "base/table.h"

enum {
	SWIFT_SCAN_TRACES_MAX = 1 << 20,
	SWIFT_SCAN_BYTES_MAX = 1 << 24, /* bytes per array; a million frames take about 5 MB */
	SWIFT_SCAN_IMAGES_MAX = 1 << 14,
	SWIFT_SCAN_BUILD_ID_MAX = 1024, /* limit of newer Swift's image maps */
	/*
	 * Bounds for hostile memory: bytes decoded in vain beyond the scanned size, and total
	 * images.
	 */
	SWIFT_SCAN_DECODE_SLACK = 1 << 26,
	SWIFT_SCAN_ALL_IMAGES_MAX = 1 << 22,
};

enum swift_scan_kind {
	SWIFT_SCAN_VALUE,   /* a Backtrace with valid bytes */
	SWIFT_SCAN_DAMAGED, /* a Backtrace with invalid bytes, but with frames before the damage */
	SWIFT_SCAN_ARRAY,   /* an array of valid bytes without a Backtrace around it */
};

struct swift_scan_trace {
	enum swift_scan_kind kind;
	uint64_t array;
	uint64_t size;
	uint64_t isa;
	const char *architecture; /* NULL for a bare array */
	uint64_t images;          /* address of the image array object, or 0 */
	uint64_t copies;
	bool has_frames, sound;
};

struct swift_scan {
	const struct cairn_target *target;
	/* candidates; sorted by address after swift_scan_resolve() */
	struct swift_scan_trace *trace;
	size_t count, room;
	struct slot_table slots; /* trace[] by array address; values are index + 1 */
	uint64_t isa;            /* class of byte arrays; 0 while unknown */
	uint64_t scanned, decoded, images_decoded;
	bool gave_up;
	uint8_t *scratch;
	size_t scratch_size;
};

void swift_scan_init(struct swift_scan *finder, const struct cairn_target *target);
void swift_scan_finish(struct swift_scan *finder);

/* Look for values in a block whose first byte is at `address`, a multiple of 8. */
CAIRN_MUST_USE enum cairn_status swift_scan_block(struct swift_scan *finder, uint64_t address,
                                                  struct cairn_bytes block);

/*
 * Learn the class of byte arrays from the candidates, and keep only the candidates of this class.
 */
void swift_scan_resolve(struct swift_scan *finder);

/*
 * Look for byte arrays that are backtraces although no value refers to them. Call after
 * swift_scan_resolve().
 */
CAIRN_MUST_USE enum cairn_status swift_scan_block_arrays(struct swift_scan *finder,
                                                         uint64_t address,
                                                         struct cairn_bytes block);

/* Read the bytes of a trace. Valid until the next call on the finder. */
CAIRN_MUST_USE enum cairn_status swift_scan_read_bytes(struct swift_scan *finder,
                                                       const struct swift_scan_trace *trace,
                                                       struct cairn_bytes *bytes);

/* Read the images of a trace, as far as they are readable, sorted for loaded_images_find(). */
CAIRN_MUST_USE enum cairn_status swift_scan_read_images(struct swift_scan *finder,
                                                        const struct swift_scan_trace *trace,
                                                        struct loaded_images *images);

#endif
