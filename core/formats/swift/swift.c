/* SPDX-License-Identifier: MIT */
/*
 * Decodes the values, arrays, images and strings of Swift's Backtrace module:
 *
 *	value  = architecture:string bytes:pointer platform:string images:pointer word:1 pad:7
 *	array  = isa:8 references:8 count:8 flagged_capacity:8 element*
 *	image  = name:string path:string build_id:pointer base:8 end:8
 *	string = text:byte[15] (e0 or a0 + length):1            small; e0 if ASCII
 *	       | flags:length:8 (8 in the top bits):address:8   literal; text at address + 32
 *	       | flags:length:8 object:8                        text at object + 32
 *	       | 0:16                                           nil
 */
#include "swift.h"

#include "base/bytes.h"

#include <string.h>

enum {
	IMAGES_AT = 40, /* offset in a Backtrace */
	PATH_AT = 16,   /* offsets in an image */
	BUILD_ID_AT = 32,
	BASE_AT = 40,
	END_AT = 48,
	COUNT_AT = 16, /* offsets in an array */
	CAPACITY_AT = 24,
	TEXT_AT = 32,       /* offset of the text from the address in a large string */
	SMALL_ASCII = 0xe0, /* upper half of a small string's last byte if the string is ASCII */
	SMALL_OTHER = 0xa0,
	SMALL_KIND = 0xf0,
	SMALL_LENGTH = 0x0f,
};

/*
 * Names of the architectures of 64-bit processes, each encoded as the two words of a small string.
 */
static const struct architecture {
	const char *name;
	uint64_t first, second;
} architectures[] = {
	{ "x86_64", 0x000034365f363878, 0xe600000000000000 },
	{ "arm64", 0x00000034366d7261, 0xe500000000000000 },
};

enum { ARCHITECTURES = sizeof(architectures) / sizeof(architectures[0]) };

static uint64_t load_word(const uint8_t *p)
{
	return bytes_u64(p, false);
}

static const struct architecture *architecture_at(const uint8_t *p)
{
	for (size_t i = 0; i < ARCHITECTURES; i++)
		if (load_word(p) == architectures[i].first &&
		    load_word(p + 8) == architectures[i].second)
			return &architectures[i];
	return NULL;
}

static bool is_object(uint64_t address)
{
	return address != 0 && address % SWIFT_ALIGNMENT == 0;
}

bool swift_next_value(struct cairn_bytes block, size_t *at, struct swift_value *value)
{
	for (; block.size - *at >= SWIFT_VALUE_HEAD; *at += SWIFT_ALIGNMENT) {
		const uint8_t *p = block.data + *at;
		uint64_t first = load_word(p);
		if (first != architectures[0].first && first != architectures[1].first)
			continue;
		const struct architecture *architecture = architecture_at(p);
		if (!architecture || !is_object(load_word(p + 16)))
			continue;
		bool whole = block.size - *at >= IMAGES_AT + 8;
		*value = (struct swift_value){ *at, architecture->name, load_word(p + 16),
			                       whole ? load_word(p + IMAGES_AT) : 0 };
		*at += SWIFT_ALIGNMENT;
		return true;
	}
	return false;
}

bool swift_next_array(struct cairn_bytes block, uint64_t isa, size_t *at, size_t *offset)
{
	for (; block.size - *at >= SWIFT_ARRAY_HEADER; *at += SWIFT_ALIGNMENT) {
		struct swift_array array;
		if (load_word(block.data + *at) != isa || !swift_array(block.data + *at, &array))
			continue;
		*offset = *at;
		*at += SWIFT_ALIGNMENT;
		return true;
	}
	return false;
}

bool swift_array(const uint8_t header[SWIFT_ARRAY_HEADER], struct swift_array *array)
{
	struct swift_array a = { load_word(header), load_word(header + COUNT_AT),
		                 load_word(header + CAPACITY_AT) >> 1 };

	if (!is_object(a.isa) || a.count == 0 || a.count > a.capacity)
		return false;
	*array = a;
	return true;
}

bool swift_string(const uint8_t words[SWIFT_STRING_SIZE], struct swift_string *string)
{
	const uint64_t length_mask = 0xffffffffffff, address_mask = 0x0fffffffffffffff;
	uint8_t kind = words[SWIFT_STRING_SIZE - 1] & SMALL_KIND;
	uint64_t first = load_word(words), second = load_word(words + 8);

	if (kind == SMALL_ASCII || kind == SMALL_OTHER) {
		string->size = words[SWIFT_STRING_SIZE - 1] & SMALL_LENGTH;
		string->address = 0;
		memcpy(string->inlined, words, SWIFT_STRING_SIZE);
		return true;
	}
	if (first >> 60 != 0xf && first >> 60 != 0xd)
		return false;
	string->size = first & length_mask;
	string->address = (second & address_mask) + TEXT_AT;
	return second != 0;
}

void swift_image(const uint8_t element[SWIFT_IMAGE_SIZE], struct swift_image *image)
{
	image->has_path = swift_string(element + PATH_AT, &image->path);
	image->build_id = load_word(element + BUILD_ID_AT);
	image->base = load_word(element + BASE_AT);
	image->end = load_word(element + END_AT);
}
