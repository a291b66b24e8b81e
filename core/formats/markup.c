/* SPDX-License-Identifier: MIT */
/*
 * Splits a line as described in docs/formats/markup.md:
 *
 *	line    = (text | sgr | element)*
 *	element = "{{{" tag (":" field)* "}}}"       the first }}} ends it
 *	tag     = [a-z]+
 *	sgr     = ESC "[" ("0" | "1" | "3" [0-7]) "m"
 *
 * Text that looks like the start of an element but is not one is plain text. Each byte is examined
 * a bounded number of times: after a failed search for }}}, the search is not repeated.
 */
#include "markup.h"

#include "base/bytes.h"
#include "base/encoding.h"

#include <string.h>

enum { BLOCK = 64, ESCAPE = 0x1b, BRACES = 3 };

static const uint8_t *find_three(const uint8_t *from, const uint8_t *end, int c)
{
	while (end - from >= BRACES) {
		from = memchr(from, c, (size_t)(end - from) - 2);
		if (!from)
			return NULL;
		if (from[1] == c && from[2] == c)
			return from;
		from += from[1] == c ? 1 : 2;
	}
	return NULL;
}

/*
 * Return true if no element or escape sequence starts in the block. The loop has no branches, so
 * compilers can vectorize it.
 */
static bool is_plain_block(const uint8_t *p)
{
	uint8_t found = 0;

	for (unsigned i = 0; i < BLOCK; i++) {
		uint8_t braces = (uint8_t)((p[i] == '{') & (p[i + 1] == '{') & (p[i + 2] == '{'));
		found = (uint8_t)(found | braces | (p[i] == ESCAPE));
	}
	return !found;
}

size_t markup_plain_prefix(struct cairn_bytes text)
{
	size_t at = 0;

	for (;;) {
		while (text.size - at >= BLOCK + 2 && is_plain_block(text.data + at))
			at += BLOCK;
		size_t stop = text.size - at > BLOCK ? at + BLOCK : text.size;
		for (; at < stop; at++) {
			const uint8_t *p = text.data + at;
			if (*p == ESCAPE)
				return at;
			if (*p == '{' && text.size - at >= BRACES && p[1] == '{' && p[2] == '{')
				return at;
		}
		if (at == text.size)
			return at;
	}
}

bool markup_is_space(uint8_t byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static enum markup_tag tag_of(struct cairn_bytes name)
{
	static const struct {
		char text[9];
		uint8_t size;
		enum markup_tag tag;
	} tags[] = {
		{ "bt", 2, MARKUP_BT },
		{ "pc", 2, MARKUP_PC },
		{ "data", 4, MARKUP_DATA },
		{ "symbol", 6, MARKUP_SYMBOL },
		{ "mmap", 4, MARKUP_MMAP },
		{ "module", 6, MARKUP_MODULE },
		{ "reset", 5, MARKUP_RESET },
		{ "hexdict", 7, MARKUP_HEXDICT },
		{ "dumpfile", 8, MARKUP_DUMPFILE },
	};

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (tags[i].size == name.size && memcmp(tags[i].text, name.data, name.size) == 0)
			return tags[i].tag;
	return MARKUP_UNKNOWN;
}

/*
 * Fill in a node for the element between `begin` and `end`, including its braces. The tag must not
 * be empty.
 */
static void fill_element_node(struct markup_node *node, const uint8_t *begin, const uint8_t *end)
{
	const uint8_t *inside = begin + BRACES;
	size_t size = (size_t)(end - inside) - BRACES;
	const uint8_t *colon = memchr(inside, ':', size);

	*node = (struct markup_node){ .kind = MARKUP_ELEMENT,
		                      .text = { begin, (size_t)(end - begin) } };
	node->name = (struct cairn_bytes){ inside, colon ? (size_t)(colon - inside) : size };
	node->has_fields = colon != NULL;
	node->fields = (struct cairn_bytes){ colon ? colon + 1 : inside + size, 0 };
	node->fields.size = (size_t)(inside + size - node->fields.data);
	for (size_t i = 0; i < node->name.size; i++)
		if (node->name.data[i] < 'a' || node->name.data[i] > 'z')
			node->kind = MARKUP_BAD_TAG;
	if (node->kind == MARKUP_ELEMENT)
		node->tag = tag_of(node->name);
}

/*
 * Find the next element by llvm-symbolizer's rules. An element without a tag is text, up to and
 * including its closing braces.
 */
static bool find_llvm(struct markup *m, const uint8_t *begin, const uint8_t *line_end)
{
	while ((begin = find_three(begin, line_end, '{')) != NULL) {
		const uint8_t *end = find_three(begin + BRACES, line_end, '}');
		if (!end)
			return false;
		if (end != begin + BRACES && begin[BRACES] != ':') {
			fill_element_node(&m->next, begin, end + BRACES);
			return true;
		}
		begin = end + BRACES;
	}
	return false;
}

/* Return the tag after the opening braces. It is empty unless a colon or }}} follows. */
static struct cairn_bytes find_tag_at(const uint8_t *tag, const uint8_t *line_end)
{
	const uint8_t *p = tag;

	while (p < line_end && *p >= 'a' && *p <= 'z')
		p++;
	bool ends = line_end - p >= BRACES && p[0] == '}' && p[1] == '}' && p[2] == '}';
	bool good = ends || (p < line_end && *p == ':');
	return (struct cairn_bytes){ tag, good ? (size_t)(p - tag) : 0 };
}

static bool find_kept(struct markup *m, const uint8_t *begin, const uint8_t *line_end)
{
	for (; (begin = find_three(begin, line_end, '{')) != NULL; begin++) {
		struct cairn_bytes name = find_tag_at(begin + BRACES, line_end);
		if (name.size == 0)
			continue;
		const uint8_t *end =
			m->unclosed ? NULL : find_three(name.data + name.size, line_end, '}');
		m->unclosed = !end;
		if (end) {
			fill_element_node(&m->next, begin, end + BRACES);
			return true;
		}
		if (tag_of(name) == MARKUP_HEXDICT) {
			fill_element_node(&m->next, begin, line_end + BRACES);
			m->next.kind = MARKUP_OPEN;
			m->next.text.size -= BRACES;
			return true;
		}
	}
	return false;
}

static void find_element(struct markup *m)
{
	const uint8_t *begin = m->line.data + m->end, *line_end = m->line.data + m->line.size;
	bool found = m->rules == MARKUP_LLVM ? find_llvm(m, begin, line_end)
	                                     : find_kept(m, begin, line_end);

	m->element = found ? (size_t)(m->next.text.data - m->line.data) : m->line.size;
	m->end = found ? m->element + m->next.text.size : m->line.size;
}

struct markup markup_open(struct cairn_bytes line, enum markup_rules rules)
{
	struct markup m = { .line = line, .rules = rules };

	find_element(&m);
	return m;
}

/* Return the length of the color sequence that starts at `p`, or 0. */
static size_t match_sgr(const uint8_t *p, size_t size, unsigned *sgr)
{
	if (size < 4 || p[0] != ESCAPE || p[1] != '[')
		return 0;
	if (p[3] == 'm' && (p[2] == '0' || p[2] == '1')) {
		*sgr = p[2] - '0';
		return 4;
	}
	if (size < 5 || p[2] != '3' || p[3] < '0' || p[3] > '7' || p[4] != 'm')
		return 0;
	*sgr = 30u + p[3] - '0';
	return 5;
}

static void read_text_or_sgr(struct markup *m, struct markup_node *node)
{
	const uint8_t *begin = m->line.data + m->at, *end = m->line.data + m->element, *p = begin;
	unsigned sgr = 0;
	size_t size = 0;

	while ((p = memchr(p, ESCAPE, (size_t)(end - p))) != NULL) {
		size = match_sgr(p, (size_t)(end - p), &sgr);
		if (size)
			break;
		p++;
	}
	if (!p)
		p = end;
	*node = (struct markup_node){ .kind = MARKUP_TEXT };
	if (p == begin)
		*node = (struct markup_node){ .kind = MARKUP_SGR, .sgr = sgr };
	node->text = (struct cairn_bytes){ begin, p == begin ? size : (size_t)(p - begin) };
	m->at += node->text.size;
}

bool markup_next(struct markup *m, struct markup_node *node)
{
	if (m->at < m->element) {
		read_text_or_sgr(m, node);
		return true;
	}
	if (m->at == m->line.size)
		return false;
	*node = m->next;
	m->at = m->end;
	find_element(m);
	return true;
}

/*
 * Reads the values in an element. Numbers have the syntax that llvm-symbolizer accepts:
 *
 *	address = "0"+ | "0x" hex+                                  below 2^64
 *	integer = ("0x" | "0X") hex+ | ("0b" | "0B") bit+ | "0o" octal+ | "0" octal+ | digit+
 *	decimal = digit+
 *
 * Extra fields at the end of an element are ignored, except in bt, pc and data elements, where they
 * are a message.
 */

static const uint8_t *end_of(struct cairn_bytes bytes)
{
	return bytes.data + bytes.size;
}

void markup_split(const struct markup_node *node, struct markup_fields *fields)
{
	const uint8_t *p = node->fields.data, *end = end_of(node->fields);

	fields->count = 0;
	while (node->has_fields) {
		const uint8_t *colon = memchr(p, ':', (size_t)(end - p));
		const uint8_t *stop = colon ? colon : end;
		if (fields->count < MARKUP_FIELDS)
			fields->field[fields->count] =
				(struct cairn_bytes){ p, (size_t)(stop - p) };
		fields->count++;
		if (!colon)
			break;
		p = colon + 1;
	}
}

static bool parse_number_in_base(struct cairn_bytes text, unsigned base, uint64_t *value)
{
	uint64_t sum = 0;
	const uint64_t most = UINT64_MAX / base;

	if (text.size == 0)
		return false;
	for (size_t i = 0; i < text.size; i++) {
		unsigned digit = hex_digit(text.data[i]);
		if (digit >= base || sum > most || sum * base > UINT64_MAX - digit)
			return false;
		sum = sum * base + digit;
	}
	*value = sum;
	return true;
}

static struct cairn_bytes skip_prefix(struct cairn_bytes text, size_t count)
{
	return (struct cairn_bytes){ text.data + count, text.size - count };
}

bool markup_decimal(struct cairn_bytes text, uint64_t *value)
{
	return parse_number_in_base(text, 10, value);
}

bool markup_address(struct cairn_bytes text, uint64_t *value)
{
	size_t zeros = 0;

	while (zeros < text.size && text.data[zeros] == '0')
		zeros++;
	if (text.size > 0 && zeros == text.size) {
		*value = 0;
		return true;
	}
	return text.size > 2 && text.data[0] == '0' && text.data[1] == 'x' &&
	       parse_number_in_base(skip_prefix(text, 2), 16, value);
}

bool markup_integer(struct cairn_bytes text, uint64_t *value)
{
	if (text.size < 2 || text.data[0] != '0')
		return parse_number_in_base(text, 10, value);
	switch (text.data[1]) {
	case 'x':
	case 'X':
		return parse_number_in_base(skip_prefix(text, 2), 16, value);
	case 'b':
	case 'B':
		return parse_number_in_base(skip_prefix(text, 2), 2, value);
	case 'o':
		return parse_number_in_base(skip_prefix(text, 2), 8, value);
	default:
		return parse_number_in_base(skip_prefix(text, 1), 8, value);
	}
}

bool markup_build_id(struct cairn_bytes digits, uint8_t *bytes, size_t capacity, size_t *size)
{
	size_t odd = digits.size % 2, count = digits.size / 2 + odd;

	if (count > capacity)
		return false;
	for (size_t i = 0; i < count; i++) {
		bool alone = odd && i == 0;
		unsigned high = alone ? 0 : hex_digit(digits.data[2 * i - odd]);
		unsigned low = hex_digit(digits.data[2 * i + 1 - odd]);
		if (high > 15 || low > 15)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	*size = count;
	return true;
}

static bool reject_field(struct markup_fault *fault, const char *what, struct cairn_bytes found)
{
	*fault = (struct markup_fault){ what, found, found.data };
	return false;
}

/*
 * Reject an element with a wrong number of fields. The location of the fault is the end of the tag.
 */
static bool reject_field_count(struct markup_fault *fault, const char *what,
                               const struct markup_node *node)
{
	*fault = (struct markup_fault){ what, { end_of(node->name), 0 }, end_of(node->name) };
	return false;
}

static bool is_hex(struct cairn_bytes text)
{
	for (size_t i = 0; i < text.size; i++)
		if (hex_digit(text.data[i]) > 15)
			return false;
	return true;
}

bool markup_read_module(const struct markup_node *node, struct markup_module *module,
                        struct markup_fault *fault)
{
	struct markup_fields f;

	markup_split(node, &f);
	if (f.count < 3)
		return reject_field_count(
			fault, "a module must have 4 fields: ID, name, type, build ID", node);
	if (!markup_integer(f.field[0], &module->id))
		return reject_field(fault, "expected a module ID", f.field[0]);
	if (!bytes_are(f.field[2], "elf"))
		return reject_field(fault, "unknown module type (expected elf)", f.field[2]);
	if (f.count < 4)
		return reject_field_count(
			fault, "a module must have 4 fields: ID, name, type, build ID", node);
	if (!is_hex(f.field[3]))
		return reject_field(fault, "expected a build ID", f.field[3]);
	module->name = f.field[1];
	module->build_id = f.field[3];
	return true;
}

/* Parse an access mode: some of the letters r, w and x in this order, in either case. */
static bool read_mode(struct cairn_bytes text, unsigned *mode)
{
	static const char letters[] = "rwx";
	size_t at = 0;

	*mode = 0;
	for (unsigned i = 0; i < 3; i++) {
		if (at == text.size || (text.data[at] | 0x20) != letters[i])
			continue;
		*mode |= 1u << i;
		at++;
	}
	return text.size > 0 && at == text.size;
}

bool markup_read_mmap(const struct markup_node *node, struct markup_mmap *mmap,
                      struct markup_fault *fault)
{
	static const char count[] = "a mapping must have 6 fields: start, size, load, module ID, "
				    "permissions, module-relative address";
	struct markup_fields f;

	markup_split(node, &f);
	if (f.count < 3)
		return reject_field_count(fault, count, node);
	if (!markup_address(f.field[0], &mmap->start))
		return reject_field(fault, "expected an address", f.field[0]);
	if (!markup_integer(f.field[1], &mmap->size))
		return reject_field(fault, "expected a size", f.field[1]);
	if (!bytes_are(f.field[2], "load"))
		return reject_field(fault, "unknown mapping type (expected load)", f.field[2]);
	if (f.count < 6)
		return reject_field_count(fault, count, node);
	if (!markup_integer(f.field[3], &mmap->module))
		return reject_field(fault, "expected a module ID", f.field[3]);
	if (!read_mode(f.field[4], &mmap->mode))
		return reject_field(
			fault,
			"invalid permissions (expected one or more of r, w and x, in this order)",
			f.field[4]);
	if (!markup_address(f.field[5], &mmap->relative))
		return reject_field(fault, "expected an address", f.field[5]);
	mmap->module_text = f.field[3];
	return true;
}

/* Read the fields after the address: an optional "ra" or "pc", then the message. */
static void read_kind(const struct markup_node *node, const struct markup_fields *f, size_t at,
                      struct markup_frame *frame)
{
	const uint8_t *end = end_of(node->fields);

	frame->kind = MARKUP_PC_UNSPECIFIED;
	frame->message = (struct cairn_bytes){ end, 0 };
	frame->is_odd = false;
	if (f->count <= at)
		return;
	if (bytes_are(f->field[at], "ra"))
		frame->kind = MARKUP_PC_RETURN;
	else if (bytes_are(f->field[at], "pc"))
		frame->kind = MARKUP_PC_EXACT;
	else
		frame->is_odd = f->count == at + 1;
	if (frame->kind == MARKUP_PC_UNSPECIFIED)
		frame->message.data = f->field[at].data;
	else if (f->count > at + 1)
		frame->message.data = f->field[at + 1].data;
	frame->message.size = (size_t)(end - frame->message.data);
}

bool markup_read_frame(const struct markup_node *node, struct markup_frame *frame,
                       struct markup_fault *fault)
{
	struct markup_fields f;
	size_t at = node->tag == MARKUP_BT ? 1 : 0;

	markup_split(node, &f);
	if (f.count <= at)
		return reject_field_count(
			fault,
			at ? "a frame must have at least 2 fields: number, address"
			   : "the address is missing",
			node);
	frame->number = 0;
	if (at && !markup_decimal(f.field[0], &frame->number))
		return reject_field(fault, "expected a frame number", f.field[0]);
	if (!markup_address(f.field[at], &frame->address))
		return reject_field(fault, "expected an address", f.field[at]);
	frame->address_text = f.field[at];
	frame->fields = f.count;
	read_kind(node, &f, at + 1, frame);
	return true;
}

bool markup_read_symbol(const struct markup_node *node, struct cairn_bytes *name,
                        struct markup_fault *fault)
{
	struct markup_fields f;

	markup_split(node, &f);
	if (f.count == 0)
		return reject_field_count(fault, "the name is missing", node);
	*name = f.field[0];
	return true;
}

/*
 * Reads the contents of a hexdict:
 *
 *	dump  = (space+ | pair | word)*       words outside pairs are skipped
 *	pair  = key ":" space* value
 *	value = "0"+ | "0x" hex+              any number of digits, below 2^64
 */

void markup_pairs_feed(struct markup_pairs *pairs, struct cairn_bytes piece)
{
	pairs->rest = piece;
}

static bool next_word(struct cairn_bytes *rest, struct cairn_bytes *word)
{
	while (rest->size > 0 && markup_is_space(*rest->data)) {
		rest->data++;
		rest->size--;
	}
	*word = (struct cairn_bytes){ rest->data, 0 };
	while (word->size < rest->size && !markup_is_space(word->data[word->size]))
		word->size++;
	rest->data += word->size;
	rest->size -= word->size;
	return word->size > 0;
}

static void keep_key(struct markup_pairs *pairs, const uint8_t *key, size_t size)
{
	pairs->key_size = size < MARKUP_KEY_MAX ? size : MARKUP_KEY_MAX;
	memcpy(pairs->key, key, pairs->key_size);
}

bool markup_pairs_next(struct markup_pairs *pairs, struct markup_pair *pair)
{
	struct cairn_bytes word;

	while (next_word(&pairs->rest, &word)) {
		const uint8_t *colon = memchr(word.data, ':', word.size);
		bool has_key = pairs->key_size > 0;
		pair->key = (struct cairn_bytes){ pairs->key, pairs->key_size };
		pairs->key_size = 0;
		if (word.data[word.size - 1] == ':') {
			keep_key(pairs, word.data, word.size - 1);
			continue;
		}
		if (colon && colon > word.data) {
			size_t key = (size_t)(colon - word.data);
			word.data += key + 1;
			word.size -= key + 1;
			keep_key(pairs, word.data - key - 1, key);
			pair->key = (struct cairn_bytes){ pairs->key, pairs->key_size };
			pairs->key_size = 0;
			has_key = true;
		}
		if (has_key && markup_address(word, &pair->value))
			return true;
	}
	return false;
}
