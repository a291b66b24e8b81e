/* SPDX-License-Identifier: MIT */
/* Keeps a bounded list of images that a program registered. */
#include "registered_images.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static size_t print_size_of(const struct registered_image *image)
{
	const uint64_t size = image->code.high - image->code.low;

	return size < REGISTERED_IMAGE_PRINT ? (size_t)size : REGISTERED_IMAGE_PRINT;
}

static void drop_image(struct registered_images *images, size_t index)
{
	images->count--;
	memmove(&images->image[index], &images->image[index + 1],
	        (images->count - index) * sizeof(images->image[0]));
}

void registered_images_add(struct registered_images *images, const struct cairn_target *target,
                           struct registered_image image)
{
	if (!memory_read(target, image.code.low, image.print, print_size_of(&image)))
		return;
	for (size_t i = images->count; i-- > 0;)
		if (images->image[i].code.low < image.code.high &&
		    image.code.low < images->image[i].code.high)
			drop_image(images, i);
	if (images->count == REGISTERED_IMAGES_MAX)
		drop_image(images, 0);
	(void)ARRAY_APPEND(images->image, images->count, images->room, image);
}

bool registered_image_is_live(const struct registered_image *image,
                              const struct cairn_target *target)
{
	uint8_t now[REGISTERED_IMAGE_PRINT];

	return memory_read(target, image->code.low, now, print_size_of(image)) &&
	       memcmp(now, image->print, print_size_of(image)) == 0;
}

void registered_image_describe(const struct registered_image *image, struct cairn_module *module)
{
	static const uint8_t nothing[1];

	*module = (struct cairn_module){ .low = image->code.low,
		                         .high = image->code.high,
		                         .machine = image->machine,
		                         .big_endian = image->big,
		                         .build_id = { nothing, 0 },
		                         .headers = { nothing, 0 },
		                         .sframe = CAIRN_ABSENT,
		                         .registered = true };
}

void registered_images_free(struct registered_images *images)
{
	free(images->image);
	*images = (struct registered_images){ .image = NULL };
}
