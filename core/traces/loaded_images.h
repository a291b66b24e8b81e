/* SPDX-License-Identifier: MIT */
/*
 * The images that were loaded into a process when a backtrace was recorded, searchable by address.
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
	LOADED_IMAGES_MAX = 1 << 20, /* maximum number of images, as in newer Swift releases */
	/*
	 * maximum size of all paths and build IDs in bytes; a process typically needs about 100,000
	 */
	LOADED_IMAGES_TEXT_MAX = 1 << 25,
};

struct loaded_image {
	struct imagemap_image image; /* strings point into `text` */
	uint8_t *text;
};

struct loaded_images {
	struct loaded_image *item; /* in order of insertion; sorted after loaded_images_sort() */
	size_t count, capacity;
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

/*
 * Add a copy of `image`. Return NO_MEMORY, or UNSUPPORTED if one of the limits would be exceeded.
 */
CAIRN_MUST_USE enum cairn_status loaded_images_add(struct loaded_images *images,
                                                   const struct imagemap_image *image);

/*
 * Add all images from an image map in Compact ImageMap Format. If the map is damaged, add the
 * images before the damage and describe the damage in *end. As in loaded_images_add(), the returned
 * status only covers memory and limits.
 */
CAIRN_MUST_USE enum cairn_status loaded_images_read(struct loaded_images *images,
                                                    struct cairn_bytes bytes,
                                                    struct loaded_images_end *end);

void loaded_images_sort(struct loaded_images *images);

/*
 * Return the image that contains `address`, or NULL. The images must be sorted. To find a frame's
 * image, pass its lookup address.
 */
const struct loaded_image *loaded_images_find(const struct loaded_images *images, uint64_t address);

#endif
