/* SPDX-License-Identifier: MIT */
/*
 * The images that were loaded in a process, as recorded with a backtrace, searched by address.
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

#include "formats/imagemap.h"

enum {
	LOADED_IMAGES_MAX = 1 << 20,      /* limit of newer Swift releases */
	LOADED_IMAGES_TEXT_MAX = 1 << 25, /* bytes of all paths and IDs; typically 100,000 */
};

struct loaded_image {
	struct imagemap_image image; /* its strings point into `text` */
	uint8_t *text;
};

struct loaded_images {
	struct loaded_image *item; /* in insertion order until loaded_images_sort() */
	size_t count, room;
	size_t text_size;
	struct cairn_bytes platform;
	bool has_platform;
};

struct loaded_images_end {
	enum imagemap_outcome outcome;
	struct cairn_fault fault;
	size_t at;
	unsigned word, warnings;
};

void loaded_images_init(struct loaded_images *images);
void loaded_images_finish(struct loaded_images *images);

/* Add a copy of `image`. Return NO_MEMORY, or UNSUPPORTED beyond the limits above. */
CAIRN_MUST_USE enum cairn_status loaded_images_add(struct loaded_images *images,
                                                   const struct imagemap_image *image);

/*
 * Add all images of a map in Compact ImageMap Format. From a damaged map, add the images before the
 * damage, and describe the damage in *end. Like loaded_images_add(), return a status that covers
 * only memory and limits.
 */
CAIRN_MUST_USE enum cairn_status loaded_images_read(struct loaded_images *images,
                                                    struct cairn_bytes bytes,
                                                    struct loaded_images_end *end);

/* Sort by base address. Required before loaded_images_find(). */
void loaded_images_sort(struct loaded_images *images);

/* Return the image that contains `address`, or NULL. For a frame, pass its lookup address. */
const struct loaded_image *loaded_images_find(const struct loaded_images *images, uint64_t address);

#endif
