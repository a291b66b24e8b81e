/* SPDX-License-Identifier: MIT */
/*
 * Prints constants:
 *
 *	constant = letter of an integer ["n"] hex* "_" | "b" ("0" | "1") "_" | "c" hex* "_"
 *	         | "e" hex* "_"                                      string
 *	         | ("R" | "Q") constant | "A" constant* "E" | "T" constant* "E"
 *	         | "V" path ("U" | "T" constant* "E" | "S" (identifier constant)* "E")
 *	         | "p" | "B" number
 */
#include "parts.h"

static int find_nibble(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static struct cairn_bytes read_nibbles(struct rust_name *r)
{
	size_t start = r->at;

	while (find_nibble(rust_peek(r)) >= 0)
		r->at++;
	struct cairn_bytes nibbles = { r->name.data + start, r->at - start };
	if (!rust_take(r, '_'))
		rust_fail(r);
	return nibbles;
}

/* Compute the value of hexadecimal digits. Return false if it exceeds 64 bits. */
static bool value_of(struct cairn_bytes nibbles, uint64_t *value)
{
	*value = 0;
	while (nibbles.size > 0 && *nibbles.data == '0') {
		nibbles.data++;
		nibbles.size--;
	}
	for (size_t i = 0; i < nibbles.size; i++)
		*value = *value << 4 | (unsigned)find_nibble(nibbles.data[i]);
	return nibbles.size <= 16;
}

static void print_whole_number(struct rust_name *r)
{
	struct cairn_bytes nibbles = read_nibbles(r);
	uint64_t value;

	if (value_of(nibbles, &value)) {
		rust_decimal(r, value);
		return;
	}
	rust_word(r, "0x");
	rust_bytes(r, nibbles.data, nibbles.size);
}

static void print_bool(struct rust_name *r)
{
	uint64_t value;

	if (!value_of(read_nibbles(r), &value) || value > 1)
		rust_fail(r);
	rust_word(r, value ? "true" : "false");
}

/* Print a character with Rust's escapes: \t, \n, \u{7f}. */
static void print_escaped(struct rust_name *r, uint32_t code, char quote)
{
	static const char hex[] = "0123456789abcdef";
	static const char plain[] = "\t\r\n\\", letters[] = "trn\\";
	const char *found = code > 0 && code < 0x80 ? strchr(plain, (int)code) : NULL;
	char pair[2] = { '\\', quote };

	if (found || code == (uint32_t)quote) {
		pair[1] = found ? letters[found - plain] : quote;
		rust_bytes(r, pair, 2);
	} else if (code == 0) {
		rust_word(r, "\\0");
	} else if (code < 0x20 || code == 0x7f) {
		rust_word(r, "\\u{");
		if (code >= 16)
			rust_bytes(r, &hex[code >> 4], 1);
		rust_bytes(r, &hex[code & 15], 1);
		rust_word(r, "}");
	} else {
		rust_code_point(r, code);
	}
}

static void print_char(struct rust_name *r)
{
	uint64_t value;

	if (!value_of(read_nibbles(r), &value) || value > 0x10ffff) {
		rust_fail(r);
		return;
	}
	rust_word(r, "'");
	print_escaped(r, (uint32_t)value, '\'');
	rust_word(r, "'");
}

/*
 * Decode a UTF-8 character from hexadecimal digits. Return its size in bytes, or 0 if it is
 * invalid.
 */
static size_t decode_character(struct cairn_bytes nibbles, uint32_t *code)
{
	uint8_t bytes[4] = { 0 };
	size_t count = nibbles.size / 2, size;

	for (size_t i = 0; i < count && i < 4; i++)
		bytes[i] = (uint8_t)(find_nibble(nibbles.data[2 * i]) << 4 |
		                     find_nibble(nibbles.data[2 * i + 1]));
	size = bytes[0] < 0x80 ? 1 : bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
	if (size > count || (bytes[0] >= 0x80 && bytes[0] < 0xc2) || bytes[0] > 0xf4)
		return 0;
	*code = size == 1 ? bytes[0] : bytes[0] & (0xffu >> (size + 1));
	for (size_t i = 1; i < size; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (bytes[i] & 0x3f);
	}
	return size;
}

static void print_text(struct rust_name *r)
{
	struct cairn_bytes nibbles = read_nibbles(r);
	uint32_t code = 0;

	if (nibbles.size % 2 != 0)
		rust_fail(r);
	rust_word(r, "\"");
	while (nibbles.size > 0 && !r->failed) {
		size_t size = decode_character(nibbles, &code);
		if (size == 0) {
			rust_fail(r);
			break;
		}
		print_escaped(r, code, '"');
		nibbles.data += 2 * size;
		nibbles.size -= 2 * size;
	}
	rust_word(r, "\"");
}

static void print_inner_constant(struct rust_name *r)
{
	rust_constant(r, true);
}

static void print_field(struct rust_name *r)
{
	rust_print_identifier(r, rust_read_identifier(r));
	rust_word(r, ": ");
	rust_constant(r, true);
}

static void print_variant(struct rust_name *r)
{
	rust_path(r, true);
	if (rust_take(r, 'T')) {
		rust_word(r, "(");
		(void)rust_list(r, ", ", print_inner_constant);
		rust_word(r, ")");
	} else if (rust_take(r, 'S')) {
		rust_word(r, " { ");
		(void)rust_list(r, ", ", print_field);
		rust_word(r, " }");
	} else if (!rust_take(r, 'U')) {
		rust_fail(r);
	}
}

/* Print a reference. A reference to a string is printed as the string. */
static void print_constant_reference(struct rust_name *r, bool mutable)
{
	if (!mutable && rust_take(r, 'e')) {
		print_text(r);
		return;
	}
	rust_word(r, mutable ? "&mut " : "&");
	rust_constant(r, true);
}

static void print_earlier_constant(struct rust_name *r, bool in_value)
{
	size_t back = rust_begin_reference(r);

	if (back == SIZE_MAX)
		return;
	rust_constant(r, in_value);
	r->at = r->failed ? r->name.size : back;
}

/* Print a compound constant, in braces unless it is part of another constant. */
static void print_compound(struct rust_name *r, uint8_t kind, bool in_value)
{
	size_t count;

	rust_word(r, in_value ? "" : "{");
	switch (kind) {
	case 'e':
		rust_word(r, "*");
		print_text(r);
		break;
	case 'R':
	case 'Q':
		print_constant_reference(r, kind == 'Q');
		break;
	case 'A':
		rust_word(r, "[");
		(void)rust_list(r, ", ", print_inner_constant);
		rust_word(r, "]");
		break;
	case 'T':
		rust_word(r, "(");
		count = rust_list(r, ", ", print_inner_constant);
		rust_word(r, count == 1 ? ",)" : ")");
		break;
	default:
		print_variant(r);
		break;
	}
	rust_word(r, in_value ? "" : "}");
}

static void print_simple(struct rust_name *r, uint8_t kind, bool in_value)
{
	if (kind == 'p') {
		rust_word(r, "_");
	} else if (kind == 'b') {
		print_bool(r);
	} else if (kind == 'c') {
		print_char(r);
	} else if (kind == 'B') {
		print_earlier_constant(r, in_value);
	} else if (kind != 0 && strchr("hjmoty", kind)) {
		print_whole_number(r);
	} else if (kind != 0 && strchr("ailnsx", kind)) {
		rust_word(r, rust_take(r, 'n') ? "-" : "");
		print_whole_number(r);
	} else {
		rust_fail(r);
	}
}

void rust_constant(struct rust_name *r, bool in_value)
{
	if (!rust_enter(r))
		return;
	uint8_t kind = rust_next(r);
	bool text = kind == 'R' && rust_peek(r) == 'e';
	if (kind != 0 && strchr("eRQATV", kind))
		print_compound(r, kind, in_value || text);
	else
		print_simple(r, kind, in_value);
	rust_leave(r);
}
