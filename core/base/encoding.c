/* SPDX-License-Identifier: MIT */
/* Encodes and decodes hexadecimal digits and base64. */
#include "encoding.h"

bool hex_decode(struct cairn_bytes text, uint8_t *out, size_t *size, size_t *at)
{
	bool comment = false;
	size_t digits = 0;

	for (*at = 0; *at < text.size; ++*at) {
		uint8_t c = text.data[*at];
		comment = c == '\n' ? false : comment || c == '#';
		if (comment || c == ' ' || c == '\t' || c == '\r' || c == '\n')
			continue;
		unsigned value = hex_digit(c);
		if (value == HEX_NO_DIGIT)
			return false;
		if (digits % 2 == 0)
			out[digits / 2] = (uint8_t)(value << 4);
		else
			out[digits / 2] |= (uint8_t)value;
		digits++;
	}
	*size = digits / 2;
	return digits % 2 == 0;
}

void hex_encode(struct cairn_bytes bytes, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes.size; i++) {
		*out++ = digits[bytes.data[i] >> 4];
		*out++ = digits[bytes.data[i] & 15];
	}
	*out = '\0';
}

/*
 * Decodes and encodes base64: 6 bits per character, in groups of four characters for three bytes.
 * The last group may have only two or three characters, with or without "=" padding.
 */

enum {
	SEXTET = 6,
	GROUP = 4,
	/* results of decode_sextet() for characters that encode no sextet */
	IS_WRONG = 64,
	IS_PADDING,
	IS_WHITE,
};

static unsigned decode_sextet(uint8_t character)
{
	if (character >= 'A' && character <= 'Z')
		return character - 'A';
	if (character >= 'a' && character <= 'z')
		return character - 'a' + 26u;
	if (character >= '0' && character <= '9')
		return character - '0' + 52u;
	if (character == '+' || character == '-')
		return 62;
	if (character == '/' || character == '_')
		return 63;
	if (character == '=')
		return IS_PADDING;
	if (character == ' ' || (character >= '\t' && character <= '\r'))
		return IS_WHITE;
	return IS_WRONG;
}

/*
 * Read a character and undo a JSON escape. Return 0 for an escaped character that base64 cannot
 * contain.
 */
static uint8_t unescape_base64_char(struct cairn_bytes text, size_t *at)
{
	uint8_t escaped = text.data[(*at)++];
	unsigned value = 0;

	if (escaped != '\\' || *at == text.size)
		return escaped;
	escaped = text.data[(*at)++];
	if (escaped == 'n' || escaped == 'r' || escaped == 't')
		return ' ';
	if (escaped == '/')
		return '/';
	if (escaped != 'u' || text.size - *at < 4)
		return 0;
	for (unsigned i = 0; i < 4; i++) {
		unsigned digit = hex_digit(text.data[*at + i]);
		if (digit == HEX_NO_DIGIT)
			return 0;
		value = value << 4 | digit;
	}
	*at += 4;
	return value < 0x80 ? (uint8_t)value : 0;
}

size_t base64_capacity(struct cairn_bytes text)
{
	return text.size / GROUP * 3 + 3;
}

/* Decode an incomplete group. Return false if it consists of a single character. */
static bool finish_group(struct base64_result *result, uint8_t *bytes, uint32_t bits,
                         unsigned count)
{
	if (count >= 2)
		bytes[result->size++] = (uint8_t)(bits >> (SEXTET * count - 8));
	if (count == 3)
		bytes[result->size++] = (uint8_t)(bits >> 2);
	return count != 1;
}

/*
 * Return true if only padding and white space follow the first "=". Otherwise set *at to the first
 * other character.
 */
static bool is_only_padding(struct cairn_bytes text, size_t *at)
{
	while (*at < text.size) {
		size_t start = *at;
		unsigned kind = decode_sextet(unescape_base64_char(text, at));
		if (kind != IS_PADDING && kind != IS_WHITE) {
			*at = start;
			return false;
		}
	}
	return true;
}

static void report_problem_at(struct base64_result *result, size_t offset)
{
	result->problems |= BASE64_DAMAGED;
	result->offset = offset;
}

struct base64_result base64_decode(struct cairn_bytes text, uint8_t *bytes)
{
	struct base64_result result = { 0 };
	size_t at = 0, start = 0;
	uint32_t bits = 0;
	unsigned count = 0, kind = IS_WHITE;

	while (at < text.size && kind != IS_PADDING) {
		start = at;
		kind = decode_sextet(unescape_base64_char(text, &at));
		if (kind == IS_WRONG) {
			report_problem_at(&result, start);
			return result;
		}
		if (kind == IS_WHITE)
			result.problems |= BASE64_WHITESPACE;
		if (kind >= IS_WRONG)
			continue;
		bits = bits << SEXTET | kind;
		if (++count == GROUP) {
			bytes[result.size++] = (uint8_t)(bits >> 16);
			bytes[result.size++] = (uint8_t)(bits >> 8);
			bytes[result.size++] = (uint8_t)bits;
			count = 0;
		}
	}
	if (!finish_group(&result, bytes, bits, count))
		report_problem_at(&result, start);
	else if (kind == IS_PADDING && !is_only_padding(text, &at))
		report_problem_at(&result, at);
	return result;
}

void base64_encode_group(struct cairn_bytes bytes, char text[GROUP])
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;

	for (size_t i = 0; i < 3; i++)
		bits = bits << 8 | (i < bytes.size ? bytes.data[i] : 0);
	for (unsigned i = 0; i < GROUP; i++)
		text[i] = i <= bytes.size ? alphabet[bits >> (3 - i) * SEXTET & 63] : '=';
}
