/* SPDX-License-Identifier: MIT */
/*
 * Writes image maps with the same choices as Swift: a base is absolute unless the difference is
 * strictly shorter. A path is written as the longest known prefix, repeatedly, followed by a
 * framework if that matches the rest, otherwise by literals. The grammar is in imagemap.c and
 * path.c.
 */
#include "imagemap.h"

#include "prefix.h"

#include "base/invariant.h"
#include "base/width.h"

enum {
	IMAGE_RELATIVE = 0x80,
	IMAGE_BASE_SHIFT = 3,
	GROUP_MORE = 0x80,
	GROUP = 0x7f,
	GROUP_BITS = 7,
	GROUPS_MAX = 10, /* number of groups for 64 bits */
	SLOTS_MIN = 32,  /* sufficient for the fixed prefixes */
};

static const uint32_t hash_start = 2166136261; /* FNV-1a */

static uint32_t hash_byte(uint32_t hash, uint8_t byte)
{
	return (hash ^ byte) * 16777619;
}

size_t imagemap_slot_count(size_t separators)
{
	size_t count = SLOTS_MIN;

	while (count / 2 < separators + FIXED_PREFIXES && count <= SIZE_MAX / 4)
		count *= 2;
	return count;
}

/* Return the slot that contains a text, or the free slot for it, or NULL if the table is full. */
static struct imagemap_slot *find_prefix_slot(struct imagemap_slots slots, const uint8_t *text,
                                              size_t size, uint32_t hash)
{
	for (size_t i = 0; i < slots.count; i++) {
		struct imagemap_slot *slot = &slots.slot[(hash + i) & (slots.count - 1)];
		if (slot->size == 0)
			return slot;
		if (slot->hash == hash && slot->size == size && memcmp(slot->text, text, size) == 0)
			return slot;
	}
	return NULL;
}

/* Store a prefix unless its text already has a number. */
static void keep_prefix(struct imagemap_slots slots, struct imagemap_slot prefix)
{
	struct imagemap_slot *slot = find_prefix_slot(slots, prefix.text, prefix.size, prefix.hash);

	if (slot && slot->size == 0)
		*slot = prefix;
}

static void keep_fixed_prefixes(struct imagemap_slots slots)
{
	for (uint64_t number = 0; number < FIXED_PREFIXES; number++) {
		struct cairn_bytes text = prefix_fixed(number);
		uint32_t hash = hash_start;
		for (size_t i = 0; i < text.size; i++)
			hash = hash_byte(hash, text.data[i]);
		keep_prefix(slots, (struct imagemap_slot){ text.data, text.size, hash, number });
	}
}

static void write_count(struct imagemap_encoder *e, uint64_t count)
{
	unsigned groups = 1;

	while (groups < GROUPS_MAX && count >> (GROUP_BITS * groups))
		groups++;
	/* Swift writes an extra group if the last one is full. */
	if (e->profile == IMAGEMAP_PROFILE_SWIFT && groups < GROUPS_MAX &&
	    count >> (GROUP_BITS * groups - 1))
		groups++;
	while (groups-- > 0) {
		unsigned group = count >> (GROUP_BITS * groups) & GROUP;
		sink_u8(&e->out, (uint8_t)(group | (groups ? GROUP_MORE : 0)));
	}
}

static void write_prefix(struct imagemap_encoder *e, uint64_t number)
{
	if (number < NEAR_PREFIXES) {
		sink_u8(&e->out, (uint8_t)(OP_PREFIX | number));
		return;
	}
	number -= NEAR_PREFIXES;
	unsigned width = width_unsigned(number);
	if (e->profile == IMAGEMAP_PROFILE_SWIFT && width > 1 && !(number >> (8 * width - 1)))
		width--; /* Swift 6.2.3 rounds the number of bits down */
	sink_u8(&e->out, (uint8_t)(OP_FAR_PREFIX | (width - 1)));
	sink_big(&e->out, number, width);
}

static size_t find_longest_prefix(const struct imagemap_encoder *e, struct cairn_bytes text,
                                  uint64_t *number)
{
	uint32_t hash = hash_start;
	size_t longest = 0;

	for (size_t i = 0; i < text.size; i++) {
		hash = hash_byte(hash, text.data[i]);
		const struct imagemap_slot *slot =
			find_prefix_slot(e->slots, text.data, i + 1, hash);
		if (slot && slot->size > 0) {
			longest = slot->size;
			*number = slot->number;
		}
	}
	return longest;
}

/* Return true for "/NAME.framework/Versions/V/NAME". NAME starts at the second byte. */
static bool is_framework(struct cairn_bytes text, size_t *name_size)
{
	static const char middle[] = ".framework/Versions/";
	enum { MIDDLE = sizeof(middle) - 1, REST = 1 + MIDDLE + 1 + 1 };

	if (text.size < REST + 2 || (text.size - REST) % 2 || text.data[0] != '/')
		return false;
	size_t size = (text.size - REST) / 2;
	const uint8_t *name = text.data + 1, *version = name + size + MIDDLE;
	if (size > FRAMEWORK_NAME_MAX || memcmp(name + size, middle, MIDDLE) != 0 ||
	    version[1] != '/' || memcmp(version + 2, name, size) != 0)
		return false;
	*name_size = size;
	return *version != FRAMEWORK_FLAT;
}

static void write_framework(struct imagemap_encoder *e, struct cairn_bytes text, size_t name_size)
{
	sink_u8(&e->out, (uint8_t)(OP_FRAMEWORK | (name_size - 1)));
	sink_u8(&e->out, text.data[text.size - name_size - 2]);
	sink_bytes(&e->out, text.data + 1, name_size);
}

static void write_literals(struct imagemap_encoder *e, struct cairn_bytes text)
{
	uint32_t hash = hash_start;

	for (size_t at = 0; at < text.size; at += OP_LITERAL_MAX) {
		size_t left = text.size - at;
		size_t size = left < OP_LITERAL_MAX ? left : OP_LITERAL_MAX;
		sink_u8(&e->out, (uint8_t)size);
		sink_bytes(&e->out, text.data + at, size);
	}
	for (size_t i = 0; i < text.size; i++) {
		if (i > 0 && is_separator(text.data[i]))
			keep_prefix(e->slots,
			            (struct imagemap_slot){ text.data, i, hash, e->next_prefix++ });
		hash = hash_byte(hash, text.data[i]);
	}
}

static void write_path(struct imagemap_encoder *e, struct cairn_bytes path)
{
	size_t size, name_size;
	uint64_t number = 0;

	while ((size = find_longest_prefix(e, path, &number)) > 0) {
		write_prefix(e, number);
		path = (struct cairn_bytes){ path.data + size, path.size - size };
	}
	if (is_framework(path, &name_size)) {
		write_framework(e, path, name_size);
		return;
	}
	write_literals(e, path);
	sink_u8(&e->out, OP_PATH_END);
}

struct imagemap_encoder imagemap_encoder(struct sink out, enum imagemap_profile profile,
                                         const struct imagemap_header *header,
                                         struct imagemap_slots slots)
{
	struct imagemap_encoder e = {
		.out = out,
		.profile = profile,
		.word = header->word,
		.slots = slots,
		.next_prefix = DYNAMIC_PREFIX,
		.left = header->images,
		.bad = header->platform.size > IMAGEMAP_PLATFORM_MAX,
	};

	INVARIANT(e.word == 2 || e.word == 4 || e.word == 8);
	INVARIANT(slots.count > 0 && (slots.count & (slots.count - 1)) == 0);
	keep_fixed_prefixes(slots);
	sink_u8(&e.out, (uint8_t)(e.word >> 2));
	sink_u8(&e.out, (uint8_t)header->platform.size);
	sink_bytes(&e.out, header->platform.data, header->platform.size);
	write_count(&e, header->images);
	return e;
}

void imagemap_put(struct imagemap_encoder *e, const struct imagemap_image *image)
{
	uint64_t delta = width_extend(image->base - e->base, e->word);
	uint64_t absolute = width_extend(image->base, e->word);
	uint64_t text = width_extend(image->end - image->base, e->word);
	bool is_relative = width_signed(delta) < width_signed(absolute);
	uint64_t base = is_relative ? delta : absolute;
	unsigned header = (width_signed(base) - 1) << IMAGE_BASE_SHIFT | (width_signed(text) - 1);

	e->bad |= !width_fits(image->base, e->word) || !width_fits(image->end, e->word);
	e->bad |= e->left-- == 0;
	e->base = image->base;
	sink_u8(&e->out, (uint8_t)(header | (is_relative ? IMAGE_RELATIVE : 0)));
	sink_big(&e->out, base, width_signed(base));
	sink_big(&e->out, text, width_signed(text));
	write_count(e, image->build_id.size);
	sink_bytes(&e->out, image->build_id.data, image->build_id.size);
	write_path(e, image->path);
}

enum cairn_status imagemap_finish(struct imagemap_encoder *e, size_t *size)
{
	if (e->bad || e->left > 0)
		return CAIRN_MALFORMED;
	*size = e->out.size;
	return sink_fits(&e->out) ? CAIRN_OK : CAIRN_NO_MEMORY;
}
