/* SPDX-License-Identifier: MIT */
/* Decodes and validates UTF-8, and copies strings with invalid bytes replaced. */
#include "utf8.h"

#include <cairn.h>

#include <string.h>

#define HIGH_BITS 0x8080808080808080u

static size_t count_ascii(const uint8_t *at, size_t size)
{
	size_t i = 0;
	uint64_t word;

	for (; size - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, at + i, sizeof(word));
		if (word & HIGH_BITS)
			break;
	}
	while (i < size && at[i] < 0x80)
		i++;
	return i;
}

static struct cairn_bytes bytes_from(struct cairn_bytes text, size_t at)
{
	return (struct cairn_bytes){ text.data + at, text.size - at };
}

void utf8_put_repaired(struct sink *out, struct cairn_bytes text)
{
	static const uint8_t replacement[UTF8_GROWTH] = { 0xef, 0xbf, 0xbd };
	uint32_t character;

	for (size_t at = 0; at < text.size;) {
		size_t length = count_ascii(text.data + at, text.size - at);
		if (length == 0)
			length = cairn_character_at(bytes_from(text, at), &character);
		if (length > 0)
			sink_bytes(out, text.data + at, length);
		else
			sink_bytes(out, replacement, sizeof(replacement));
		at += length ? length : 1;
	}
}

size_t utf8_first(struct cairn_bytes text, uint32_t *character)
{
	const size_t length = cairn_character_at(text, character);

	if (length == 0)
		*character = 0xfffd;
	return length > 0 ? length : 1;
}

size_t utf8_encode(uint32_t character, uint8_t out[4])
{
	static const uint8_t leads[] = { 0, 0xc0, 0xe0, 0xf0 };
	const size_t more = character < 0x80      ? 0
	                    : character < 0x800   ? 1
	                    : character < 0x10000 ? 2
	                                          : 3;

	for (size_t i = more; i > 0; i--) {
		out[i] = (uint8_t)(0x80 | (character & 0x3f));
		character >>= 6;
	}
	out[0] = (uint8_t)(leads[more] | character);
	return more + 1;
}

bool utf8_is_valid(struct cairn_bytes text)
{
	size_t at = count_ascii(text.data, text.size);
	uint32_t character;

	while (at < text.size) {
		size_t length = cairn_character_at(bytes_from(text, at), &character);
		if (length == 0)
			return false;
		at += length;
		at += count_ascii(text.data + at, text.size - at);
	}
	return true;
}

/*
 * Decode a lead byte. Return the number of continuation bytes, or SIZE_MAX if the byte is invalid.
 */
static size_t decode_lead_byte(uint8_t byte, uint32_t *value)
{
	if (byte < 0x80) {
		*value = byte;
		return 0;
	}
	if (byte < 0xc0 || byte > 0xf7)
		return SIZE_MAX;
	size_t more = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
	*value = byte & (0x3fu >> more);
	return more;
}

size_t cairn_character_at(struct cairn_bytes text, uint32_t *character)
{
	static const uint32_t lowest[] = { 0, 0x80, 0x800, 0x10000 };
	uint32_t value = 0;

	if (text.size == 0)
		return 0;
	size_t more = decode_lead_byte(text.data[0], &value);
	if (more >= text.size)
		return 0;
	for (size_t i = 1; i <= more; i++) {
		if ((text.data[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (text.data[i] & 0x3f);
	}
	if (value < lowest[more] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		return 0;
	*character = value;
	return more + 1;
}

bool cairn_character_is_printable(uint32_t c)
{
	bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
	bool direction = c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	                 (c >= 0x2066 && c <= 0x2069);

	return !control && !direction && c != 0xfeff;
}
