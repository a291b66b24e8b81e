/* SPDX-License-Identifier: MIT */
/*
 * Collects the loaded images listed in a backtrace, sorts them by base address, and finds images by
 * address.
 */
#include "loaded_images.h"

#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

void loaded_images_init(struct loaded_images *images)
{
	*images = (struct loaded_images){ 0 };
}

void loaded_images_finish(struct loaded_images *images)
{
	for (size_t i = 0; i < images->count; i++)
		free(images->item[i].text);
	free(images->item);
	loaded_images_init(images);
}

static struct cairn_bytes copy_image_text(uint8_t *to, struct cairn_bytes from)
{
	memcpy(to, from.data, from.size);
	return (struct cairn_bytes){ to, from.size };
}

enum cairn_status loaded_images_add(struct loaded_images *images,
                                    const struct imagemap_image *image)
{
	size_t size = image->build_id.size + image->path.size;

	if (images->count == LOADED_IMAGES_MAX || size > LOADED_IMAGES_TEXT_MAX - images->text_size)
		return CAIRN_UNSUPPORTED;
	uint8_t *text = malloc(size + 1);
	if (!text || !array_grow(&images->item, &images->capacity, images->count + 1,
	                         sizeof(*images->item))) {
		free(text);
		return CAIRN_NO_MEMORY;
	}
	struct loaded_image *item = &images->item[images->count++];
	*item = (struct loaded_image){ *image, text };
	item->image.build_id = copy_image_text(text, image->build_id);
	item->image.path = copy_image_text(text + image->build_id.size, image->path);
	images->text_size += size;
	return CAIRN_OK;
}

static enum cairn_status add_all(struct loaded_images *images, struct imagemap *map)
{
	struct imagemap_image image;
	enum cairn_status status = CAIRN_OK;

	while (status == CAIRN_OK && imagemap_next(map, &image))
		status = loaded_images_add(images, &image);
	images->platform = map->platform;
	images->has_platform = map->has_platform;
	return status;
}

enum cairn_status loaded_images_read(struct loaded_images *images, struct cairn_bytes bytes,
                                     struct loaded_images_end *end)
{
	size_t capacity = imagemap_prefixes(bytes);
	struct imagemap_prefix *prefixes = calloc(capacity + 1, sizeof(*prefixes));
	struct imagemap *map = malloc(sizeof(*map));
	enum cairn_status status = CAIRN_NO_MEMORY;

	if (prefixes && map) {
		imagemap_open(map, bytes, prefixes, capacity);
		status = add_all(images, map);
		*end = (struct loaded_images_end){ map->outcome, imagemap_fault(map), map->at,
			                           map->word, map->warnings };
	}
	free(map);
	free(prefixes);
	return status;
}

static int compare_images_by_base(const void *left, const void *right)
{
	const struct loaded_image *a = left, *b = right;

	return ORDER_BY(a->image.base, b->image.base, ORDER_BY(a->image.end, b->image.end, 0));
}

void loaded_images_sort(struct loaded_images *images)
{
	if (images->count > 0)
		qsort(images->item, images->count, sizeof(*images->item), compare_images_by_base);
}

const struct loaded_image *loaded_images_find(const struct loaded_images *images, uint64_t address)
{
	const size_t next = SORTED_UP_TO(images->item, images->count, image.base, address);

	if (next == 0)
		return NULL;
	const struct loaded_image *item = &images->item[next - 1];
	return address < item->image.end ? item : NULL;
}
