/* SPDX-License-Identifier: MIT */
/*
 * The Swift backtraces in the memory of a process or core: give it all readable memory block by
 * block, and it follows the pointers through the target.
 *
 *	struct finder finder;
 *	finder_init(&finder, &target);
 *	finder_scan(&finder, address, block)        ... for all memory, in any order
 *	finder_settle(&finder);
 *	finder_scan_arrays(&finder, address, block) ... all of it again, for bare arrays of bytes
 *	for (size_t i = 0; i < finder.count; i++)
 *		... finder_bytes(&finder, &finder.trace[i], &bytes)
 *	finder_finish(&finder);
 *
 * A value often lies in memory a hundred times, as copies on stacks and in freed memory; each
 * array of bytes is told once.  What proves an array is its class: one address in each process,
 * which most candidates share.
 */
#ifndef CAIRN_ENGINE_BACKTRACES_SWIFT_BACKTRACE_SCAN_H
#define CAIRN_ENGINE_BACKTRACES_SWIFT_BACKTRACE_SCAN_H

#include <cairn.h>

#include "loaded_images.h"

enum {
	FINDER_TRACES_MAX = 1 << 20,
	FINDER_BYTES_MAX = 1 << 24, /* of one array; a million frames take some 5 MB */
	FINDER_IMAGES_MAX = 1 << 14,
	FINDER_BUILD_ID_MAX = 1024, /* as in newer Swift's image maps */
	/* Decoded for nothing beyond what was scanned, and images in all: bounds for hostile
	   memory. */
	FINDER_SLACK = 1 << 26,
	FINDER_ALL_IMAGES_MAX = 1 << 22,
};

enum finder_kind {
	FINDER_VALUE,   /* a Backtrace whose bytes are sound */
	FINDER_DAMAGED, /* a Backtrace whose bytes are not, but have frames before the damage */
	FINDER_ARRAY,   /* an array of bytes that are sound, without a Backtrace around it */
};

struct finder_trace {
	enum finder_kind kind;
	uint64_t array; /* address of the array object */
	uint64_t size;  /* bytes in it */
	uint64_t isa;
	const char *architecture; /* NULL for a bare array */
	uint64_t images;          /* address of the array object; 0 when there are none */
	uint64_t copies;          /* values that have this array */
	bool has_frames, sound;   /* how its bytes decode */
};

struct finder {
	const struct cairn_target *target;
	struct finder_trace *trace; /* candidates; by address after finder_settle() */
	size_t count, room;
	size_t *slot; /* which candidate has an array: number + 1; 0 when free */
	size_t slots;
	uint64_t isa; /* of arrays of bytes; 0 while it is not known */
	uint64_t scanned, decoded, images_read;
	bool gave_up; /* a bound was hit, and candidates were left out */
	uint8_t *scratch;
	size_t scratch_size;
};

/* `target` stays the caller's. */
void finder_init(struct finder *finder, const struct cairn_target *target);
void finder_finish(struct finder *finder);

/* Look for values in a block whose first byte lies at `address`, a multiple of 8. */
CAIRN_MUST_USE enum cairn_status finder_scan(struct finder *finder, uint64_t address,
                                             struct cairn_bytes block);

/* Learn the class of arrays of bytes from the candidates, and keep those that are real. */
void finder_settle(struct finder *finder);

/* After that: look for arrays of bytes that are backtraces though no value holds them. */
CAIRN_MUST_USE enum cairn_status finder_scan_arrays(struct finder *finder, uint64_t address,
                                                    struct cairn_bytes block);

/* The bytes of a trace; good until the next call on the finder. */
CAIRN_MUST_USE enum cairn_status finder_bytes(struct finder *finder,
                                              const struct finder_trace *trace,
                                              struct cairn_bytes *bytes);

/* The images that came with it, as many as can be read, sorted for images_find(). */
CAIRN_MUST_USE enum cairn_status finder_images(struct finder *finder,
                                               const struct finder_trace *trace,
                                               struct images *images);

#endif
