/* SPDX-License-Identifier: MIT */
/*
 * The files that were loaded in a process, as a backtrace brings them along: address -> image.
 *
 *	struct loaded_images images;
 *	loaded_images_init(&images);
 *	status = loaded_images_read(&images, bytes, &end);    or loaded_images_add(), one after the other
 *	loaded_images_sort(&images);
 *	const struct loaded_image *image = loaded_images_find(&images, address);
 *	loaded_images_finish(&images);
 */
#ifndef CAIRN_TRACES_LOADED_IMAGES_H
#define CAIRN_TRACES_LOADED_IMAGES_H

#include <cairn.h>

#include "formats/imagemap/imagemap.h"

enum {
	LOADED_IMAGES_MAX = 1 << 20,      /* what newer Swift takes */
	LOADED_IMAGES_TEXT_MAX = 1 << 25, /* bytes of all paths and IDs; usual are 100,000 */
};

struct loaded_image {
	struct imagemap_image image; /* its bytes are in `text` */
	uint8_t *text;
};

struct loaded_images {
	struct loaded_image *item; /* in the order they came, until loaded_images_sort() */
	size_t count, room;
	size_t text_size;
	struct cairn_bytes platform; /* borrowed */
	bool has_platform;
};

/* How an image map ended. */
struct loaded_images_end {
	enum imagemap_outcome outcome;
	struct cairn_fault fault;
	size_t at;
	unsigned word, warnings;
};

void loaded_images_init(struct loaded_images *images);
void loaded_images_finish(struct loaded_images *images);

/* A copy of `image`.  NO_MEMORY, or UNSUPPORTED beyond the limits above. */
CAIRN_MUST_USE enum cairn_status loaded_images_add(struct loaded_images *images,
                                                   const struct imagemap_image *image);

/*
 * All images of a map in Compact ImageMap Format.  A damaged map gives those before the damage, of
 * which *end reports; the status is about memory and limits alone, as with loaded_images_add().
 */
CAIRN_MUST_USE enum cairn_status loaded_images_read(struct loaded_images *images,
                                                    struct cairn_bytes bytes,
                                                    struct loaded_images_end *end);

/* By base address; before loaded_images_find(). */
void loaded_images_sort(struct loaded_images *images);

/* The image whose text holds `address`, or NULL.  With a frame, ask for its lookup address. */
const struct loaded_image *loaded_images_find(const struct loaded_images *images, uint64_t address);

#endif
