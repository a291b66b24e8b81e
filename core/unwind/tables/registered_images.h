/* SPDX-License-Identifier: MIT */
/*
 * Images that a program registered through GDB's JIT interface but that have no table for cairn.
 * They are listed; everything else is left to the host.
 */
#ifndef CAIRN_UNWIND_TABLES_REGISTERED_IMAGES_H
#define CAIRN_UNWIND_TABLES_REGISTERED_IMAGES_H

#include "unwind/target/memory.h"

enum {
	/* the newest are kept; a JIT compiler may register one per function */
	REGISTERED_IMAGES_MAX = 1024,
	REGISTERED_IMAGE_PRINT = 16, /* bytes of code that identify an image in the target */
};

struct registered_image {
	struct cairn_range code;
	enum cairn_machine machine;
	bool big;
	uint8_t print[REGISTERED_IMAGE_PRINT];
};

struct registered_images {
	struct registered_image *image;
	size_t count, room;
};

/*
 * Add an image, replacing images that it overlaps. It is left out if memory is short or its code is
 * unreadable.
 */
void registered_images_add(struct registered_images *images, const struct cairn_target *target,
                           struct registered_image image);

bool registered_image_is_live(const struct registered_image *image,
                              const struct cairn_target *target);
void registered_image_describe(const struct registered_image *image, struct cairn_module *module);
void registered_images_free(struct registered_images *images);

#endif
