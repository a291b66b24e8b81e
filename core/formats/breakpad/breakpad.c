/* SPDX-License-Identifier: MIT */
/*
 * Reads Breakpad symbol files:
 *
 *	file    = line*                         each ends with \n or \r\n, except possibly the last
 *	MODULE os arch id name
 *	INFO CODE_ID id [file]
 *	FILE number name
 *	FUNC [m] address size parameters name
 *	address size line file                  of the FUNC before it
 *	INLINE_ORIGIN number [file] name
 *	INLINE depth line [file] origin (address size)+
 *	PUBLIC [m] address parameters name
 *	STACK ...                               see stack_cfi.c
 *
 * Fields are separated by spaces or tabs. Addresses, sizes and parameters are hexadecimal, all
 * other numbers are decimal. A name extends to the end of its line.
 */
#include "breakpad.h"

#include "base/bytes_compare.h"
#include "base/hex.h"

#include <string.h>

/* The rest of a line. `what` is set after a missing or invalid field. */
struct fields {
	const uint8_t *at, *end;
	const char *what;
};

static bool is_field_separator(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static void skip_blanks(struct fields *f)
{
	while (f->at < f->end && is_field_separator(*f->at))
		f->at++;
}

static void fail_fields(struct fields *f, const char *what)
{
	if (!f->what)
		f->what = what;
}

static struct cairn_bytes read_field_text(struct fields *f)
{
	skip_blanks(f);
	const uint8_t *start = f->at;
	while (f->at < f->end && !is_field_separator(*f->at))
		f->at++;
	return (struct cairn_bytes){ start, (size_t)(f->at - start) };
}

static struct cairn_bytes peek_field_text(const struct fields *f)
{
	struct fields ahead = *f;

	return read_field_text(&ahead);
}

/*
 * Parse a field that consists of digits. Return false if it contains anything else or exceeds
 * `most`.
 */
static bool parse_number(struct cairn_bytes text, unsigned base, uint64_t most, uint64_t *value)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < text.size; i++) {
		unsigned digit = hex_digit(text.data[i]);
		if (digit >= base || sum > (most - digit) / base)
			return false;
		sum = sum * base + digit;
	}
	*value = sum;
	return text.size > 0;
}

static uint64_t read_number_field(struct fields *f, unsigned base, uint64_t most)
{
	struct cairn_bytes text = read_field_text(f);
	uint64_t value = 0;

	if (text.size == 0)
		fail_fields(f, "a field is missing");
	else if (!parse_number(text, base, most, &value))
		fail_fields(f, "a field is not a number, or too large");
	return value;
}

static uint32_t read_decimal_field(struct fields *f)
{
	return (uint32_t)read_number_field(f, 10, UINT32_MAX);
}

static uint64_t read_file_or_none(struct fields *f)
{
	if (bytes_are(peek_field_text(f), "-1")) {
		read_field_text(f);
		return BREAKPAD_NO_FILE;
	}
	return read_decimal_field(f);
}

static void read_address_and_size(struct fields *f, uint64_t *address, uint64_t *size)
{
	*address = read_number_field(f, 16, UINT64_MAX);
	*size = read_number_field(f, 16, UINT32_MAX);
	if (!f->what && *size > UINT64_MAX - *address)
		fail_fields(f, "it ends past the end of the address space");
}

/* Read the rest of the line, which must not be empty. */
static struct cairn_bytes read_name_field(struct fields *f)
{
	skip_blanks(f);
	struct cairn_bytes text = { f->at, (size_t)(f->end - f->at) };
	f->at = f->end;
	if (text.size == 0)
		fail_fields(f, "the name is missing");
	return text;
}

static void reject_extra_fields(struct fields *f)
{
	if (peek_field_text(f).size != 0)
		fail_fields(f, "more fields than the record allows");
}

static void read_module(struct fields *f, struct breakpad_record *r)
{
	r->os = read_field_text(f);
	read_field_text(f);
	r->id = read_field_text(f);
	r->name = read_name_field(f);
}

/* Read an INFO line. Only CODE_ID has a grammar. */
static void read_info(struct fields *f, struct breakpad_record *r)
{
	if (!bytes_are(read_field_text(f), "CODE_ID"))
		return;
	r->kind = BREAKPAD_CODE_ID;
	r->id = read_field_text(f);
	for (size_t i = 0; i < r->id.size; i++)
		if (hex_digit(r->id.data[i]) == HEX_NO_DIGIT)
			fail_fields(f, "an ID that is not hexadecimal");
	if (r->id.size == 0)
		fail_fields(f, "a field is missing");
	skip_blanks(f);
	r->code_file = (struct cairn_bytes){ f->at, (size_t)(f->end - f->at) };
}

static void read_file(struct fields *f, struct breakpad_record *r)
{
	r->file = read_decimal_field(f);
	r->name = read_name_field(f);
}

static void read_shared(struct fields *f, struct breakpad_record *r)
{
	r->shared = bytes_are(peek_field_text(f), "m");
	if (r->shared)
		read_field_text(f);
}

static void read_func(struct fields *f, struct breakpad_record *r)
{
	read_shared(f, r);
	read_address_and_size(f, &r->address, &r->size);
	r->parameters = read_number_field(f, 16, UINT64_MAX);
	r->name = read_name_field(f);
}

static void read_public(struct fields *f, struct breakpad_record *r)
{
	read_shared(f, r);
	r->address = read_number_field(f, 16, UINT64_MAX);
	r->parameters = read_number_field(f, 16, UINT64_MAX);
	r->name = read_name_field(f);
}

static void read_line_record(struct fields *f, struct breakpad_record *r)
{
	read_address_and_size(f, &r->address, &r->size);
	r->line = read_decimal_field(f);
	r->file = read_decimal_field(f);
	reject_extra_fields(f);
}

/* Read an INLINE_ORIGIN record. The form of 2021 has a file number, or -1, in front of the name. */
static void read_origin(struct fields *f, struct breakpad_record *r)
{
	uint64_t value;

	r->origin = read_decimal_field(f);
	r->file = BREAKPAD_NO_FILE;
	struct fields ahead = *f;
	struct cairn_bytes first = read_field_text(&ahead);
	bool is_number = bytes_are(first, "-1") || parse_number(first, 10, UINT32_MAX, &value);
	if (is_number && peek_field_text(&ahead).size != 0)
		r->file = read_file_or_none(f);
	r->name = read_name_field(f);
}

static size_t count_words(struct fields f)
{
	size_t count = 0;

	while (read_field_text(&f).size != 0)
		count++;
	return count;
}

/*
 * Read an INLINE record. An even number of fields includes the file of the call; the form of 2021
 * does not have it.
 */
static void read_inline(struct fields *f, struct breakpad_record *r)
{
	bool has_file = count_words(*f) % 2 == 0;
	uint64_t address, size;

	r->depth = read_decimal_field(f);
	r->line = read_decimal_field(f);
	r->file = has_file ? read_file_or_none(f) : BREAKPAD_NO_FILE;
	r->origin = read_decimal_field(f);
	skip_blanks(f);
	r->ranges = (struct cairn_bytes){ f->at, (size_t)(f->end - f->at) };
	do
		read_address_and_size(f, &address, &size);
	while (!f->what && peek_field_text(f).size != 0);
}

bool breakpad_next_range(struct cairn_bytes *ranges, struct cairn_range *range)
{
	struct fields f = { ranges->data, ranges->data + ranges->size, NULL };
	uint64_t address, size;

	if (peek_field_text(&f).size == 0)
		return false;
	read_address_and_size(&f, &address, &size);
	*ranges = (struct cairn_bytes){ f.at, (size_t)(f.end - f.at) };
	*range = (struct cairn_range){ address, address + size };
	return !f.what;
}

static const struct {
	const char *keyword;
	enum breakpad_kind kind;
} keywords[] = {
	{ "MODULE", BREAKPAD_MODULE },
	{ "INFO", BREAKPAD_INFO },
	{ "FILE", BREAKPAD_FILE },
	{ "FUNC", BREAKPAD_FUNC },
	{ "INLINE_ORIGIN", BREAKPAD_ORIGIN },
	{ "INLINE", BREAKPAD_INLINE },
	{ "PUBLIC", BREAKPAD_PUBLIC },
	{ "STACK", BREAKPAD_STACK },
};

/* Return the kind of a record from its first field, and skip the field unless it is a number. */
static enum breakpad_kind read_record_kind(struct fields *f)
{
	struct cairn_bytes first = peek_field_text(f);
	uint64_t value;

	if (parse_number(first, 16, UINT64_MAX, &value))
		return BREAKPAD_LINE;
	read_field_text(f);
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (bytes_are(first, keywords[i].keyword))
			return keywords[i].kind;
	return BREAKPAD_UNKNOWN;
}

static void read_fields(struct fields *f, struct breakpad_record *r)
{
	switch (r->kind) {
	case BREAKPAD_MODULE:
		read_module(f, r);
		break;
	case BREAKPAD_INFO:
		read_info(f, r);
		break;
	case BREAKPAD_FILE:
		read_file(f, r);
		break;
	case BREAKPAD_FUNC:
		read_func(f, r);
		break;
	case BREAKPAD_LINE:
		read_line_record(f, r);
		break;
	case BREAKPAD_ORIGIN:
		read_origin(f, r);
		break;
	case BREAKPAD_INLINE:
		read_inline(f, r);
		break;
	case BREAKPAD_PUBLIC:
		read_public(f, r);
		break;
	case BREAKPAD_STACK:
		r->stack = (struct cairn_bytes){ f->at, (size_t)(f->end - f->at) };
		break;
	case BREAKPAD_CODE_ID:
	case BREAKPAD_UNKNOWN:
	case BREAKPAD_BAD:
		break;
	}
}

static void read_record(struct fields f, struct breakpad_record *r)
{
	const uint8_t *start = f.at;

	r->kind = read_record_kind(&f);
	if (memchr(start, 0, (size_t)(f.end - start)))
		fail_fields(&f, "a NUL inside");
	else
		read_fields(&f, r);
	if (!f.what)
		return;
	r->what = f.what;
	r->bad_kind = r->kind;
	r->kind = BREAKPAD_BAD;
}

struct breakpad breakpad_open(struct cairn_bytes bytes)
{
	return (struct breakpad){ .in = bytes };
}

static bool split_next_line(struct breakpad *b, struct fields *f)
{
	if (b->at >= b->in.size)
		return false;
	f->at = b->in.data + b->at;
	f->end = b->in.data + b->in.size;
	const uint8_t *newline = memchr(f->at, '\n', (size_t)(f->end - f->at));
	if (newline)
		f->end = newline;
	b->at = (size_t)(f->end - b->in.data) + 1;
	b->line_number++;
	while (f->end > f->at && f->end[-1] == '\r')
		f->end--;
	skip_blanks(f);
	return true;
}

bool breakpad_next(struct breakpad *breakpad, struct breakpad_record *record)
{
	static const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	struct fields f = { NULL, NULL, NULL };

	do
		if (!split_next_line(breakpad, &f))
			return false;
	while (f.at == f.end);
	*record = (struct breakpad_record){ .line_number = breakpad->line_number,
		                            .name = none,
		                            .os = none,
		                            .id = none,
		                            .code_file = none,
		                            .stack = none,
		                            .ranges = none };
	read_record(f, record);
	return true;
}

bool breakpad_is_likely(struct cairn_bytes bytes)
{
	enum { ENOUGH = 64 };
	struct breakpad b = breakpad_open(bytes);
	struct breakpad_record record;

	if (bytes.size > 0 && bytes.data[0] == 0x7f)
		return false; /* an ELF file, whose first line may be long */
	for (unsigned i = 0; i < ENOUGH && breakpad_next(&b, &record); i++) {
		if (record.kind == BREAKPAD_MODULE || record.kind == BREAKPAD_FUNC ||
		    record.kind == BREAKPAD_PUBLIC)
			return true;
		if (record.kind == BREAKPAD_UNKNOWN)
			return false;
	}
	return false;
}
