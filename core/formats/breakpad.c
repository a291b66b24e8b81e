/* SPDX-License-Identifier: MIT */
/*
 * Reads Breakpad symbol files:
 *
 *	file    = line*                         each ends with \n or \r\n, except possibly the last
 *	MODULE os arch id name
 *	INFO CODE_ID id [file]
 *	FILE number name
 *	FUNC [m] address size parameters name
 *	address size line file                  of the preceding FUNC
 *	INLINE_ORIGIN number [file] name
 *	INLINE depth line [file] origin (address size)+
 *	PUBLIC [m] address parameters name
 *	STACK ...                               see below
 *
 * Fields are separated by spaces or tabs. Addresses, sizes and parameters are hexadecimal, all
 * other numbers are decimal. A name extends to the end of its line.
 */
#include "breakpad.h"

#include "base/bytes.h"
#include "base/encoding.h"

#include <cairn.h>

#include <string.h>

static bool is_number(struct cairn_bytes token);

static inline bool breakpad_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static inline struct cairn_bytes breakpad_next_token(struct cairn_bytes *text)
{
	size_t from = 0, to;

	while (from < text->size && breakpad_is_blank(text->data[from]))
		from++;
	for (to = from; to < text->size && !breakpad_is_blank(text->data[to]);)
		to++;
	struct cairn_bytes token = { text->data + from, to - from };
	*text = (struct cairn_bytes){ text->data + to, text->size - to };
	return token;
}

/* Unread rest of a line. `what` is an error message, set once a field is missing or invalid. */
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
 * Parse a field that consists of digits. Return false if it contains other characters or its value
 * exceeds `most`.
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
		fail_fields(f, "a field is not a number or is too large");
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
		fail_fields(f, "the range extends past the end of the address space");
}

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
		fail_fields(f, "too many fields");
}

static void read_module(struct fields *f, struct breakpad_record *r)
{
	r->os = read_field_text(f);
	read_field_text(f);
	r->id = read_field_text(f);
	r->name = read_name_field(f);
}

/* Read an INFO record. Types other than CODE_ID are not validated. */
static void read_info(struct fields *f, struct breakpad_record *r)
{
	if (!bytes_are(read_field_text(f), "CODE_ID"))
		return;
	r->kind = BREAKPAD_CODE_ID;
	r->id = read_field_text(f);
	for (size_t i = 0; i < r->id.size; i++)
		if (hex_digit(r->id.data[i]) == HEX_NO_DIGIT)
			fail_fields(f, "the ID is not hexadecimal");
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

/*
 * Read an INLINE_ORIGIN record. In the original syntax of 2021, a file number or -1 precedes the
 * name.
 */
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
 * Read an INLINE record. If the number of fields is even, the record contains the file of the call
 * site, a field that does not exist in the original syntax of 2021.
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

/*
 * Return the kind of a record according to its first field. Consume this field unless it is a
 * number, which is the address in a line record.
 */
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
		fail_fields(&f, "the line contains a NUL byte");
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
		return false; /* ELF file: reject it early, because its first line may be long */
	for (unsigned i = 0; i < ENOUGH && breakpad_next(&b, &record); i++) {
		if (record.kind == BREAKPAD_MODULE || record.kind == BREAKPAD_FUNC ||
		    record.kind == BREAKPAD_PUBLIC)
			return true;
		if (record.kind == BREAKPAD_UNKNOWN)
			return false;
	}
	return false;
}

/*
 * Decodes a module's ID: a GUID, 16 bytes in hexadecimal digits, followed by the age. For modules
 * with a build ID, the GUID consists of the first 16 bytes of the build ID, stored as a native
 * GUID, in which the bytes of the first group (4 bytes) and of the next two groups (2 bytes each)
 * are reversed. On macOS, the GUID is the UUID in LC_UUID, and on Windows the GUID of the PDB file,
 * both in their original byte order.
 */

enum { GUID_SIZE = 16 };

static bool parse_id_digits(struct cairn_bytes digits, uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned high = hex_digit(digits.data[2 * i]);
		unsigned low = hex_digit(digits.data[2 * i + 1]);
		if (high == HEX_NO_DIGIT || low == HEX_NO_DIGIT)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static void reverse_bytes(uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size / 2; i++) {
		uint8_t first = bytes[i];
		bytes[i] = bytes[size - 1 - i];
		bytes[size - 1 - i] = first;
	}
}

static size_t decode_module_id(const struct breakpad_record *record, uint8_t id[BREAKPAD_ID_MAX])
{
	bool in_order = bytes_are(record->os, "mac") || bytes_are(record->os, "ios") ||
	                bytes_are(record->os, "windows");

	if (record->id.size < 2 * (size_t)GUID_SIZE || !parse_id_digits(record->id, id, GUID_SIZE))
		return 0;
	if (!in_order) {
		reverse_bytes(id, 4);
		reverse_bytes(id + 4, 2);
		reverse_bytes(id + 6, 2);
	}
	return GUID_SIZE;
}

size_t breakpad_build_id(const struct breakpad_record *record, uint8_t id[BREAKPAD_ID_MAX])
{
	size_t size = record->id.size / 2;

	if (record->kind == BREAKPAD_MODULE)
		return decode_module_id(record, id);
	if (record->kind != BREAKPAD_CODE_ID || record->code_file.size != 0)
		return 0;
	if (record->id.size % 2 != 0 || size > BREAKPAD_ID_MAX)
		return 0;
	return parse_id_digits(record->id, id, size) ? size : 0;
}

/*
 * Evaluates the postfix expressions in STACK CFI records:
 *
 *	a b +  -  *  /  %       unsigned integers of the word size
 *	a b @                   a rounded down to a multiple of b, a power of two
 *	a ^                     word in memory at a
 *	number                  decimal, optionally with a minus sign
 *	.cfa                    address of the frame
 *	anything else           register in the frame itself
 */

struct evaluation {
	const struct breakpad_values *values;
	uint64_t mask;
	uint64_t stack[BREAKPAD_EXPRESSION_STACK];
	size_t depth;
	enum cairn_status status;
	const char *what;
};

static void fail_evaluation(struct evaluation *e, enum cairn_status status, const char *what)
{
	e->status = status;
	e->what = what;
}

static void push_value(struct evaluation *e, uint64_t value)
{
	if (e->depth == BREAKPAD_EXPRESSION_STACK)
		fail_evaluation(e, CAIRN_MALFORMED, "an expression exceeds the stack limit");
	else
		e->stack[e->depth++] = value & e->mask;
}

static uint64_t pop_value(struct evaluation *e)
{
	if (e->depth > 0)
		return e->stack[--e->depth];
	fail_evaluation(e, CAIRN_MALFORMED, "an expression pops from an empty stack");
	return 0;
}

static void apply_division(struct evaluation *e, uint8_t symbol, uint64_t left, uint64_t right)
{
	if (right == 0)
		fail_evaluation(e, CAIRN_MALFORMED, "an expression divides by zero");
	else
		push_value(e, symbol == '/' ? left / right : left % right);
}

static void apply_alignment(struct evaluation *e, uint64_t left, uint64_t right)
{
	if (right == 0 || (right & (right - 1)))
		fail_evaluation(e, CAIRN_MALFORMED,
		                "an alignment in an expression is not a power of two");
	else
		push_value(e, left & ~(right - 1));
}

static void apply_operator(struct evaluation *e, uint8_t symbol)
{
	uint64_t right = pop_value(e), left = pop_value(e);

	if (e->status != CAIRN_OK)
		return;
	if (symbol == '+')
		push_value(e, left + right);
	else if (symbol == '-')
		push_value(e, left - right);
	else if (symbol == '*')
		push_value(e, left * right);
	else if (symbol == '@')
		apply_alignment(e, left, right);
	else
		apply_division(e, symbol, left, right);
}

static void read_memory_word(struct evaluation *e)
{
	uint64_t address = pop_value(e), value;

	if (e->status != CAIRN_OK)
		return;
	if (e->values->read_word(e->values->context, address, &value))
		push_value(e, value);
	else
		fail_evaluation(e, CAIRN_UNREADABLE, "an expression reads unreadable memory");
}

static bool is_number(struct cairn_bytes token)
{
	size_t first = token.size > 1 && token.data[0] == '-';

	return token.data[first] >= '0' && token.data[first] <= '9';
}

static void push_number(struct evaluation *e, struct cairn_bytes token)
{
	bool negative = token.data[0] == '-';
	uint64_t sum = 0;

	for (size_t i = negative; i < token.size; i++) {
		unsigned digit = token.data[i] - (unsigned)'0';
		if (digit > 9 || sum > (UINT64_MAX - digit) / 10) {
			fail_evaluation(e, CAIRN_MALFORMED,
			                "a number in an expression is not decimal or is too large");
			return;
		}
		sum = sum * 10 + digit;
	}
	push_value(e, negative ? -sum : sum);
}

static void push_named(struct evaluation *e, struct cairn_bytes token)
{
	uint64_t value;

	if (bytes_are(token, ".cfa") && e->values->cfa)
		push_value(e, *e->values->cfa);
	else if (token.data[0] == '.')
		fail_evaluation(e, CAIRN_NOT_FOUND,
		                "an expression uses a value that cannot be recovered");
	else if (e->values->read_register(e->values->context, token, &value))
		push_value(e, value);
	else
		fail_evaluation(e, CAIRN_NOT_FOUND,
		                "an expression uses a register whose value is unknown");
}

static void evaluate_token(struct evaluation *e, struct cairn_bytes token)
{
	uint8_t first = token.data[0];

	if (token.size == 1 && first == '^')
		read_memory_word(e);
	else if (token.size == 1 && first != 0 && strchr("+-*/%@", first))
		apply_operator(e, first);
	else if (is_number(token))
		push_number(e, token);
	else
		push_named(e, token);
}

enum cairn_status breakpad_evaluate(struct cairn_bytes expression,
                                    const struct breakpad_values *values, uint64_t *value,
                                    struct cairn_fault *fault)
{
	struct evaluation e = { .values = values,
		                .mask = values->word == 4 ? UINT32_MAX : UINT64_MAX };
	struct cairn_bytes rest = expression, token = { expression.data, 0 };

	if (expression.size > BREAKPAD_EXPRESSION_MAX)
		fail_evaluation(&e, CAIRN_UNSUPPORTED, "an expression is too long");
	while (e.status == CAIRN_OK && (token = breakpad_next_token(&rest)).size > 0)
		evaluate_token(&e, token);
	if (e.status == CAIRN_OK && e.depth != 1)
		fail_evaluation(&e, CAIRN_MALFORMED,
		                "an expression does not yield exactly one value");
	*fault = (struct cairn_fault){ e.status, (uint64_t)(token.data - expression.data), e.what };
	if (e.status == CAIRN_OK)
		*value = e.stack[0];
	return e.status;
}

/*
 * Reads STACK records:
 *
 *	stack = "CFI" "INIT" address size rule+
 *	      | "CFI" address rule+
 *	      | "WIN" ...
 *	rule  = name: token+                    a token that ends with a colon begins the next rule
 *
 * Fields are separated by spaces or tabs. `address` and `size` are hexadecimal.
 */

static bool read_hex_token(struct cairn_bytes *text, uint64_t *value)
{
	struct cairn_bytes token = breakpad_next_token(text);
	uint64_t sum = 0;

	for (size_t i = 0; i < token.size; i++) {
		unsigned digit = hex_digit(token.data[i]);
		if (digit == HEX_NO_DIGIT || sum >> 60)
			return false;
		sum = sum << 4 | digit;
	}
	*value = sum;
	return token.size > 0;
}

static bool is_rule_name(struct cairn_bytes token)
{
	return token.size > 1 && token.data[token.size - 1] == ':';
}

bool breakpad_next_rule(struct cairn_bytes *rules, struct breakpad_rule *rule)
{
	struct cairn_bytes ahead = *rules, name = breakpad_next_token(&ahead), rest = ahead;
	struct cairn_bytes first = breakpad_next_token(&ahead), token = first;
	const uint8_t *end = NULL;

	if (!is_rule_name(name))
		return false;
	for (; token.size > 0 && !is_rule_name(token); token = breakpad_next_token(&ahead)) {
		end = token.data + token.size;
		rest = ahead;
	}
	if (!end)
		return false;
	rule->name = (struct cairn_bytes){ name.data, name.size - 1 };
	rule->expression = (struct cairn_bytes){ first.data, (size_t)(end - first.data) };
	*rules = rest;
	return true;
}

static bool has_sound_rules(struct cairn_bytes rules)
{
	struct breakpad_rule rule;
	unsigned count = 0;

	while (breakpad_next_rule(&rules, &rule))
		count++;
	return count > 0 && breakpad_next_token(&rules).size == 0;
}

static void read_rules(struct cairn_bytes text, struct breakpad_stack *stack)
{
	bool init = stack->kind == BREAKPAD_STACK_INIT;

	if (!read_hex_token(&text, &stack->address) ||
	    (init && !read_hex_token(&text, &stack->size)))
		stack->what = "an address or a size is missing, not a number, or too large";
	else if (init && stack->size > UINT64_MAX - stack->address)
		stack->what = "the range extends past the end of the address space";
	else if (!has_sound_rules(text))
		stack->what = "a rule is missing, or has no expression";
	else
		stack->rules = text;
	if (stack->what)
		stack->kind = BREAKPAD_STACK_BAD;
}

void breakpad_read_stack(struct cairn_bytes text, struct breakpad_stack *stack)
{
	struct cairn_bytes word = breakpad_next_token(&text), ahead = text;

	*stack = (struct breakpad_stack){ .kind = BREAKPAD_STACK_DELTA, .rules = { text.data, 0 } };
	if (bytes_are(word, "WIN")) {
		stack->kind = BREAKPAD_STACK_WIN;
	} else if (!bytes_are(word, "CFI")) {
		stack->kind = BREAKPAD_STACK_BAD;
		stack->what = "neither CFI nor WIN";
	} else {
		if (bytes_are(breakpad_next_token(&ahead), "INIT")) {
			stack->kind = BREAKPAD_STACK_INIT;
			text = ahead;
		}
		read_rules(text, stack);
	}
}
