/* SPDX-License-Identifier: MIT */
/*
 * Reads numbers and identifiers of Rust names, and writes the output:
 *
 *	identifier = ["s" number] ["u"] length ["_"] text
 *	number     = (digit | small | capital)* "_"
 */
#include "parts.h"

#include "base/utf8.h"

void rust_fail(struct rust_name *r)
{
	r->failed = true;
	r->at = r->name.size;
}

bool rust_enter(struct rust_name *r)
{
	if (r->failed || r->steps == 0 || r->depth == RUST_DEPTH) {
		r->exhausted = r->exhausted || !r->failed;
		rust_fail(r);
		return false;
	}
	r->steps--;
	r->depth++;
	return true;
}

uint8_t rust_next(struct rust_name *r)
{
	if (r->at == r->name.size) {
		rust_fail(r);
		return 0;
	}
	return r->name.data[r->at++];
}

static int find_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 36 : -1;
}

uint64_t rust_number(struct rust_name *r)
{
	uint64_t number = 0;

	if (rust_take(r, '_'))
		return 0;
	while (!rust_take(r, '_')) {
		int digit = find_digit(rust_peek(r));
		if (digit < 0 || number > (UINT64_MAX - 2 - (unsigned)digit) / 62) {
			rust_fail(r);
			return 0;
		}
		number = number * 62 + (unsigned)digit;
		r->at++;
	}
	return number + 1;
}

uint64_t rust_optional_number(struct rust_name *r, char tag)
{
	return rust_take(r, tag) ? rust_number(r) + 1 : 0;
}

static size_t read_text_length(struct rust_name *r)
{
	size_t length = 0;

	if (rust_take(r, '0'))
		return 0;
	if (rust_peek(r) < '1' || rust_peek(r) > '9')
		rust_fail(r);
	while (rust_peek(r) >= '0' && rust_peek(r) <= '9' && length <= RUST_NAME_MAX)
		length = 10 * length + (size_t)(r->name.data[r->at++] - '0');
	return length;
}

/* Split an identifier into its ASCII letters and the punycode after the last '_'. */
static void split_punycode(struct rust_name *r, struct rust_identifier *identifier)
{
	struct cairn_bytes text = identifier->ascii;
	size_t end = text.size;

	while (end > 0 && text.data[end - 1] != '_')
		end--;
	identifier->ascii.size = end > 0 ? end - 1 : 0;
	identifier->code = (struct cairn_bytes){ text.data + end, text.size - end };
	if (identifier->code.size == 0)
		rust_fail(r);
}

struct rust_identifier rust_read_identifier(struct rust_name *r)
{
	struct rust_identifier identifier = { .number = rust_optional_number(r, 's') };
	bool is_punycode = rust_take(r, 'u');
	size_t length = read_text_length(r);

	(void)rust_take(r, '_');
	if (r->failed || length > r->name.size - r->at) {
		rust_fail(r);
		return identifier;
	}
	identifier.ascii = (struct cairn_bytes){ r->name.data + r->at, length };
	r->at += length;
	if (is_punycode)
		split_punycode(r, &identifier);
	return identifier;
}

size_t rust_begin_reference(struct rust_name *r)
{
	size_t tag = r->at - 1, back;
	uint64_t target = rust_number(r);

	back = r->at;
	if (r->failed || target >= tag) {
		rust_fail(r);
		return SIZE_MAX;
	}
	if (r->silent)
		return SIZE_MAX;
	r->at = (size_t)target;
	return back;
}

void rust_bytes(struct rust_name *r, const void *text, size_t size)
{
	if (r->silent || r->failed || size == 0)
		return;
	if (size > r->room - r->size) {
		r->exhausted = true;
		rust_fail(r);
		return;
	}
	memcpy(r->out + r->size, text, size);
	r->size += size;
}

size_t rust_list(struct rust_name *r, const char *between, void (*print_item)(struct rust_name *r))
{
	size_t count = 0;

	for (; !r->failed && !rust_take(r, 'E'); count++) {
		rust_word(r, count > 0 ? between : "");
		print_item(r);
	}
	return count;
}

void rust_decimal(struct rust_name *r, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	rust_bytes(r, digits + at, sizeof(digits) - at);
}

void rust_code_point(struct rust_name *r, uint32_t code)
{
	uint8_t text[4];

	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		rust_fail(r);
	else
		rust_bytes(r, text, utf8_encode(code, text));
}
