/* SPDX-License-Identifier: MIT */
/* Decodes bytes that are encoded as text. */
#include "cbf.h"

#include "base/encoding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const encoding_names[] = {
	[CBF_ENCODING_AUTO] = "auto",     [CBF_ENCODING_RAW] = "raw",   [CBF_ENCODING_HEX] = "hex",
	[CBF_ENCODING_BASE64] = "base64", [CBF_ENCODING_JSON] = "json",
};

bool cbf_parse_encoding(const char *name, enum cbf_encoding *encoding)
{
	for (size_t i = 0; i < COUNT(encoding_names); i++)
		if (strcmp(name, encoding_names[i]) == 0) {
			*encoding = (enum cbf_encoding)i;
			return true;
		}
	return false;
}

static bool contains_word(struct cairn_bytes text, const char *word)
{
	size_t size = strlen(word);

	for (size_t i = 0; size <= text.size && i <= text.size - size; i++)
		if (text.data[i] == (uint8_t)word[0] && memcmp(text.data + i, word, size) == 0)
			return true;
	return false;
}

/*
 * Guess the encoding from the first character. Version 0 starts with a byte below 3, which is a
 * control character in raw bytes, the digit 0 in hexadecimal, and the letter A in base64.
 */
enum cbf_encoding cbf_guess_encoding(struct cairn_bytes text)
{
	static const char blanks[] = " \t\r\n";
	size_t at = 0;

	while (at < text.size && text.data[at] && strchr(blanks, text.data[at]))
		at++;
	if (at == text.size || text.data[at] < ' ' || text.data[at] > '~')
		return CBF_ENCODING_RAW;
	uint8_t first = text.data[at];
	if (first == '{' || first == '[' || contains_word(text, "\"backtrace\""))
		return CBF_ENCODING_JSON;
	return first == 'A' ? CBF_ENCODING_BASE64 : CBF_ENCODING_HEX;
}

const char *cbf_part(const struct cbf_decoded *d, char part[CBF_PART_MAX])
{
	if (d->number > 0)
		snprintf(part, CBF_PART_MAX, "%s %zu", d->what, d->number);
	else
		snprintf(part, CBF_PART_MAX, "%s", d->what);
	return part;
}

void cbf_print_problem(const struct cbf_decoded *d, const char *what)
{
	char part[CBF_PART_MAX];

	print_diagnostic(d->path, "%s: %s", cbf_part(d, part), what);
}

static void complain_at(const struct cbf_decoded *d, const char *what, size_t at)
{
	struct cairn_fault fault = { CAIRN_MALFORMED, at, what };
	char part[CBF_PART_MAX];

	print_fault_diagnostic(d->path, cbf_part(d, part), &fault, NULL);
}

static bool allocate_bytes(struct cbf_decoded *d, size_t size)
{
	d->owned = malloc(size);
	if (!d->owned)
		cbf_print_problem(d, "out of memory");
	return d->owned != NULL;
}

static bool decode_base64(struct cbf_decoded *d, struct cairn_bytes text)
{
	if (!allocate_bytes(d, base64_room(text)))
		return false;
	struct base64_result result = base64_decode(text, d->owned);
	if (result.problems & BASE64_DAMAGED) {
		complain_at(d, "base64 is damaged", result.offset);
		d->problems |= CBF_PROBLEM_BASE64;
	}
	if (result.problems & BASE64_WHITESPACE) {
		cbf_print_problem(d, "base64 contains blanks");
		d->problems |= CBF_PROBLEM_WHITESPACE;
	}
	d->bytes = (struct cairn_bytes){ d->owned, result.size };
	return true;
}

static bool decode_hex(struct cbf_decoded *d, struct cairn_bytes text)
{
	size_t size = 0, at = 0;

	if (!allocate_bytes(d, text.size / 2 + 1))
		return false;
	if (!hex_decode(text, d->owned, &size, &at)) {
		complain_at(d, "not a hexadecimal digit", at);
		free(d->owned);
		d->owned = NULL;
		return false;
	}
	d->bytes = (struct cairn_bytes){ d->owned, size };
	return true;
}

/* Remove blanks and line feeds around base64, which are not worth a warning. */
static struct cairn_bytes trim_blanks(struct cairn_bytes text)
{
	while (text.size > 0 && text.data[text.size - 1] <= ' ')
		text.size--;
	while (text.size > 0 && text.data[0] <= ' ') {
		text.data++;
		text.size--;
	}
	return text;
}

bool cbf_decode_bytes(struct cbf_decoded *d, struct cairn_bytes text, enum cbf_encoding encoding)
{
	switch (encoding == CBF_ENCODING_AUTO ? cbf_guess_encoding(text) : encoding) {
	case CBF_ENCODING_HEX:
		return decode_hex(d, text);
	case CBF_ENCODING_BASE64:
		return decode_base64(d, trim_blanks(text));
	case CBF_ENCODING_AUTO:
	case CBF_ENCODING_RAW:
		d->bytes = text;
		return true;
	case CBF_ENCODING_JSON:
		cbf_print_problem(d, "JSON is not expected here");
		return false;
	}
	return false;
}
