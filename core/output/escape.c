/* SPDX-License-Identifier: MIT */
/*
 * Escapes control characters and invalid bytes in untrusted strings, and measures the result in
 * advance.
 */
#include "escape.h"

#include "base/json_escape.h"

#include <string.h>

void print_escaped(FILE *out, const uint8_t *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		const char text[] = { '\\', 'x', digits[bytes[i] >> 4], digits[bytes[i] & 15] };
		fwrite(text, 1, sizeof(text), out);
	}
}

size_t escape_plain_prefix(struct cairn_bytes text)
{
	size_t run = 0;

	while (run < text.size && text.data[run] > 0x20 && text.data[run] < 0x7f &&
	       text.data[run] != '\\')
		run++;
	return run;
}

/*
 * Return the length of the prefix that needs no escape. Most strings need no escape, so one
 * fwrite() usually prints the whole string.
 */
static size_t count_plain_bytes(struct cairn_bytes text, bool one_word)
{
	size_t run = 0;

	do {
		run += json_plain_run((struct cairn_bytes){ text.data + run, text.size - run });
	} while (run < text.size && text.data[run] == '"' && ++run);
	const uint8_t *blank = one_word && run ? memchr(text.data, ' ', run) : NULL;
	return blank ? (size_t)(blank - text.data) : run;
}

static void print_with(FILE *out, struct cairn_bytes text, bool one_word)
{
	while (text.size > 0) {
		uint32_t c = 0;
		size_t plain = count_plain_bytes(text, one_word),
		       size = plain ? plain : cairn_character_at(text, &c);
		if (plain)
			fwrite(text.data, 1, size, out);
		else if (size == 0 || !cairn_character_is_printable(c) || (one_word && c == ' '))
			print_escaped(out, text.data, size ? size : 1);
		else if (c == '\\')
			fputs("\\\\", out);
		else
			fwrite(text.data, 1, size, out);
		text.data += size ? size : 1;
		text.size -= size ? size : 1;
	}
}

void print_text(FILE *out, struct cairn_bytes text)
{
	print_with(out, text, false);
}

void print_string(FILE *out, const char *text)
{
	print_text(out, (struct cairn_bytes){ (const uint8_t *)text, strlen(text) });
}

void print_text_between(FILE *out, const char *before, struct cairn_bytes text, const char *after)
{
	fputs(before, out);
	print_text(out, text);
	fputs(after, out);
}

void print_string_between(FILE *out, const char *before, const char *text, const char *after)
{
	print_text_between(out, before, (struct cairn_bytes){ (const uint8_t *)text, strlen(text) },
	                   after);
}

void print_word(FILE *out, struct cairn_bytes text)
{
	if (text.size == 0)
		fputc('-', out);
	print_with(out, text, true);
}

/* Bounds the size of escaped output, so that a limit can be checked before anything is printed. */

/*
 * Return the maximum size of a character after escaping. `size` is its size in bytes, or 0 for an
 * invalid byte.
 */
static unsigned measure_escaped(size_t size, uint32_t character)
{
	/*
	 * sizes of \xNN and \uNNNN; for a character of four bytes, a surrogate pair (12) is shorter
	 * than four \xNN (16)
	 */
	enum { BYTE = 4, CODE = 6 };

	if (size == 0)
		return CODE;
	if (character == '\\' || character == '"')
		return 2;
	if (cairn_character_is_printable(character))
		return (unsigned)size;
	return size == 1 ? CODE : BYTE * (unsigned)size;
}

/* Count each space as \x20, the form that print_word() prints. */
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

void print_hex(FILE *out, struct cairn_bytes bytes)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes.size; i++) {
		const char pair[] = { digits[bytes.data[i] >> 4], digits[bytes.data[i] & 15] };
		fwrite(pair, 1, sizeof(pair), out);
	}
}

void print_hex_word(FILE *out, struct cairn_bytes bytes)
{
	print_hex(out, bytes);
	if (bytes.size == 0)
		fputc('-', out);
}
