/* SPDX-License-Identifier: MIT */
/*
 * Targets made by hand: arrays at addresses, read as a debugger lends them.  Reads are counted, and
 * the nth can be refused, or left by longjmp() as debuggers leave theirs at Ctrl-C.
 *
 * The usual image has four pages:
 *
 *	0  header, program headers, the build ID's note
 *	1  code
 *	2  .sframe, from FAKE_TARGET_FRAMES on .eh_frame, from FAKE_TARGET_HEADER on .eh_frame_hdr
 *	3  data
 */
#ifndef CAIRN_TESTS_UNIT_FAKE_TARGET_H
#define CAIRN_TESTS_UNIT_FAKE_TARGET_H

#include "fixture.h"

#include <setjmp.h>

enum {
	FAKE_TARGET_MAPS = 640,
	FAKE_TARGET_PAGE = 4096,
	FAKE_TARGET_CODE = 0x1000,
	FAKE_TARGET_SFRAME = 0x2000,
	FAKE_TARGET_FRAMES = 0x2800,
	FAKE_TARGET_HEADER = 0x2c00,
	FAKE_TARGET_DATA = 0x3000,
	FAKE_TARGET_SIZE = 0x4000,
	FAKE_TARGET_ID = 20, /* bytes of a build ID */
};

struct fake_target {
	struct cairn_target target; /* reads this very world */
	struct fake_target_map {
		uint64_t address;
		const uint8_t *data;
		size_t size;
	} maps[FAKE_TARGET_MAPS];
	size_t count;
	unsigned long reads;
	unsigned long refuse_at, leave_at; /* which read, from 1; 0: none */
	jmp_buf out;
};

void fake_target_init(struct fake_target *world);

/* What was mapped last lies above. */
void fake_target_map(struct fake_target *world, uint64_t address, const void *data, size_t size);
void fake_target_unmap(struct fake_target *world, uint64_t address);

struct fake_target_segment {
	uint32_t type, flags;
	uint64_t offset, va, size;
};

/* The header of a 64-bit image, and its segments. */
struct fake_target_elf {
	uint16_t type, machine;
	uint64_t entry;
	bool big, no_sections;
	unsigned count;
	const struct fake_target_segment *segments;
};

/* Begin `image` with them; it must be empty, and gets the byte order. */
void fake_target_elf(struct fixture_out *image, const struct fake_target_elf *elf);

/* What is special about a usual image; all zero: a shared object for amd64 linked at 0. */
struct fake_target_image {
	uint64_t base; /* where it was linked to */
	uint64_t entry;
	enum cairn_machine machine;
	bool big, fixed;           /* fixed: not to be moved (ET_EXEC) */
	bool no_sframe, no_header; /* no segment for it */
	bool no_sections;
	uint8_t id;      /* each byte of its build ID */
	uint8_t version; /* of the table; 0: 2 */
	uint32_t count;
	const struct fixture_function *functions; /* starts counted from the base */
};

/* Make it: its first byte is the one at the base.  Bytes of code and CFI are for the test to put.
 */
void fake_target_image(struct fixture_out *image, const struct fake_target_image *about);

/*
 * Put an .eh_frame with one CIE and an FDE for each range at `at`, and behind them its end.  The
 * image is linked at `base`.  *end: where it ends; `places` (may be NULL): the FDEs.
 */
void fake_target_frames(struct fixture_out *image, uint64_t base, size_t at,
                        const struct cairn_range *ranges, unsigned count, size_t *places,
                        size_t *end);

/* Put an .eh_frame_hdr with a search table for them at `at`. */
void fake_target_header(struct fixture_out *image, uint64_t base, size_t at, size_t frames,
                        const struct cairn_range *ranges, unsigned count, const size_t *places);

#endif
