/* SPDX-License-Identifier: MIT */
#include "escape.h"

#include <string.h>

/* The lead byte's payload and how many bytes follow it. */
static size_t utf8_lead(uint8_t lead, uint32_t *value)
{
	if (lead < 0x80) {
		*value = lead;
		return 0;
	}
	if (lead < 0xc0 || lead > 0xf7)
		return SIZE_MAX;
	size_t more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
	*value = lead & (0x3fu >> more);
	return more;
}

size_t escape_utf8(struct cairn_bytes text, uint32_t *character)
{
	static const uint32_t lowest[] = { 0, 0x80, 0x800, 0x10000 };
	uint32_t value = 0;

	if (text.size == 0)
		return 0;
	size_t more = utf8_lead(text.data[0], &value);
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

bool escape_is_harmless(uint32_t c)
{
	bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
	bool direction = c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	                 (c >= 0x2066 && c <= 0x2069);

	return !control && !direction && c != 0xfeff;
}

static void print_escaped(FILE *out, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		fprintf(out, "\\x%02x", bytes[i]);
}

size_t escape_plain(struct cairn_bytes text)
{
	size_t run = 0;

	while (run < text.size && text.data[run] > 0x20 && text.data[run] < 0x7f &&
	       text.data[run] != '\\')
		run++;
	return run;
}

static void print_with(FILE *out, struct cairn_bytes text, bool one_word)
{
	while (text.size > 0) {
		uint32_t c = 0;
		size_t plain = escape_plain(text), size = plain ? plain : escape_utf8(text, &c);
		if (plain)
			fwrite(text.data, 1, size, out);
		else if (size == 0 || !escape_is_harmless(c) || (one_word && c == ' '))
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

void print_word(FILE *out, struct cairn_bytes text)
{
	if (text.size == 0)
		fputc('-', out);
	print_with(out, text, true);
}
