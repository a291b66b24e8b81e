/* SPDX-License-Identifier: MIT */
/*
 * Finds the characters in a JSON string that need an escape, sixteen bytes at a time, and writes
 * the escapes.
 */
#include "json_escape.h"

#include <string.h>

#define EACH_BYTE UINT64_C(0x0101010101010101)

enum { BLOCK = 16 };

/* compilers generate vector instructions for these types where possible */
typedef uint8_t block __attribute__((vector_size(BLOCK)));
typedef int8_t signed_block __attribute__((vector_size(BLOCK)));

static bool needs_escape(uint8_t c)
{
	return c < 0x20 || c >= 0x7f || c == '\\' || c == '"';
}

/*
 * Set the high bit of the lowest byte of `word` that is below `limit`, which is at most 0x80. The
 * bits of higher bytes may be wrong.
 */
static uint64_t mark_below(uint64_t word, uint8_t limit)
{
	return (word - EACH_BYTE * limit) & ~word;
}

/* Return a nonzero value if any of eight characters needs an escape. */
static uint64_t mark_word(uint64_t word)
{
	/*
	 * Adding 1 to 0xff carries into the next byte. The result is still nonzero, because 0xff
	 * itself is marked.
	 */
	return (mark_below(word, 0x20) | (word + EACH_BYTE) | word |
	        mark_below(word ^ EACH_BYTE * '\\', 1) | mark_below(word ^ EACH_BYTE * '"', 1)) &
	       EACH_BYTE * 0x80;
}

/* Return a vector with nonzero bytes where a character needs an escape. */
static block mark_block(block b)
{
	/* adding 1 makes 0x7f and all higher values negative or 0 */
	block outside = (block)((signed_block)(b + 1) < 0x21);

	return outside | (block)(b == '\\') | (block)(b == '"');
}

static bool is_marked(block marks)
{
	uint64_t half[2];

	memcpy(half, &marks, sizeof(half));
	return (half[0] | half[1]) != 0;
}

size_t json_plain_run(struct cairn_bytes text)
{
	size_t run = 0;
	uint64_t word;
	block b;

	for (; text.size - run >= BLOCK; run += BLOCK) {
		memcpy(&b, text.data + run, BLOCK);
		if (is_marked(mark_block(b)))
			break;
	}
	for (; text.size - run >= sizeof(word); run += sizeof(word)) {
		memcpy(&word, text.data + run, sizeof(word));
		if (mark_word(word))
			break;
	}
	while (run < text.size && !needs_escape(text.data[run]))
		run++;
	return run;
}

static bool copy_plain_rest(char *to, const uint8_t *from, size_t size)
{
	uint64_t word, marks = 0;
	size_t at = 0;
	bool bad = false;

	for (; size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, from + at, sizeof(word));
		memcpy(to + at, &word, sizeof(word));
		marks |= mark_word(word);
	}
	for (; at < size; at++) {
		to[at] = (char)from[at];
		bad |= needs_escape(from[at]);
	}
	return !marks && !bad;
}

bool json_copy_plain(char *to, const uint8_t *from, size_t size)
{
	block marks = { 0 }, b;

	if (size < BLOCK)
		return copy_plain_rest(to, from, size);
	for (size_t at = 0; size - at > BLOCK; at += BLOCK) {
		memcpy(&b, from + at, BLOCK);
		memcpy(to + at, &b, BLOCK);
		marks |= mark_block(b);
	}
	/* the last block may overlap the previous one */
	memcpy(&b, from + size - BLOCK, BLOCK);
	memcpy(to + size - BLOCK, &b, BLOCK);
	return !is_marked(marks | mark_block(b));
}

static char *put_text(char *at, const char *text, size_t size)
{
	memcpy(at, text, size);
	return at + size;
}

static char *put_code(char *at, uint32_t c)
{
	static const char digits[] = "0123456789abcdef";
	unsigned shift = 12;

	while (c >> shift > 15)
		shift += 4;
	at = put_text(at, "\\u", 2);
	for (unsigned left = shift + 4; left > 0; left -= 4)
		*at++ = digits[c >> (left - 4) & 15];
	return at;
}

char *json_put_character(char *at, struct cairn_bytes *text)
{
	const char first = (char)text->data[0];
	const char *whole = (const char *)text->data;
	uint32_t c = 0;
	size_t size = cairn_character_at(*text, &c), taken = size ? size : 1;

	text->data += taken;
	text->size -= taken;
	if (size == 0)
		return put_text(at, "\\ufffd", 6);
	if (c == '"' || c == '\\') {
		*at++ = '\\';
		*at++ = first;
		return at;
	}
	if (c == '\n')
		return put_text(at, "\\n", 2);
	if (c == '\t')
		return put_text(at, "\\t", 2);
	return cairn_character_is_printable(c) ? put_text(at, whole, size) : put_code(at, c);
}
