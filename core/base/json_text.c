/* SPDX-License-Identifier: MIT */
/* Decodes JSON strings and whole numbers. Escapes are undone and invalid bytes are replaced. */
#include "json_reader.h"

#include "hex.h"
#include "invariant.h"
#include "json_escape.h"
#include "utf8.h"

#include <string.h>

/* Decode four hexadecimal digits, which json_reader_open() has verified. */
static uint32_t decode_four_digits(const uint8_t *p)
{
	return hex_digit(p[0]) << 12 | hex_digit(p[1]) << 8 | hex_digit(p[2]) << 4 |
	       hex_digit(p[3]);
}

static uint32_t decode_short_escape(uint8_t letter)
{
	static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
	const char *at = strchr(letters, letter);

	return at ? (uint32_t)meanings[at - letters] : letter;
}

enum { REPLACEMENT = 0xfffd };

static uint32_t decode_escape(struct cairn_bytes text, size_t *at)
{
	uint8_t letter = text.data[(*at)++];

	if (letter != 'u')
		return decode_short_escape(letter);
	uint32_t value = decode_four_digits(text.data + *at);
	*at += 4;
	if (value < 0xd800 || value > 0xdfff)
		return value ? value : REPLACEMENT;
	if (value > 0xdbff || text.size - *at < 6 || text.data[*at] != '\\' ||
	    text.data[*at + 1] != 'u')
		return REPLACEMENT;
	uint32_t low = decode_four_digits(text.data + *at + 2);
	if (low < 0xdc00 || low > 0xdfff)
		return REPLACEMENT;
	*at += 6;
	return 0x10000 + ((value - 0xd800) << 10 | (low - 0xdc00));
}

/* Invalid UTF-8 is replaced byte by byte. */
size_t json_reader_character(struct cairn_bytes text, size_t *at, uint8_t out[4])
{
	const struct cairn_bytes rest = { text.data + *at, text.size - *at };
	uint32_t character;

	if (*rest.data == '\\') {
		++*at;
		return utf8_encode(decode_escape(text, at), out);
	}
	size_t size = cairn_character_at(rest, &character);
	*at += size ? size : 1;
	return utf8_encode(size ? character : REPLACEMENT, out);
}

bool json_reader_text(const struct json_reader_value *value, char *out, size_t room)
{
	struct cairn_bytes text = value->text;
	size_t used = 0, at = 0;

	INVARIANT(room > 0);
	out[0] = '\0';
	if (value->kind != JSON_READER_STRING && value->kind != JSON_READER_NUMBER)
		return false;
	while (at < text.size) {
		const size_t plain =
			json_plain_run((struct cairn_bytes){ text.data + at, text.size - at });
		const size_t copied = plain < room - 1 - used ? plain : room - 1 - used;
		memcpy(out + used, text.data + at, copied);
		used += copied;
		at += copied;
		if (copied < plain || at == text.size)
			break;
		uint8_t character[4];
		size_t size = json_reader_character(text, &at, character);
		if (size >= room - used)
			break;
		memcpy(out + used, character, size);
		used += size;
	}
	out[used] = '\0';
	return true;
}

bool json_reader_whole(const struct json_reader_value *value, uint64_t *number)
{
	uint64_t sum = 0;

	if (value->kind != JSON_READER_NUMBER)
		return false;
	for (size_t i = 0; i < value->text.size; i++) {
		const uint8_t c = value->text.data[i];
		if (c < '0' || c > '9' || sum > (UINT64_MAX - (uint64_t)(c - '0')) / 10)
			return false;
		sum = 10 * sum + (uint64_t)(c - '0');
	}
	*number = sum;
	return true;
}
