/* SPDX-License-Identifier: MIT */
/*
 * Compact ImageMap Format, as Swift keeps the files that were loaded in a process: bytes <->
 * images with base, end of text, build ID and path.  The format is described in
 * docs/formats/cbf.md, beside the backtraces it belongs to.
 *
 * Paths are built from prefixes that earlier paths define, so a table of those is needed.  The
 * caller lends it; one of imagemap_prefixes() entries is always large enough:
 *
 *	struct imagemap_prefix *prefixes = calloc(imagemap_prefixes(bytes), sizeof(*prefixes));
 *	struct imagemap map;
 *	imagemap_open(&map, bytes, prefixes, imagemap_prefixes(bytes));
 *	while (imagemap_next(&map, &image))
 *		... image.path is good until the next call
 *	if (imagemap_is_error(map.outcome))
 *		... the images so far are good
 *
 * Nothing here allocates.  No image costs more than IMAGEMAP_PATH_MAX bytes and the time to
 * write them, whatever the input claims.
 */
#ifndef CAIRN_FORMATS_IMAGEMAP_H
#define CAIRN_FORMATS_IMAGEMAP_H

#include <cairn.h>

#include "base/sink.h"

enum {
	IMAGEMAP_PATH_MAX = 4096, /* as long as Linux takes; a longer path is left out */
	IMAGEMAP_NESTED_MAX = 32, /* prefixes in prefixes; real encoders write none */
	IMAGEMAP_IMAGE_MIN = 5,   /* bytes of the shortest image */
	IMAGEMAP_PLATFORM_MAX = 255,
};

/* How a map ended. */
enum imagemap_outcome {
	IMAGEMAP_MORE,    /* not yet */
	IMAGEMAP_OK,      /* all images were there */
	IMAGEMAP_EMPTY,   /* no bytes at all */
	IMAGEMAP_VERSION, /* not version 0 */
	IMAGEMAP_SIZE,    /* the reserved word size */
	IMAGEMAP_SHORT,   /* the bytes end inside the platform, the count or an image */
	IMAGEMAP_COUNT,   /* a count wider than 64 bits */
};

/* What is odd but leaves the rest readable.  A set of bits. */
enum imagemap_warning {
	IMAGEMAP_WARNING_EMPTY_TEXT = 1,     /* an image ends where it begins, or before */
	IMAGEMAP_WARNING_LONG_PATH = 2,      /* a path was left out */
	IMAGEMAP_WARNING_TRAILING = 4,       /* bytes after the last image */
	IMAGEMAP_WARNING_UNKNOWN_PREFIX = 8, /* a path was left out */
};

struct imagemap_image {
	uint64_t base;
	uint64_t end;                /* of its text */
	struct cairn_bytes build_id; /* size 0 when there is none */
	struct cairn_bytes path;     /* size 0 when there is none */
};

/* The text that one path defines up to one of its separators. */
struct imagemap_prefix {
	size_t at;   /* in the input: of the first literal of that path */
	size_t size; /* of the text; 0 when it is not known */
};

struct imagemap {
	struct cairn_bytes in;
	size_t at; /* what was consumed; after an error, the start of the field or image */
	enum imagemap_outcome outcome;
	unsigned warnings;
	unsigned word; /* bytes in a machine word: 2, 4 or 8; 0 when that is not known */
	uint64_t mask; /* the bits of a machine word */
	bool has_platform;
	struct cairn_bytes platform;
	uint64_t left; /* images still to come, by the count */
	uint64_t base; /* of the image before */
	struct imagemap_prefix *prefixes;
	size_t room, known; /* prefixes that fit the table, and that were defined */
	size_t path_size;
	uint8_t path[IMAGEMAP_PATH_MAX];
};

/* Returns the largest number of prefixes that the map can define. */
size_t imagemap_prefixes(struct cairn_bytes in);

/* `prefixes` stays the caller's, for as long as the map is read. */
void imagemap_open(struct imagemap *map, struct cairn_bytes in, struct imagemap_prefix *prefixes,
                   size_t room);

/* The next image.  False at the end, and then `outcome`, `at` and `warnings` are final. */
bool imagemap_next(struct imagemap *map, struct imagemap_image *image);

bool imagemap_is_error(enum imagemap_outcome outcome);

/* The outcome in the words of cairn.h, and as a phrase; the offset is map->at. */
struct cairn_fault imagemap_fault(const struct imagemap *map);

/* The name that scripts see: "ok", "short", ... */
const char *imagemap_outcome_name(enum imagemap_outcome outcome);

/* What follows the last separator of a path. */
struct cairn_bytes imagemap_name(struct cairn_bytes path);

enum imagemap_profile {
	IMAGEMAP_PROFILE_MINIMAL, /* every count in the fewest bytes */
	IMAGEMAP_PROFILE_SWIFT,   /* byte for byte what Swift 6.2.3 writes, its defect included:
	                             from prefix 320 on its numbers lack their upper byte */
};

/* A prefix that was defined while writing; a place of the table is free while size is 0. */
struct imagemap_slot {
	const uint8_t *text;
	size_t size;
	uint32_t hash;
	uint64_t number;
};

/* The table of an encoder, lent by the caller. */
struct imagemap_slots {
	struct imagemap_slot *slot; /* zeroed */
	size_t count;               /* a power of two, as imagemap_slot_count() says */
};

struct imagemap_encoder {
	struct sink out;
	enum imagemap_profile profile;
	unsigned word;
	struct imagemap_slots slots;
	uint64_t next_prefix;
	uint64_t left; /* images that were announced and are still to come */
	uint64_t base;
	bool bad; /* something does not fit the format */
};

/* What is before the images. */
struct imagemap_header {
	unsigned word; /* bytes in a machine word: 2, 4 or 8 */
	struct cairn_bytes platform;
	uint64_t images;
};

/* How large the table must be for paths with so many separators ('/' and '\') in all. */
size_t imagemap_slot_count(size_t separators);
size_t imagemap_separators(struct cairn_bytes path);

/* Write the header.  Paths are borrowed from imagemap_put() to imagemap_finish(). */
struct imagemap_encoder imagemap_encoder(struct sink out, enum imagemap_profile profile,
                                         const struct imagemap_header *header,
                                         struct imagemap_slots slots);
void imagemap_put(struct imagemap_encoder *encoder, const struct imagemap_image *image);

/*
 * The number of bytes goes to *size.  NO_MEMORY: the buffer is shorter than that and its contents
 * are of no use.  MALFORMED: an address does not fit the machine word, the platform is too long,
 * or there were not as many images as announced.
 */
CAIRN_MUST_USE enum cairn_status imagemap_finish(struct imagemap_encoder *encoder, size_t *size);

#endif
