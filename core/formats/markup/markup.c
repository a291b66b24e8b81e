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
 * a bounded number of times: after a failed search for }}}, it is not searched for again.
 */
#include "markup.h"

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
 * Return true if no element or escape sequence starts in the block. Compilers vectorize this loop.
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
 * Fill in a node for the element from `begin` to `end`, including braces. Its tag must not be
 * empty.
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
 * Find the next element by the rules of llvm-symbolizer: an element without a tag is text up to its
 * end.
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

/* Return the tag after the braces. It is empty if neither a colon nor }}} follows. */
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

/* Return the length of the color sequence that starts here, or 0. */
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

/* Read a color sequence, or the text up to the next one or the next element. */
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
