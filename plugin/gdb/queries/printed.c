/* SPDX-License-Identifier: MIT */
/* Parses fixed words and hexadecimal addresses out of GDB's output. */
#define _GNU_SOURCE /* memmem */
#include "printed.h"

#include <string.h>

enum { HEX_DIGITS = 16 }; /* maximum for an address */

struct cairn_bytes printed_from(struct cairn_bytes bytes, size_t start)
{
	return (struct cairn_bytes){ bytes.data + start, bytes.size - start };
}

size_t printed_find(struct cairn_bytes bytes, const char *word)
{
	const uint8_t *found =
		bytes.size > 0 ? memmem(bytes.data, bytes.size, word, strlen(word)) : NULL;

	return found ? (size_t)(found - bytes.data) : bytes.size;
}

struct cairn_bytes printed_take_line(struct cairn_bytes *text)
{
	const struct cairn_bytes line = { text->data, printed_find(*text, "\n") };

	*text = printed_from(*text, line.size + (line.size < text->size));
	return line;
}

bool printed_accept(struct cairn_bytes *bytes, const char *word)
{
	size_t length = strlen(word);

	if (bytes->size < length || memcmp(bytes->data, word, length) != 0)
		return false;
	*bytes = printed_from(*bytes, length);
	return true;
}

static int hex_digit(uint8_t byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

bool printed_address(struct cairn_bytes *bytes, uint64_t *address)
{
	size_t digits = 0;

	*address = 0;
	if (!printed_accept(bytes, "0x"))
		return false;
	while (digits < bytes->size && hex_digit(bytes->data[digits]) >= 0) {
		if (digits == HEX_DIGITS)
			return false;
		*address = *address << 4 | (unsigned)hex_digit(bytes->data[digits]);
		digits++;
	}
	*bytes = printed_from(*bytes, digits);
	return digits > 0;
}
