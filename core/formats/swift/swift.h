/* SPDX-License-Identifier: MIT */
/*
 * Finds and decodes values of Swift's type Backtrace in the memory of a 64-bit process (Swift 6.2,
 * little-endian; docs/formats/cbf.md has the layouts). These functions only decode bytes that the
 * caller has read, and return the addresses to read next; traces/swift_backtrace_scan.h follows the
 * pointers.
 *
 *	struct swift_value value;
 *	size_t at = 0;
 *	while (swift_next_value(block, &at, &value))
 *		... value.array points to an array object with the bytes in CBF
 *
 * A block must start at a multiple of 8. A caller that reads memory in blocks should overlap them
 * by SWIFT_VALUE_SIZE bytes, so that no value is split.
 */
#ifndef CAIRN_FORMATS_SWIFT_H
#define CAIRN_FORMATS_SWIFT_H

#include <cairn.h>

enum {
	SWIFT_ALIGNMENT = 8,
	SWIFT_VALUE_SIZE = 56, /* size of a Backtrace including padding */
	/* size of the first two fields in a Backtrace: architecture, and pointer to the bytes */
	SWIFT_VALUE_HEAD = 24,
	SWIFT_ARRAY_HEADER = 32,
	SWIFT_IMAGE_SIZE = 56,
	SWIFT_STRING_SIZE = 16,
};

/* A location that looks like a Backtrace, `offset` bytes after the start of the block. */
struct swift_value {
	size_t offset;
	const char *architecture;
	uint64_t array; /* address of the array object that contains the bytes in CBF */
	/*
	 * address of the array object that contains the images; 0 if absent or past the end of the
	 * block
	 */
	uint64_t images;
};

/*
 * Find the next candidate at or after *at, in steps of SWIFT_ALIGNMENT, and move *at past it.
 * Return false if there are no more candidates; *at is then the offset at which the caller should
 * start the next block.
 */
bool swift_next_value(struct cairn_bytes block, size_t *at, struct swift_value *value);

/* Like swift_next_value(), but find array objects of the class `isa`. */
bool swift_next_array(struct cairn_bytes block, uint64_t isa, size_t *at, size_t *offset);

struct swift_array {
	uint64_t isa, count, capacity;
};

/*
 * Decode the header of an array object. Return false if it is not a valid array of at least one
 * element.
 */
bool swift_array(const uint8_t header[SWIFT_ARRAY_HEADER], struct swift_array *array);

struct swift_string {
	uint64_t size;
	uint64_t address; /* 0 if the contents are in `inlined` */
	uint8_t inlined[SWIFT_STRING_SIZE];
};

/* Decode a string. Return false for nil and for bytes that are not a string. */
bool swift_string(const uint8_t words[SWIFT_STRING_SIZE], struct swift_string *string);

struct swift_image {
	bool has_path;
	struct swift_string path;
	uint64_t build_id; /* address of the array object with the build ID, 0 if absent */
	uint64_t base, end;
};

void swift_image(const uint8_t element[SWIFT_IMAGE_SIZE], struct swift_image *image);

#endif
