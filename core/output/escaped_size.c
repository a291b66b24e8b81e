/* SPDX-License-Identifier: MIT */
/* Bounds the size of escaped output, so that a limit can be checked before anything is printed. */
#include "escape.h"

#include "base/json_escape.h"

#include <string.h>

/*
 * Return the size of one escaped character that occupies `size` bytes; 0 stands for an invalid
 * byte.
 */
static unsigned measure_escaped(size_t size, uint32_t character)
{
	/* \xNN per byte, or \uNNNN; a surrogate pair is shorter than four \xNN */
	enum { BYTE = 4, CODE = 6 };

	if (size == 0)
		return CODE;
	if (character == '\\' || character == '"')
		return 2;
	if (cairn_character_is_printable(character))
		return (unsigned)size;
	return size == 1 ? CODE : BYTE * (unsigned)size;
}

/* Count each blank as \x20, which is what print_word() prints. */
static uint64_t measure_plain(const uint8_t *text, size_t size)
{
	const uint8_t *blank = text, *end = text + size;
	uint64_t blanks = 0;

	for (; (blank = memchr(blank, ' ', (size_t)(end - blank))); blank++)
		blanks++;
	return size + 3 * blanks;
}

uint64_t escaped_size(struct cairn_bytes text)
{
	uint64_t sum = 0;

	while (text.size > 0) {
		uint32_t c = 0;
		size_t plain = json_plain_run(text),
		       size = plain ? plain : cairn_character_at(text, &c);
		sum += plain ? measure_plain(text.data, plain) : measure_escaped(size, c);
		text.data += size ? size : 1;
		text.size -= size ? size : 1;
	}
	return sum;
}
