/* SPDX-License-Identifier: MIT */
/*
 * The layout of an object:
 *
 *	file header, section headers (fixed ones, then one for each run), abbreviations,
 *	names, symbols, .debug_frame, .debug_info, .debug_ranges, .debug_line
 *
 * The unused rest of each part is zero, which is valid: null symbols, terminators of frames and
 * DIEs, and null section headers. The line program ends at its declared length, which is therefore
 * increased last when the program grows. File names are inside of its header, which has a fixed
 * size; the unused rest is the name of a dummy file.
 */
#ifndef CAIRN_JIT_PRODUCER_OBJECT_LAYOUT_H
#define CAIRN_JIT_PRODUCER_OBJECT_LAYOUT_H

#include "object.h"

#include <elf.h>
#include <string.h>

enum {
	SECTION_NAMES = 1,
	SECTION_SYMBOLS,
	SECTION_FRAMES,
	SECTION_ABBREVIATIONS,
	SECTION_DIES,
	SECTION_RANGES,
	SECTION_LINES,
	SECTION_STRINGS, /* .debug_str, which consists of the same bytes as the symbol names */
	SECTION_FIRST_RUN,

	ABBREVIATION_UNIT = 1,
	ABBREVIATION_FUNCTION = 2,
	/* same size as a function, but with an undefined tag and attributes */
	ABBREVIATION_REMOVED = 3,

	DIE_BYTES = 1 + 4 + 8 + 4 + 2 + 4,
	DIE_NAME = 1, /* offsets in the DIE of a function */
	DIE_START = 5,
	DIE_SIZE = 13,
	DIE_FILE = 17,
	DIE_LINE = 19,

	FDE_HEADER = 4 + 4 + 8 + 8, /* bytes before the instructions */
	SEQUENCE_HEAD = 11 + 3,     /* operations that set the address and the file */
	SEQUENCE_END = 3,
	RUN_BYTES = 16,    /* in .debug_ranges; the section header is extra */
	FILES_END = 6,     /* after the files: a file with a one-byte name, and the terminator */
	FILE_MAX = 0x3fff, /* file numbers are encoded in two bytes */
};

CAIRN_JIT_INTERNAL Elf64_Shdr *cairn_jit_section(const struct cairn_jit_object *object,
                                                 uint32_t number);

/* Return the number of bytes before the first function of a part. */
CAIRN_JIT_INTERNAL uint32_t cairn_jit_layout_used(enum cairn_jit_part part);

/* Return the size of a part's terminator, after its last function. */
static inline uint32_t cairn_jit_part_end(enum cairn_jit_part part)
{
	static const uint8_t ends[PART_COUNT] = {
		[PART_DIES] = 1, [PART_FILES] = FILES_END, [PART_RUNS] = RUN_BYTES
	};

	return ends[part];
}

CAIRN_JIT_INTERNAL uint8_t *cairn_jit_locate_die(const struct cairn_jit_object *object,
                                                 uint32_t slot);

/* Access unaligned little-endian numbers; all machines of machine.h are little-endian. */
static inline void cairn_jit_store_number(uint8_t *at, uint64_t value, size_t size)
{
	memcpy(at, &value, size);
}

static inline uint64_t cairn_jit_load_number(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, at, size);
	return value;
}

#endif
