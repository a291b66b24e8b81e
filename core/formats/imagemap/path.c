/* SPDX-License-Identifier: MIT */
/*
 * Reads the paths of image maps:
 *
 *	path      = end | part* (end | framework)
 *	end       = 00                               only as the first byte: there is no path
 *	part      = 00nnnnnn text:byte[nnnnnn]       literal, 1 to 63 bytes
 *	          | 10nnnnnn                         prefix number n
 *	          | 11nnnnnn number:byte[nnnnnn+1]   prefix number 64 + number, big-endian
 *	framework = 01nnnnnn version:1 name:byte[nnnnnn+1]
 *	                                             /NAME.framework/Versions/VERSION/NAME
 *
 * Prefixes up to 31 are fixed. From 32 on, every separator inside the literal text of a path
 * defines the next number. The prefix is the text from the first literal byte of that path up to,
 * but not including, the separator. A separator that is the first byte itself defines nothing.
 *
 * So the text of a prefix is in the input, in the opcodes of an earlier path. The table stores
 * where they begin and the size of the text, and a prefix is written by running them again.
 */
#include "path.h"

#include "prefix.h"

#include <string.h>

static const char *const fixed[FIXED_PREFIXES] = {
	"/lib",
	"/usr/lib",
	"/usr/local/lib",
	"/opt/lib",
	"/System/Library/Frameworks",
	"/System/Library/PrivateFrameworks",
	"/System/iOSSupport",
	"/Library/Frameworks",
	"/System/Applications",
	"/Applications",
	"C:\\Windows\\System32",
	"C:\\Program Files",
};

struct cairn_bytes prefix_fixed(uint64_t number)
{
	const char *text = fixed[number];
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

struct path {
	struct imagemap *map;
	bool literal;
	size_t literal_at; /* input offset of the first literal's opcode */
	size_t start;      /* offset of the first literal's text in the path */
	unsigned problems; /* warnings that make the path unknown */
	/* a problem occurred after the first literal, so the prefixes of the path are unknown */
	bool lost;
};

static void fail_path_text(struct path *p, enum imagemap_warning problem)
{
	p->problems |= problem;
	p->lost = p->literal;
}

static void add_text(struct path *p, const uint8_t *text, size_t size)
{
	struct imagemap *m = p->map;

	if (size > sizeof(m->path) - m->path_size) {
		fail_path_text(p, IMAGEMAP_WARNING_LONG_PATH);
		return;
	}
	memcpy(m->path + m->path_size, text, size);
	m->path_size += size;
}

static void add_string(struct path *p, const char *text)
{
	add_text(p, (const uint8_t *)text, strlen(text));
}

/*
 * Read the number of the prefix opcode at *at and move past it. A number that is too large becomes
 * UINT64_MAX.
 */
static uint64_t read_prefix_number(struct cairn_bytes in, size_t *at)
{
	uint8_t op = in.data[(*at)++];
	uint64_t number = 0;

	if (op < OP_FAR_PREFIX)
		return op & OP_VALUE;
	for (unsigned i = 0; i <= (op & OP_VALUE); i++) {
		number = number >> 56 ? UINT64_MAX : number << 8 | in.data[*at];
		++*at;
	}
	return number > UINT64_MAX - NEAR_PREFIXES ? UINT64_MAX : number + NEAR_PREFIXES;
}

static size_t find_prefix_size(const struct imagemap *m, uint64_t number)
{
	if (number < FIXED_PREFIXES)
		return prefix_fixed(number).size;
	if (number < DYNAMIC_PREFIX || number - DYNAMIC_PREFIX >= m->known ||
	    number - DYNAMIC_PREFIX >= m->room)
		return 0;
	return m->prefixes[number - DYNAMIC_PREFIX].size;
}

/* Input offset and size of the rest of a prefix. */
struct level {
	size_t at, left;
};

/* Enter a prefix. Return the new number of levels, or 0 if the text is lost. */
static unsigned enter_path_prefix(struct path *p, struct level *levels, unsigned depth,
                                  uint64_t number)
{
	const struct imagemap *m = p->map;

	if (number < FIXED_PREFIXES) {
		struct cairn_bytes text = prefix_fixed(number);
		add_text(p, text.data, text.size);
		return depth;
	}
	if (depth == IMAGEMAP_NESTED_MAX) {
		fail_path_text(p, IMAGEMAP_WARNING_LONG_PATH);
		return 0;
	}
	number -= DYNAMIC_PREFIX;
	levels[depth] = (struct level){ m->prefixes[number].at, m->prefixes[number].size };
	return depth + 1;
}

/* Run the next opcode of the topmost level. Return the new number of levels. */
static unsigned expand_path_opcode(struct path *p, struct level *levels, unsigned depth)
{
	struct level *top = &levels[depth - 1];
	const struct cairn_bytes in = p->map->in;
	uint8_t op = in.data[top->at];

	if (top->left == 0)
		return depth - 1;
	if (op > OP_LITERAL_MAX) {
		uint64_t number = read_prefix_number(in, &top->at);
		top->left -= find_prefix_size(p->map, number);
		return enter_path_prefix(p, levels, depth, number);
	}
	size_t size = op < top->left ? op : top->left;
	add_text(p, in.data + top->at + 1, size);
	top->at += 1u + op;
	top->left -= size;
	return depth;
}

static void add_prefix(struct path *p, uint64_t number)
{
	struct level levels[IMAGEMAP_NESTED_MAX];

	if (find_prefix_size(p->map, number) == 0) {
		fail_path_text(p, IMAGEMAP_WARNING_UNKNOWN_PREFIX);
		return;
	}
	unsigned depth = enter_path_prefix(p, levels, 0, number);
	while (depth > 0)
		depth = expand_path_opcode(p, levels, depth);
}

static void define_prefix(struct path *p, size_t size)
{
	struct imagemap *m = p->map;

	if (m->known < m->room)
		m->prefixes[m->known] =
			(struct imagemap_prefix){ p->literal_at, p->lost ? 0 : size };
	m->known++;
}

static void read_literal(struct path *p, struct reader *in, uint8_t size)
{
	size_t at = in->item, before = p->map->path_size;
	struct cairn_bytes text = reader_bytes(in, size);

	if (!p->literal) {
		p->literal = true;
		p->literal_at = at;
		p->start = before;
	}
	add_text(p, text.data, text.size);
	for (size_t i = 0; i < text.size; i++)
		if (is_separator(text.data[i]) && (at != p->literal_at || i > 0))
			define_prefix(p, before + i - p->start);
}

static void read_prefix(struct path *p, struct reader *in, uint8_t op)
{
	size_t at = in->item;

	if (op >= OP_FAR_PREFIX)
		reader_skip(in, (op & OP_VALUE) + 1u);
	if (reader_ok(in))
		add_prefix(p, read_prefix_number(in->in, &at));
}

static void read_framework(struct path *p, struct reader *in, uint8_t op)
{
	struct cairn_bytes version = reader_bytes(in, 1);
	struct cairn_bytes name = reader_bytes(in, (op & OP_VALUE) + 1u);

	if (!reader_ok(in))
		return;
	add_string(p, "/");
	add_text(p, name.data, name.size);
	add_string(p, ".framework/");
	if (version.data[0] != FRAMEWORK_FLAT) {
		add_string(p, "Versions/");
		add_text(p, version.data, version.size);
		add_string(p, "/");
	}
	add_text(p, name.data, name.size);
}

struct cairn_bytes path_read(struct imagemap *m, struct reader *in)
{
	struct path p = { .map = m };
	uint8_t op;

	m->path_size = 0;
	do {
		op = reader_u8(in);
		if (op >= OP_PREFIX)
			read_prefix(&p, in, op);
		else if (op >= OP_FRAMEWORK)
			read_framework(&p, in, op);
		else if (op != OP_PATH_END)
			read_literal(&p, in, op);
	} while (reader_ok(in) && op != OP_PATH_END && (op < OP_FRAMEWORK || op >= OP_PREFIX));
	m->warnings |= p.problems;
	if (p.problems || !reader_ok(in))
		m->path_size = 0;
	return (struct cairn_bytes){ m->path, m->path_size };
}
