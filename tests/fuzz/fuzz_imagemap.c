/* SPDX-License-Identifier: MIT */
/*
 * Image maps: no image costs less than its shortest form or more than a path; no more prefixes are
 * defined than foreseen; what was decoded, encoded and decoded again is what it was.
 */
#include "fuzz.h"

#include "formats/imagemap.h"

#include <string.h>

struct decoded_map {
	struct imagemap map;
	struct imagemap_image *image;
	size_t count, separators;
};

static struct cairn_bytes copy(struct cairn_bytes text)
{
	uint8_t *data = malloc(text.size + 1);

	ALWAYS(data != NULL);
	memcpy(data, text.data, text.size);
	return (struct cairn_bytes){ data, text.size };
}

static void decode(struct decoded_map *all, struct cairn_bytes in)
{
	size_t capacity = imagemap_prefixes(in), most = in.size / (IMAGEMAP_IMAGE_MIN - 1) + 1;
	struct imagemap_prefix *prefixes = malloc((capacity + 1) * sizeof(*prefixes));
	struct imagemap_image image;

	all->image = malloc(most * sizeof(*all->image));
	all->count = all->separators = 0;
	ALWAYS(prefixes && all->image);
	imagemap_open(&all->map, in, prefixes, capacity);
	while (imagemap_next(&all->map, &image)) {
		ALWAYS(all->count < most && image.path.size <= IMAGEMAP_PATH_MAX);
		const struct cairn_bytes name = imagemap_name(image.path);
		ALWAYS(name.data + name.size == image.path.data + image.path.size);
		image.path = copy(image.path);
		all->separators += imagemap_separators(image.path);
		all->image[all->count++] = image;
	}
	ALWAYS(all->map.outcome != IMAGEMAP_MORE && all->map.at <= in.size);
	ALWAYS(all->map.known <= capacity);
	free(prefixes);
}

static void release(struct decoded_map *all)
{
	for (size_t i = 0; i < all->count; i++)
		free((void *)(uintptr_t)all->image[i].path.data);
	free(all->image);
}

static size_t encode(struct sink out, enum imagemap_profile profile, const struct decoded_map *all)
{
	struct imagemap_header header = { all->map.word, all->map.platform, all->count };
	struct imagemap_slots slots = { .count = imagemap_slot_count(all->separators) };
	size_t size = 0;

	slots.slot = calloc(slots.count, sizeof(*slots.slot));
	ALWAYS(slots.slot != NULL);
	struct imagemap_encoder e = imagemap_encoder(out, profile, &header, slots);
	for (size_t i = 0; i < all->count; i++)
		imagemap_put(&e, &all->image[i]);
	ALWAYS(imagemap_finish(&e, &size) == (out.capacity < size ? CAIRN_NO_MEMORY : CAIRN_OK));
	free(slots.slot);
	return size;
}

static bool same_bytes(struct cairn_bytes a, struct cairn_bytes b)
{
	return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static void check_encoded(const struct decoded_map *all)
{
	uint8_t none;
	size_t size = encode(sink_open(&none, 0), IMAGEMAP_PROFILE_MINIMAL, all);
	uint8_t *bytes = malloc(size);
	struct decoded_map again;

	ALWAYS(bytes != NULL);
	ALWAYS(encode(sink_open(bytes, size), IMAGEMAP_PROFILE_MINIMAL, all) == size);
	decode(&again, (struct cairn_bytes){ bytes, size });
	ALWAYS(again.map.outcome == IMAGEMAP_OK && again.map.at == size);
	ALWAYS((again.map.warnings & ~(unsigned)IMAGEMAP_WARNING_EMPTY_TEXT) == 0);
	ALWAYS(again.count == all->count && same_bytes(again.map.platform, all->map.platform));
	for (size_t i = 0; i < all->count; i++) {
		const struct imagemap_image *a = &all->image[i], *b = &again.image[i];
		ALWAYS(a->base == b->base && a->end == b->end);
		ALWAYS(same_bytes(a->build_id, b->build_id) && same_bytes(a->path, b->path));
	}
	release(&again);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct decoded_map all;
	uint8_t none;

	decode(&all, (struct cairn_bytes){ data ? data : (const uint8_t *)"", size });
	if (all.map.word > 0) {
		check_encoded(&all);
		encode(sink_open(&none, 0), IMAGEMAP_PROFILE_SWIFT, &all);
	}
	release(&all);
	return 0;
}
