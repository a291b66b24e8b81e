/* SPDX-License-Identifier: MIT */
/*
 * Swift's Backtrace values as they are in the memory of a 64-bit process (Swift 6.2, little-endian;
 * docs/formats/cbf.md has the layouts).  This looks at bytes that were read already and says what
 * to read next; traces/swift_backtrace_scan.h follows the pointers.
 *
 *	struct swift_value value;
 *	size_t at = 0;
 *	while (swift_next_value(block, &at, &value))
 *		... value.array points to an array object with the bytes in CBF
 *
 * A block begins at an address that 8 divides.  When memory is read in blocks, they overlap by
 * SWIFT_VALUE_SIZE bytes, so that no value is cut in two.
 */
#ifndef CAIRN_FORMATS_SWIFT_H
#define CAIRN_FORMATS_SWIFT_H

#include <cairn.h>

enum {
	SWIFT_ALIGNMENT = 8,
	SWIFT_VALUE_SIZE = 56,   /* a Backtrace with its padding */
	SWIFT_VALUE_HEAD = 24,   /* architecture and pointer to the bytes */
	SWIFT_ARRAY_HEADER = 32, /* then the elements */
	SWIFT_IMAGE_SIZE = 56,   /* an element of the array of images */
	SWIFT_STRING_SIZE = 16,
};

/* What looks like a Backtrace. */
struct swift_value {
	size_t offset; /* in the block */
	const char *architecture;
	uint64_t array;  /* address of the array object of its bytes */
	uint64_t images; /* of its images; 0 when there are none, or the block ends before */
};

/*
 * The next value at *at or after it, in steps of SWIFT_ALIGNMENT; *at moves past it.  False when
 * there is none: then *at is where the next block has to begin, if there is one.
 */
bool swift_next_value(struct cairn_bytes block, size_t *at, struct swift_value *value);

/* The same for array objects of one class. */
bool swift_next_array(struct cairn_bytes block, uint64_t isa, size_t *at, size_t *offset);

/* The header of an array object. */
struct swift_array {
	uint64_t isa, count, capacity;
};

/* False when no sound array of at least one element begins so. */
bool swift_array(const uint8_t header[SWIFT_ARRAY_HEADER], struct swift_array *array);

/* A string: its bytes, or where they are. */
struct swift_string {
	uint64_t size;
	uint64_t address; /* 0: they are in `inlined` */
	uint8_t inlined[SWIFT_STRING_SIZE];
};

/* False for nil, and for what is not a string. */
bool swift_string(const uint8_t words[SWIFT_STRING_SIZE], struct swift_string *string);

/* An element of the array of images. */
struct swift_image {
	bool has_path;
	struct swift_string path;
	uint64_t build_id; /* address of an array object; 0 when there is none */
	uint64_t base, end;
};

void swift_image(const uint8_t element[SWIFT_IMAGE_SIZE], struct swift_image *image);

#endif
