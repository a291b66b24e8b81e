/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes the Compact ImageMap Format, in which Swift stores the images loaded in a
 * process, each with base, end of text, build ID and path. docs/formats/cbf.md describes the
 * format.
 *
 * Paths are built from prefixes that earlier paths define. The caller supplies the prefix table;
 * imagemap_prefixes() elements always suffice:
 *
 *	struct imagemap_prefix *prefixes = calloc(imagemap_prefixes(bytes), sizeof(*prefixes));
 *	struct imagemap map;
 *	imagemap_open(&map, bytes, prefixes, imagemap_prefixes(bytes));
 *	while (imagemap_next(&map, &image))
 *		... image.path is valid until the next call
 *	if (imagemap_is_error(map.outcome))
 *		... the images so far are valid
 *
 * Nothing here allocates. Reading an image takes at most as long as writing IMAGEMAP_PATH_MAX
 * bytes, whatever the input.
 */
#ifndef CAIRN_FORMATS_IMAGEMAP_H
#define CAIRN_FORMATS_IMAGEMAP_H

#include "base/byte_buffer.h"

#include <cairn.h>

enum {
	IMAGEMAP_PATH_MAX = 4096, /* PATH_MAX on Linux; longer paths are omitted */
	/* maximum nesting of prefixes; known encoders do not nest them */
	IMAGEMAP_NESTED_MAX = 32,
	IMAGEMAP_IMAGE_MIN = 5,
	IMAGEMAP_PLATFORM_MAX = 255,
};

enum imagemap_outcome {
	IMAGEMAP_MORE,
	IMAGEMAP_OK,
	IMAGEMAP_EMPTY,
	IMAGEMAP_VERSION,
	IMAGEMAP_SIZE,  /* the header contains the reserved word size */
	IMAGEMAP_SHORT, /* the input ends inside the platform, the count or an image */
	IMAGEMAP_COUNT, /* the number of images exceeds 64 bits */
};

/* Bit mask of deviations from the format that do not stop the reader. */
enum imagemap_warning {
	IMAGEMAP_WARNING_EMPTY_TEXT = 1, /* the end of an image is not after its base */
	IMAGEMAP_WARNING_LONG_PATH = 2,
	IMAGEMAP_WARNING_TRAILING = 4,
	/* a path was omitted because it refers to an unknown prefix */
	IMAGEMAP_WARNING_UNKNOWN_PREFIX = 8,
};

struct imagemap_image {
	uint64_t base;
	uint64_t end; /* end of the text segment */
	struct cairn_bytes build_id;
	struct cairn_bytes path; /* empty if absent or unknown */
};

/*
 * A prefix that later paths can refer to. Its string is the start of an earlier path, up to a
 * separator.
 */
struct imagemap_prefix {
	size_t at;   /* input offset of the first literal in the earlier path */
	size_t size; /* 0 if the string is unknown */
};

struct imagemap {
	struct cairn_bytes in;
	/* offset of the next byte to read or, after an error, of the invalid field or image */
	size_t at;
	enum imagemap_outcome outcome;
	unsigned warnings;
	unsigned word; /* size of a machine word: 2, 4 or 8 bytes, 0 if unknown */
	uint64_t mask;
	bool has_platform;
	struct cairn_bytes platform;
	uint64_t left; /* number of images not yet read, according to the count in the header */
	uint64_t base; /* base of the previous image, for relative bases */
	struct imagemap_prefix *prefixes;
	/* capacity of the prefix table, and number of prefixes defined so far */
	size_t capacity, known;
	size_t path_size;
	uint8_t path[IMAGEMAP_PATH_MAX];
};

/* Return an upper bound for the number of prefixes that the map defines. */
size_t imagemap_prefixes(struct cairn_bytes in);

/* Open a map. `prefixes` is borrowed until the map has been read. */
void imagemap_open(struct imagemap *map, struct cairn_bytes in, struct imagemap_prefix *prefixes,
                   size_t capacity);

/* Read the next image. Return false at the end; `outcome`, `at` and `warnings` are then final. */
bool imagemap_next(struct imagemap *map, struct imagemap_image *image);

bool imagemap_is_error(enum imagemap_outcome outcome);

struct cairn_fault imagemap_fault(const struct imagemap *map);

/* Return a stable identifier of the outcome for machine-readable output: "ok", "short", ... */
const char *imagemap_outcome_name(enum imagemap_outcome outcome);

/* Return the last component of a path, which may use '/' or '\' as the separator. */
struct cairn_bytes imagemap_name(struct cairn_bytes path);

enum imagemap_profile {
	IMAGEMAP_PROFILE_MINIMAL, /* encode each number in the minimum number of bytes */
	/*
	 * reproduce the output of Swift 6.2.3, including a bug: prefix indices from 320 on lack
	 * their upper byte
	 */
	IMAGEMAP_PROFILE_SWIFT,
};

/* A prefix that the encoder has defined. The slot is free if `size` is 0. */
struct imagemap_slot {
	const uint8_t *text;
	size_t size;
	uint32_t hash;
	uint64_t number;
};

/* Hash table of the prefixes that an encoder has defined. The caller supplies the memory. */
struct imagemap_slots {
	struct imagemap_slot *slot; /* array of `count` slots, which must be zeroed */
	size_t count;               /* power of two; see imagemap_slot_count() */
};

struct imagemap_encoder {
	struct sink out;
	enum imagemap_profile profile;
	unsigned word;
	struct imagemap_slots slots;
	uint64_t next_prefix;
	uint64_t left;
	uint64_t base;
	bool bad; /* some value does not fit the format, so imagemap_finish() fails */
};

struct imagemap_header {
	unsigned word; /* size of a machine word: 2, 4 or 8 bytes */
	struct cairn_bytes platform;
	uint64_t images;
};

/*
 * Return the number of slots that suffices for paths with this total number of separators ('/' and
 * '\').
 */
size_t imagemap_slot_count(size_t separators);
size_t imagemap_separators(struct cairn_bytes path);

/* Write the header. Paths passed to imagemap_put() must stay valid until imagemap_finish(). */
struct imagemap_encoder imagemap_encoder(struct sink out, enum imagemap_profile profile,
                                         const struct imagemap_header *header,
                                         struct imagemap_slots slots);
void imagemap_put(struct imagemap_encoder *encoder, const struct imagemap_image *image);

/*
 * Set *size to the size of the output. Return CAIRN_NO_MEMORY if the capacity is smaller; the
 * buffer is then invalid. Return CAIRN_MALFORMED if an address does not fit into a machine word,
 * the platform is too long, or the number of images written differs from the number in the header.
 */
CAIRN_MUST_USE enum cairn_status imagemap_finish(struct imagemap_encoder *encoder, size_t *size);

#endif
