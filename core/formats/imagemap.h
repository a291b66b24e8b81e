/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes the Compact ImageMap Format, in which Swift stores the images loaded in a
 * process, each with base, end of text, build ID and path. docs/formats/cbf.md describes it
 * together with the backtraces that it belongs to.
 *
 * Paths are built from prefixes that earlier paths define. The caller supplies the table of
 * prefixes; imagemap_prefixes() entries are always sufficient:
 *
 *	struct imagemap_prefix *prefixes = calloc(imagemap_prefixes(bytes), sizeof(*prefixes));
 *	struct imagemap map;
 *	imagemap_open(&map, bytes, prefixes, imagemap_prefixes(bytes));
 *	while (imagemap_next(&map, &image))
 *		... image.path is good until the next call
 *	if (imagemap_is_error(map.outcome))
 *		... the images so far are good
 *
 * Nothing here allocates. For any input, an image takes at most the time to write IMAGEMAP_PATH_MAX
 * bytes.
 */
#ifndef CAIRN_FORMATS_IMAGEMAP_H
#define CAIRN_FORMATS_IMAGEMAP_H

#include "base/byte_buffer.h"

#include <cairn.h>

enum {
	IMAGEMAP_PATH_MAX = 4096, /* limit of Linux; longer paths are omitted */
	IMAGEMAP_NESTED_MAX = 32, /* nesting of prefixes; real encoders do not nest them */
	IMAGEMAP_IMAGE_MIN = 5,   /* size of the shortest image in bytes */
	IMAGEMAP_PLATFORM_MAX = 255,
};

/* State or result of reading a map. */
enum imagemap_outcome {
	IMAGEMAP_MORE,
	IMAGEMAP_OK,
	IMAGEMAP_EMPTY,
	IMAGEMAP_VERSION, /* not version 0 */
	IMAGEMAP_SIZE,    /* the reserved word size */
	IMAGEMAP_SHORT,   /* the input ends inside the platform, the count or an image */
	IMAGEMAP_COUNT,   /* a count wider than 64 bits */
};

/* Set of irregularities that do not prevent reading the rest. */
enum imagemap_warning {
	IMAGEMAP_WARNING_EMPTY_TEXT = 1, /* an image ends at or before its start */
	IMAGEMAP_WARNING_LONG_PATH = 2,  /* a path was omitted because it is too long */
	IMAGEMAP_WARNING_TRAILING = 4,   /* bytes follow the last image */
	/* a path was omitted because it refers to an unknown prefix */
	IMAGEMAP_WARNING_UNKNOWN_PREFIX = 8,
};

struct imagemap_image {
	uint64_t base;
	uint64_t end;                /* end of the text segment */
	struct cairn_bytes build_id; /* empty if absent */
	struct cairn_bytes path;     /* empty if absent */
};

/* Text of a path up to one of its separators. */
struct imagemap_prefix {
	size_t at;   /* input offset of the first literal of the path */
	size_t size; /* size of the text, 0 if it is unknown */
};

struct imagemap {
	struct cairn_bytes in;
	size_t at; /* number of bytes consumed; after an error, the start of the field or image */
	enum imagemap_outcome outcome;
	unsigned warnings;
	unsigned word; /* size of a machine word: 2, 4 or 8 bytes, 0 if unknown */
	uint64_t mask;
	bool has_platform;
	struct cairn_bytes platform;
	uint64_t left; /* number of images left, according to the count */
	uint64_t base; /* base of the previous image */
	struct imagemap_prefix *prefixes;
	size_t room, known; /* capacity of the table, and number of prefixes defined */
	size_t path_size;
	uint8_t path[IMAGEMAP_PATH_MAX];
};

/* Return the largest number of prefixes that the map can define. */
size_t imagemap_prefixes(struct cairn_bytes in);

/* Open a map. `prefixes` is borrowed while the map is read. */
void imagemap_open(struct imagemap *map, struct cairn_bytes in, struct imagemap_prefix *prefixes,
                   size_t room);

/* Read the next image. Return false at the end; `outcome`, `at` and `warnings` are then final. */
bool imagemap_next(struct imagemap *map, struct imagemap_image *image);

bool imagemap_is_error(enum imagemap_outcome outcome);

/* Convert the outcome to a fault with offset map->at. */
struct cairn_fault imagemap_fault(const struct imagemap *map);

/* Return the name of the outcome for scripts: "ok", "short", ... */
const char *imagemap_outcome_name(enum imagemap_outcome outcome);

/* Return the part of a path after its last separator. */
struct cairn_bytes imagemap_name(struct cairn_bytes path);

enum imagemap_profile {
	IMAGEMAP_PROFILE_MINIMAL, /* encode each number in as few bytes as possible */
	/*
	 * identical to the output of Swift 6.2.3, including a bug: numbers of prefixes from 320 on
	 * lack their upper byte
	 */
	IMAGEMAP_PROFILE_SWIFT,
};

/* A prefix that was defined while writing. The slot is free if size is 0. */
struct imagemap_slot {
	const uint8_t *text;
	size_t size;
	uint32_t hash;
	uint64_t number;
};

/* Hash table of an encoder, supplied by the caller. */
struct imagemap_slots {
	struct imagemap_slot *slot; /* must be zeroed */
	size_t count;               /* a power of two, from imagemap_slot_count() */
};

struct imagemap_encoder {
	struct sink out;
	enum imagemap_profile profile;
	unsigned word;
	struct imagemap_slots slots;
	uint64_t next_prefix;
	uint64_t left; /* number of announced images that have not been written */
	uint64_t base;
	bool bad; /* a value does not fit the format */
};

struct imagemap_header {
	unsigned word; /* size of a machine word: 2, 4 or 8 bytes */
	struct cairn_bytes platform;
	uint64_t images;
};

/* Return the table size for paths with this total number of separators ('/' and '\'). */
size_t imagemap_slot_count(size_t separators);
size_t imagemap_separators(struct cairn_bytes path);

/* Write the header. Paths are borrowed from imagemap_put() to imagemap_finish(). */
struct imagemap_encoder imagemap_encoder(struct sink out, enum imagemap_profile profile,
                                         const struct imagemap_header *header,
                                         struct imagemap_slots slots);
void imagemap_put(struct imagemap_encoder *encoder, const struct imagemap_image *image);

/*
 * Set *size to the size of the output. Return CAIRN_NO_MEMORY if the capacity is smaller; the
 * buffer is then invalid. Return CAIRN_MALFORMED if an address does not fit a machine word, the
 * platform is too long, or fewer or more images than announced were written.
 */
CAIRN_MUST_USE enum cairn_status imagemap_finish(struct imagemap_encoder *encoder, size_t *size);

#endif
