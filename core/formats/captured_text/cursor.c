/* SPDX-License-Identifier: MIT */
/* Takes words and numbers of a line, and finds words in it. */
#include "cursor.h"

#include "base/hex.h"

size_t cursor_blanks(struct cursor *c)
{
	const uint8_t *from = c->at;

	while (c->at < c->end && captured_is_blank(*c->at))
		c->at++;
	return (size_t)(c->at - from);
}

bool cursor_word(struct cursor *c, const char *word)
{
	size_t size = strlen(word);

	if (cursor_left(c) < size || memcmp(c->at, word, size) != 0)
		return false;
	c->at += size;
	return true;
}

static bool take_number(struct cursor *c, unsigned base, uint64_t *number)
{
	const uint8_t *at = c->at;
	uint64_t sum = 0;

	for (unsigned digit; at < c->end && (digit = hex_digit(*at)) < base; at++) {
		if (sum > (UINT64_MAX - digit) / base)
			return false;
		sum = sum * base + digit;
	}
	if (at == c->at)
		return false;
	c->at = at;
	*number = sum;
	return true;
}

bool cursor_decimal(struct cursor *c, uint64_t *number)
{
	return take_number(c, 10, number);
}

bool cursor_digits(struct cursor *c, uint64_t *number)
{
	return take_number(c, 16, number);
}

bool cursor_hex(struct cursor *c, uint64_t *number)
{
	struct cursor in = *c;

	if (!cursor_word(&in, "0x") || !take_number(&in, 16, number))
		return false;
	*c = in;
	return true;
}

const uint8_t *cursor_find(const struct cursor *c, const char *word)
{
	size_t size = strlen(word);

	for (const uint8_t *at = c->at; (size_t)(c->end - at) >= size; at++) {
		at = memchr(at, word[0], (size_t)(c->end - at) - size + 1);
		if (!at || memcmp(at, word, size) == 0)
			return at;
	}
	return NULL;
}

const uint8_t *cursor_find_last(const struct cursor *c, const char *word)
{
	size_t size = strlen(word);

	for (size_t left = cursor_left(c); left >= size; left--)
		if (memcmp(c->at + left - size, word, size) == 0)
			return c->at + left - size;
	return NULL;
}

const uint8_t *captured_find_word(const uint8_t *from, const uint8_t *end)
{
	while (end > from && !captured_is_blank(end[-1]))
		end--;
	return end;
}

struct cairn_bytes cursor_id(struct cursor *c)
{
	const uint8_t *from = c->at;

	while (c->at < c->end && hex_digit(*c->at) < HEX_NO_DIGIT)
		c->at++;
	return cursor_since(c, from);
}

struct cairn_bytes captured_trim(struct cairn_bytes text)
{
	while (text.size > 0 &&
	       (captured_is_blank(text.data[text.size - 1]) || text.data[text.size - 1] == '\r'))
		text.size--;
	return text;
}
