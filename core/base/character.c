/* SPDX-License-Identifier: MIT */
/* Decodes one UTF-8 character and checks whether it is safe to print. */
#include <cairn.h>

/* Decode a lead byte. Return the number of continuation bytes, or SIZE_MAX if it is invalid. */
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
