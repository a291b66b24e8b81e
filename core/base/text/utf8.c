/* SPDX-License-Identifier: MIT */
/* Checks that a text is valid UTF-8 and copies a text with its invalid bytes replaced. */
#include "utf8.h"

#include <string.h>

#define HIGH_BITS 0x8080808080808080u

/* How many bytes from `at` on are ASCII, at least those before the last seven. */
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

/* Bytes of the character that begins with `lead`; the second one must be in [*low, *high]. */
static size_t classify_lead_byte(uint8_t lead, uint8_t *low, uint8_t *high)
{
	*low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
	*high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef)
		return 3;
	return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/* The length of the character at `at`, which is not ASCII; 0 when there is none. */
static size_t measure_character(const uint8_t *at, size_t size)
{
	uint8_t low, high;
	size_t length = classify_lead_byte(at[0], &low, &high);

	if (length == 0 || length > size || at[1] < low || at[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if (at[i] < 0x80 || at[i] > 0xbf)
			return 0;
	return length;
}

void utf8_put_repaired(struct sink *out, struct cairn_bytes text)
{
	static const uint8_t replacement[UTF8_GROWTH] = { 0xef, 0xbf, 0xbd };

	for (size_t at = 0; at < text.size;) {
		size_t length = count_ascii(text.data + at, text.size - at);
		if (length == 0)
			length = measure_character(text.data + at, text.size - at);
		if (length > 0)
			sink_bytes(out, text.data + at, length);
		else
			sink_bytes(out, replacement, sizeof(replacement));
		at += length ? length : 1;
	}
}

size_t utf8_first(struct cairn_bytes text, uint32_t *character)
{
	static const uint8_t lead_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	const size_t length = text.data[0] < 0x80 ? 1 : measure_character(text.data, text.size);

	*character = length > 0 ? text.data[0] & lead_bits[length] : 0xfffd;
	for (size_t i = 1; i < length; i++)
		*character = *character << 6 | (text.data[i] & 0x3f);
	return length > 0 ? length : 1;
}

bool utf8_is_valid(struct cairn_bytes text)
{
	size_t at = count_ascii(text.data, text.size);

	while (at < text.size) {
		size_t length = measure_character(text.data + at, text.size - at);
		if (length == 0)
			return false;
		at += length;
		at += count_ascii(text.data + at, text.size - at);
	}
	return true;
}
