/* SPDX-License-Identifier: MIT */
/*
 * The files that were loaded in a process, as a backtrace brings them along: address -> image.
 *
 *	struct images images;
 *	images_init(&images);
 *	images_read(&images, bytes, &end)     or images_add(), one after the other
 *	images_sort(&images);
 *	const struct images_item *image = images_find(&images, address);
 *	images_finish(&images);
 */
#ifndef CAIRN_ENGINE_BACKTRACES_LOADED_IMAGES_H
#define CAIRN_ENGINE_BACKTRACES_LOADED_IMAGES_H

#include <cairn.h>

#include "formats/imagemap/imagemap.h"

enum {
	IMAGES_MAX = 1 << 20, /* what newer Swift takes */
	IMAGES_TEXT_MAX =
		1 << 26, /* bytes of all paths and build IDs; real maps have some 100,000 */
};

struct images_item {
	struct imagemap_image image; /* its bytes are in `text` */
	uint8_t *text;
};

struct images {
	struct images_item *item; /* in the order they came, until images_sort() */
	size_t count, room;
	size_t text_size;
	struct cairn_bytes platform; /* borrowed */
	bool has_platform;
};

/* How an image map ended. */
struct images_end {
	enum imagemap_outcome outcome;
	struct cairn_fault fault;
	size_t at;
	unsigned word, warnings;
};

void images_init(struct images *images);
void images_finish(struct images *images);

/* A copy of `image`.  NO_MEMORY, or UNSUPPORTED beyond the limits above. */
CAIRN_MUST_USE enum cairn_status images_add(struct images *images,
                                            const struct imagemap_image *image);

/*
 * All images of a map in Compact ImageMap Format.  A damaged map gives those before the damage, of
 * which *end tells; the status is about memory and limits alone, as with images_add().
 */
CAIRN_MUST_USE enum cairn_status images_read(struct images *images, struct cairn_bytes bytes,
                                             struct images_end *end);

/* By base address; before images_find(). */
void images_sort(struct images *images);

/* The image whose text holds `address`, or NULL.  With a frame, ask for its lookup address. */
const struct images_item *images_find(const struct images *images, uint64_t address);

#endif
