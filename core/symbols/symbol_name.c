/* SPDX-License-Identifier: MIT */
/* Normalizes symbol names, and demangles legacy Rust names. */
#include "symbol_name.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <string.h>

/* HASH_SIZE is the size of "17h", 16 hex digits and "E" */
enum { HASH_DIGITS = 16, HASH_SIZE = 20 };

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool has_rust_hash(struct cairn_bytes name)
{
	if (!bytes_begin_with(name, "_ZN") || name.size < 3 + HASH_SIZE)
		return false;
	const uint8_t *end = name.data + name.size - HASH_SIZE;
	if (memcmp(end, "17h", 3) != 0 || end[HASH_SIZE - 1] != 'E')
		return false;
	for (unsigned i = 0; i < HASH_DIGITS; i++)
		if (!is_digit(end[3 + i]) && (end[3 + i] < 'a' || end[3 + i] > 'f'))
			return false;
	return true;
}

enum symbol_language symbol_name_language(struct cairn_bytes name)
{
	if (has_rust_hash(name))
		return SYMBOL_RUST_HASH;
	if (bytes_begin_with(name, "_Z") || bytes_begin_with(name, "___Z"))
		return SYMBOL_CPP;
	return bytes_begin_with(name, "_R") ? SYMBOL_RUST : SYMBOL_OTHER;
}

/*
 * Remove the last occurrence of `suffix` and the number after it. Do nothing unless a number
 * follows and the string then ends or continues with a dot. Returns the new size.
 */
static size_t cut_numbered_suffix(char *text, size_t size, const char *suffix)
{
	size_t length = strlen(suffix);

	for (size_t at = size; at-- > 1;) {
		if (size - at < length || memcmp(text + at, suffix, length) != 0)
			continue;
		size_t end = at + length;
		while (end < size && is_digit((uint8_t)text[end]))
			end++;
		if (end == at + length || (end < size && text[end] != '.'))
			return size;
		memmove(text + at, text + end, size - end);
		return size - (end - at);
	}
	return size;
}

size_t symbol_name_strip_suffixes(struct cairn_bytes name, char *out)
{
	static const char *const suffixes[] = { ".clone.", ".constprop.", ".llvm.", ".isra.",
		                                ".part." };
	static const char cold[] = ".cold";
	size_t size = name.size, length = sizeof(cold) - 1;

	if (size == 0)
		return 0;
	memcpy(out, name.data, size);
	if (!memchr(out, '.', size))
		return size;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		size = cut_numbered_suffix(out, size, suffixes[i]);
	if (size > length && memcmp(out + size - length, cold, length) == 0)
		size -= length;
	return size;
}

static const struct {
	const char *code;
	const char *text;
} escapes[] = {
	{ "SP", "@" }, { "BP", "*" }, { "RF", "&" }, { "LT", "<" },
	{ "GT", ">" }, { "LP", "(" }, { "RP", ")" }, { "C", "," },
};

static unsigned hex_value(uint8_t c)
{
	return is_digit(c) ? c - (unsigned)'0' : c >= 'a' && c <= 'f' ? c - (unsigned)'a' + 10 : 16;
}

/*
 * Decode a Unicode escape such as "u7b" into UTF-8. Returns the number of bytes, or 0 if the escape
 * is invalid or the character is unprintable.
 */
static size_t decode_unicode_escape(struct cairn_bytes code, char *out)
{
	enum { DIGITS_MAX = 6 };
	uint32_t value = 0;

	if (code.size < 2 || code.size > 1 + DIGITS_MAX || code.data[0] != 'u')
		return 0;
	for (size_t i = 1; i < code.size; i++) {
		if (hex_value(code.data[i]) > 15)
			return 0;
		value = 16 * value + hex_value(code.data[i]);
	}
	/*
	 * leave control characters and surrogates escaped, because they must not reach a terminal
	 */
	if (value < 0x20 || (value >= 0x7f && value < 0xa0) || value > 0x10ffff ||
	    (value >= 0xd800 && value < 0xe000))
		return 0;
	return utf8_encode(value, (uint8_t *)out);
}

/* Decode the string between two '$'. Returns the number of bytes, or 0 if the string is invalid. */
static size_t decode_rust_code(struct cairn_bytes code, char *out)
{
	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++)
		if (bytes_are(code, escapes[i].code)) {
			*out = escapes[i].text[0];
			return 1;
		}
	return decode_unicode_escape(code, out);
}

/*
 * Decode the escape sequence at the start of `part`. Returns its size, or 0 if it is invalid. Sets
 * *made to the size of the output, which is smaller than the escape sequence.
 */
static size_t decode_rust_escape(struct cairn_bytes part, char *out, size_t *made)
{
	const uint8_t *end = part.size > 1 ? memchr(part.data + 1, '$', part.size - 1) : NULL;

	if (!end)
		return 0;
	struct cairn_bytes code = { part.data + 1, (size_t)(end - part.data) - 1 };
	*made = decode_rust_code(code, out);
	return *made ? code.size + 2 : 0;
}

/*
 * Append a path component. After an invalid escape sequence, copy the rest of the component
 * unchanged.
 */
static size_t append_rust_part(struct cairn_bytes part, char *out)
{
	size_t size = 0, taken, made;

	/* an identifier cannot begin with '$', so rustc inserts an underscore */
	if (bytes_begin_with(part, "_$")) {
		part.data++;
		part.size--;
	}
	for (; part.size > 0; part.data += taken, part.size -= taken, size += made) {
		taken = made = 1;
		if (bytes_begin_with(part, "..")) {
			taken = made = 2;
			memcpy(out + size, "::", 2);
		} else if (part.data[0] != '$') {
			out[size] = (char)part.data[0];
		} else {
			taken = decode_rust_escape(part, out + size, &made);
			if (taken == 0) {
				memcpy(out + size, part.data, part.size);
				return size + part.size;
			}
		}
	}
	return size;
}

size_t symbol_name_rust(struct cairn_bytes name, char *out)
{
	const uint8_t *at = name.data + 3, *end = name.data + name.size - HASH_SIZE;
	size_t size = 0;

	if (!has_rust_hash(name))
		return 0;
	while (at < end) {
		size_t length = 0;
		while (at < end && is_digit(*at) && length <= name.size)
			length = 10 * length + (size_t)(*at++ - '0');
		if (length == 0 || length > (size_t)(end - at))
			return 0;
		if (size > 0) {
			out[size++] = ':';
			out[size++] = ':';
		}
		size += append_rust_part((struct cairn_bytes){ at, length }, out + size);
		at += length;
	}
	return size;
}

/*
 * If `text` begins with "operator<" or a similar operator name, whose angle brackets do not enclose
 * template arguments, return the size of that name. Otherwise return 0.
 */
static size_t operator_size(struct cairn_bytes text)
{
	static const char *const signs[] = { "<<=", ">>=", "<=>", "->*", "<<", ">>",
		                             "<=",  ">=",  "->",  "<",   ">" };
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;

	if (!bytes_begin_with(text, word))
		return 0;
	struct cairn_bytes rest = { text.data + length, text.size - length };
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (bytes_begin_with(rest, signs[i]))
			return length + strlen(signs[i]);
	return 0;
}

size_t symbol_name_sign_size(struct cairn_bytes text)
{
	switch (text.data[0]) {
	case 'o':
		return operator_size(text);
	case '-':
		return bytes_begin_with(text, "->") ? 2 : 0;
	default:
		return 0;
	}
}

static size_t usual_size(struct cairn_bytes text)
{
	static const bool special[256] = { ['<'] = true, ['>'] = true, ['o'] = true, ['-'] = true };
	size_t size = 0;

	while (size < text.size && !special[text.data[size]])
		size++;
	return size;
}

size_t symbol_name_strip_templates(struct cairn_bytes name, char *out)
{
	size_t size = 0, depth = 0, kept;

	if (name.size == 0 || !memchr(name.data, '<', name.size)) {
		if (name.size > 0)
			memcpy(out, name.data, name.size);
		return name.size;
	}
	for (; name.size > 0; name.data += kept, name.size -= kept) {
		kept = usual_size(name);
		if (kept == 0)
			kept = symbol_name_sign_size(name);
		if (kept == 0) {
			kept = 1;
			if (name.data[0] == '<') {
				depth++;
				continue;
			}
			if (name.data[0] == '>' && depth > 0) {
				depth--;
				continue;
			}
		}
		if (depth == 0) {
			memcpy(out + size, name.data, kept);
			size += kept;
		}
	}
	return size;
}
