/* SPDX-License-Identifier: MIT */
/*
 * Images that a program registered through GDB's JIT interface and that have nothing to unwind by: they are listed, and
 * left to the host for all else.
 */
#ifndef CAIRN_UNWIND_REPORTS_REGISTERED_IMAGES_H
#define CAIRN_UNWIND_REPORTS_REGISTERED_IMAGES_H

#include "unwind/target/memory.h"

enum {
	REGISTERED_IMAGES_MAX =
		1024, /* the newest; a JIT compiler may register one for each function */
	REGISTERED_IMAGE_PRINT =
		16, /* bytes of code in the target by which it is known to be there */
};

struct registered_image {
	struct cairn_range code; /* pc */
	enum cairn_machine machine;
	bool big;
	uint8_t print[REGISTERED_IMAGE_PRINT];
};

struct registered_images {
	struct registered_image *image;
	size_t count, room;
};

/* One more, in place of those that it overlaps.  Without memory, or where the target has no code there, it is left out. */
void registered_images_add(struct registered_images *images, const struct cairn_target *target,
                           struct registered_image image);

/* Is its code still what it was? */
bool registered_image_is_live(const struct registered_image *image,
                              const struct cairn_target *target);
void registered_image_describe(const struct registered_image *image, struct cairn_module *module);
void registered_images_free(struct registered_images *images);

#endif
