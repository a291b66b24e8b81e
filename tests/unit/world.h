/* SPDX-License-Identifier: MIT */
/*
 * Targets made by hand: arrays at addresses, read as a debugger lends them.  Reads are counted, and
 * the nth can be refused, or left by longjmp() as debuggers leave theirs at Ctrl-C.
 *
 * The usual image has four pages:
 *
 *	0  header, program headers, the build ID's note
 *	1  code
 *	2  .sframe, from WORLD_FRAMES on .eh_frame, from WORLD_HEADER on .eh_frame_hdr
 *	3  data
 */
#ifndef CAIRN_TESTS_WORLD_H
#define CAIRN_TESTS_WORLD_H

#include "made.h"

#include <setjmp.h>

enum {
	WORLD_MAPS = 640,
	WORLD_PAGE = 4096,
	WORLD_CODE = 0x1000,
	WORLD_SFRAME = 0x2000,
	WORLD_FRAMES = 0x2800,
	WORLD_HEADER = 0x2c00,
	WORLD_DATA = 0x3000,
	WORLD_SIZE = 0x4000,
	WORLD_ID = 20, /* bytes of a build ID */
};

struct world {
	struct cairn_target target; /* reads this very world */
	struct world_map {
		uint64_t address;
		const uint8_t *data;
		size_t size;
	} maps[WORLD_MAPS];
	size_t count;
	unsigned long reads;
	unsigned long refuse_at, leave_at; /* which read, from 1; 0: none */
	jmp_buf out;
};

void world_init(struct world *world);

/* What was mapped last lies above. */
void world_map(struct world *world, uint64_t address, const void *data, size_t size);
void world_unmap(struct world *world, uint64_t address);

struct world_segment {
	uint32_t type, flags;
	uint64_t offset, va, size;
};

/* The header of a 64-bit image, and its segments. */
struct world_elf {
	uint16_t type, machine;
	uint64_t entry;
	bool big, no_sections;
	unsigned count;
	const struct world_segment *segments;
};

/* Begin `image` with them; it must be empty, and gets the byte order. */
void world_elf(struct out *image, const struct world_elf *elf);

/* What is special about a usual image; all zero: a shared object for amd64 linked at 0. */
struct world_image {
	uint64_t base; /* where it was linked to */
	uint64_t entry;
	enum cairn_machine machine;
	bool big, fixed;           /* fixed: not to be moved (ET_EXEC) */
	bool no_sframe, no_header; /* no segment for it */
	bool no_sections;
	uint8_t id;      /* each byte of its build ID */
	uint8_t version; /* of the table; 0: 2 */
	uint32_t count;
	const struct made_function *functions; /* starts counted from the base */
};

/* Make it: its first byte is the one at the base.  Bytes of code and CFI are for the test to put.
 */
void world_image(struct out *image, const struct world_image *about);

/*
 * Put an .eh_frame with one CIE and an FDE for each range at `at`, and behind them its end.  The
 * image is linked at `base`.  *end: where it ends; `places` (may be NULL): the FDEs.
 */
void world_frames(struct out *image, uint64_t base, size_t at, const struct cairn_range *ranges,
                  unsigned count, size_t *places, size_t *end);

/* Put an .eh_frame_hdr with a search table for them at `at`. */
void world_header(struct out *image, uint64_t base, size_t at, size_t frames,
                  const struct cairn_range *ranges, unsigned count, const size_t *places);

#endif
