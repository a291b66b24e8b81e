/* SPDX-License-Identifier: MIT */
/*
 * Reads image maps:
 *
 *	map      = info:1 platform count image*
 *	info     = 000000ss               machine words of 2, 4 or 8 bytes; 3 is reserved
 *	platform = length:1 text:byte[length]
 *	count    = 1ggggggg* 0ggggggg     groups of 7 bits, most significant first
 *	image    = r0aaaeee base:byte[aaa+1] end:byte[eee+1] build_id path
 *	                                  r = 1: base is relative to the previous base
 *	build_id = count byte[count]      empty if there is no build ID
 *	path     = see below
 *
 * `end` is relative to `base`. Numbers are big-endian and signed; addresses wrap at the machine
 * word.
 */
#include "imagemap.h"

#include "base/bytes.h"
#include "base/invariant.h"
#include "base/reader.h"

#include <cairn.h>

#include <string.h>

/* Opcodes in paths, and numbers of the prefixes that the format predefines. */

enum {
	OP_PATH_END = 0x00,
	OP_LITERAL_MAX = 0x3f,
	OP_FRAMEWORK = 0x40,
	OP_PREFIX = 0x80,
	OP_FAR_PREFIX = 0xc0,
	OP_VALUE = 0x3f,
	FRAMEWORK_NAME_MAX = 64,
	NEAR_PREFIXES = 64,  /* number of prefixes whose index fits into the opcode */
	DYNAMIC_PREFIX = 32, /* index of the first prefix defined by a path; lower ones are fixed */
	FIXED_PREFIXES = 12,
	/* version byte of a framework without version directories (newer Swift; iOS) */
	FRAMEWORK_FLAT = 0x01,
};

static struct cairn_bytes path_read(struct imagemap *m, struct reader *in);

static inline bool is_separator(uint8_t byte)
{
	return byte == '/' || byte == '\\';
}

enum {
	INFO_VERSION = 0xfc,
	INFO_SIZE = 0x03,
	SIZE_RESERVED = 3,
	IMAGE_RELATIVE = 0x80,
	IMAGE_BASE_SHIFT = 3,
	IMAGE_LENGTH = 0x07,
	GROUP_MORE = 0x80,
	GROUP = 0x7f,
	GROUP_BITS = 7,
};

size_t imagemap_prefixes(struct cairn_bytes in)
{
	return imagemap_separators(in);
}

size_t imagemap_separators(struct cairn_bytes path)
{
	size_t count = 0;

	for (size_t i = 0; i < path.size; i++)
		count += is_separator(path.data[i]);
	return count;
}

static uint64_t read_count(struct reader *in)
{
	uint64_t value = 0;
	uint8_t byte;

	do {
		byte = reader_u8(in);
		if (value >> (64 - GROUP_BITS))
			reader_fail(in, CAIRN_MALFORMED, "a count does not fit in 64 bits");
		value = value << GROUP_BITS | (byte & GROUP);
	} while (byte & GROUP_MORE && reader_ok(in));
	return value;
}

static uint64_t read_signed(struct reader *in, size_t length)
{
	struct cairn_bytes bytes = reader_bytes(in, length);
	uint64_t value = bytes.size && bytes.data[0] >> 7 ? UINT64_MAX : 0;

	for (size_t i = 0; i < bytes.size; i++)
		value = value << 8 | bytes.data[i];
	return value;
}

/*
 * Set the outcome after a failed read. `start` is the start of the field or image that could not be
 * read.
 */
static void fail_imagemap(struct imagemap *m, const struct reader *in, size_t start)
{
	m->outcome = in->fault.status == CAIRN_TRUNCATED ? IMAGEMAP_SHORT : IMAGEMAP_COUNT;
	m->at = start;
}

static enum imagemap_outcome check_info(struct cairn_bytes in)
{
	if (in.size == 0)
		return IMAGEMAP_EMPTY;
	if (in.data[0] & INFO_VERSION)
		return IMAGEMAP_VERSION;
	return (in.data[0] & INFO_SIZE) == SIZE_RESERVED ? IMAGEMAP_SIZE : IMAGEMAP_MORE;
}

static void read_header(struct imagemap *m)
{
	struct reader in = reader_open(m->in, true);

	m->word = 2u << (reader_u8(&in) & INFO_SIZE);
	m->mask = UINT64_MAX >> (64 - 8 * m->word);
	m->at = in.at;
	m->platform = reader_bytes(&in, reader_u8(&in));
	m->has_platform = reader_ok(&in);
	if (m->has_platform)
		m->at = in.at;
	m->left = read_count(&in);
	if (reader_ok(&in))
		m->at = in.at;
	else
		fail_imagemap(m, &in, m->at);
}

void imagemap_open(struct imagemap *m, struct cairn_bytes in, struct imagemap_prefix *prefixes,
                   size_t capacity)
{
	*m = (struct imagemap){
		.in = in,
		.prefixes = prefixes,
		.capacity = capacity,
		.platform = { in.data, 0 },
		.outcome = check_info(in),
	};
	if (m->outcome == IMAGEMAP_MORE)
		read_header(m);
}

static bool finish_imagemap(struct imagemap *m)
{
	m->outcome = IMAGEMAP_OK;
	if (m->at < m->in.size)
		m->warnings |= IMAGEMAP_WARNING_TRAILING;
	return false;
}

static bool read_image_but_path(struct imagemap *m, struct reader *in, struct imagemap_image *image)
{
	uint8_t header = reader_u8(in);
	uint64_t base = read_signed(in, (header >> IMAGE_BASE_SHIFT & IMAGE_LENGTH) + 1u);
	uint64_t text = read_signed(in, (header & IMAGE_LENGTH) + 1u);
	uint64_t id_size = read_count(in);

	if (id_size > reader_left(in))
		reader_fail(in, CAIRN_TRUNCATED, "the data ends inside a build ID");
	struct cairn_bytes build_id = reader_bytes(in, (size_t)id_size);
	if (!reader_ok(in))
		return false;

	m->base = (base + (header & IMAGE_RELATIVE ? m->base : 0)) & m->mask;
	image->base = m->base;
	image->end = (m->base + text) & m->mask;
	image->build_id = build_id;
	if (image->end <= image->base)
		m->warnings |= IMAGEMAP_WARNING_EMPTY_TEXT;
	return true;
}

bool imagemap_next(struct imagemap *m, struct imagemap_image *image)
{
	struct reader in = reader_open(m->in, true);
	struct imagemap_image found;
	size_t start = m->at;

	if (m->outcome != IMAGEMAP_MORE)
		return false;
	if (m->left == 0)
		return finish_imagemap(m);
	reader_seek(&in, m->at);
	if (!read_image_but_path(m, &in, &found)) {
		fail_imagemap(m, &in, start);
		return false;
	}
	found.path = path_read(m, &in);
	m->at = in.at;
	m->left--;
	if (!reader_ok(&in))
		fail_imagemap(m, &in, start);
	*image = found;
	return true;
}

struct cairn_bytes imagemap_name(struct cairn_bytes path)
{
	size_t start = path.size;

	while (start > 0 && !is_separator(path.data[start - 1]))
		start--;
	return (struct cairn_bytes){ path.data + start, path.size - start };
}

/*
 * Reads the paths in image maps:
 *
 *	path      = end | part* (end | framework)
 *	end       = 00                               only as the first byte: there is no path
 *	part      = 00nnnnnn text:byte[nnnnnn]       literal, 1 to 63 bytes
 *	          | 10nnnnnn                         prefix n
 *	          | 11nnnnnn number:byte[nnnnnn+1]   prefix 64 + number, big-endian
 *	framework = 01nnnnnn version:1 name:byte[nnnnnn+1]
 *	                                             /NAME.framework/Versions/VERSION/NAME
 *
 * Prefixes up to 31 are fixed. From 32 on, every separator inside a path's literals defines the
 * next prefix: the string from the first literal byte of that path up to, but not including, the
 * separator. A separator that is the first literal byte defines nothing.
 *
 * The string of a prefix is therefore in the input, encoded by the opcodes of an earlier path. The
 * table stores where these opcodes begin and the size of the string. To expand a prefix, the reader
 * runs the opcodes again.
 */

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

static struct cairn_bytes prefix_fixed(uint64_t number)
{
	const char *text = fixed[number];
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

struct path {
	struct imagemap *map;
	bool literal;
	size_t literal_at; /* input offset of the opcode of the path's first literal */
	size_t start;      /* offset of the first literal in the expanded path */
	unsigned problems; /* warnings that make the path unknown */
	/*
	 * a problem occurred after the first literal, so the prefixes that this path defines are
	 * unknown
	 */
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

/* Read the prefix index at *at and advance *at. An index that is too large becomes UINT64_MAX. */
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
	    number - DYNAMIC_PREFIX >= m->capacity)
		return 0;
	return m->prefixes[number - DYNAMIC_PREFIX].size;
}

/*
 * Progress in a prefix that is being expanded: input offset of the next opcode, and number of bytes
 * still to produce.
 */
struct level {
	size_t at, left;
};

/* Start to expand a prefix. Return the new number of levels, or 0 if the prefix is unknown. */
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

/* Run the next opcode of the innermost level. Return the new number of levels. */
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

	if (m->known < m->capacity)
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

/*
 * Read the path at the reader's position into map->path, and store the prefixes that it defines in
 * the prefix table. The result is empty if there is no path, if the reader has failed, or if the
 * path is unknown; in the last case, a warning is set.
 */
static struct cairn_bytes path_read(struct imagemap *m, struct reader *in)
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

struct outcome {
	const char *name;
	enum cairn_status status;
	const char *what;
};

static struct outcome outcome_of(enum imagemap_outcome outcome)
{
	switch (outcome) {
	case IMAGEMAP_MORE:
		return (struct outcome){ "more", CAIRN_OK, "not at the end yet" };
	case IMAGEMAP_OK:
		return (struct outcome){ "ok", CAIRN_OK, "complete" };
	case IMAGEMAP_EMPTY:
		return (struct outcome){ "empty", CAIRN_TRUNCATED, "there are no bytes" };
	case IMAGEMAP_VERSION:
		return (struct outcome){ "version", CAIRN_UNSUPPORTED, "the version is not 0" };
	case IMAGEMAP_SIZE:
		return (struct outcome){ "size", CAIRN_MALFORMED, "reserved size of words" };
	case IMAGEMAP_SHORT:
		return (struct outcome){ "short", CAIRN_TRUNCATED, "the data ends too early" };
	case IMAGEMAP_COUNT:
		return (struct outcome){ "count", CAIRN_MALFORMED,
			                 "a count does not fit in 64 bits" };
	}
	return (struct outcome){ "unknown", CAIRN_MALFORMED, "unknown outcome" };
}

const char *imagemap_outcome_name(enum imagemap_outcome outcome)
{
	return outcome_of(outcome).name;
}

bool imagemap_is_error(enum imagemap_outcome outcome)
{
	return outcome_of(outcome).status != CAIRN_OK;
}

struct cairn_fault imagemap_fault(const struct imagemap *map)
{
	struct outcome o = outcome_of(map->outcome);
	return (struct cairn_fault){ o.status, map->at, o.what };
}

/*
 * Writes image maps with the same choices as Swift. A base is absolute unless the relative form is
 * strictly shorter. A path is written as known prefixes, the longest possible one each time; the
 * rest is written as a framework if possible, otherwise as literals.
 */

enum {
	GROUPS_MAX = 10, /* maximum number of 7-bit groups in a 64-bit number */
	SLOTS_MIN = 32,  /* minimum number of slots, which suffices for the predefined prefixes */
};

static const uint32_t hash_start = 2166136261; /* FNV-1a offset basis */

static uint32_t hash_byte(uint32_t hash, uint8_t byte)
{
	return (hash ^ byte) * 16777619;
}

size_t imagemap_slot_count(size_t separators)
{
	size_t count = SLOTS_MIN;

	while (count / 2 < separators + FIXED_PREFIXES && count <= SIZE_MAX / 4)
		count *= 2;
	return count;
}

/*
 * Return the slot that contains a string, or the free slot to insert it. Return NULL if the table
 * is full.
 */
static struct imagemap_slot *find_prefix_slot(struct imagemap_slots slots, const uint8_t *text,
                                              size_t size, uint32_t hash)
{
	for (size_t i = 0; i < slots.count; i++) {
		struct imagemap_slot *slot = &slots.slot[(hash + i) & (slots.count - 1)];
		if (slot->size == 0)
			return slot;
		if (slot->hash == hash && slot->size == size && memcmp(slot->text, text, size) == 0)
			return slot;
	}
	return NULL;
}

/* Store a prefix unless the table already contains the same string. */
static void keep_prefix(struct imagemap_slots slots, struct imagemap_slot prefix)
{
	struct imagemap_slot *slot = find_prefix_slot(slots, prefix.text, prefix.size, prefix.hash);

	if (slot && slot->size == 0)
		*slot = prefix;
}

static void keep_fixed_prefixes(struct imagemap_slots slots)
{
	for (uint64_t number = 0; number < FIXED_PREFIXES; number++) {
		struct cairn_bytes text = prefix_fixed(number);
		uint32_t hash = hash_start;
		for (size_t i = 0; i < text.size; i++)
			hash = hash_byte(hash, text.data[i]);
		keep_prefix(slots, (struct imagemap_slot){ text.data, text.size, hash, number });
	}
}

static void write_count(struct imagemap_encoder *e, uint64_t count)
{
	unsigned groups = 1;

	while (groups < GROUPS_MAX && count >> (GROUP_BITS * groups))
		groups++;
	/* Swift writes an extra group if the most significant bit of the first group is set. */
	if (e->profile == IMAGEMAP_PROFILE_SWIFT && groups < GROUPS_MAX &&
	    count >> (GROUP_BITS * groups - 1))
		groups++;
	while (groups-- > 0) {
		unsigned group = count >> (GROUP_BITS * groups) & GROUP;
		sink_u8(&e->out, (uint8_t)(group | (groups ? GROUP_MORE : 0)));
	}
}

static void write_prefix(struct imagemap_encoder *e, uint64_t number)
{
	if (number < NEAR_PREFIXES) {
		sink_u8(&e->out, (uint8_t)(OP_PREFIX | number));
		return;
	}
	number -= NEAR_PREFIXES;
	unsigned width = width_unsigned(number);
	if (e->profile == IMAGEMAP_PROFILE_SWIFT && width > 1 && !(number >> (8 * width - 1)))
		width--; /* Swift 6.2.3 rounds the number of bytes down instead of up */
	sink_u8(&e->out, (uint8_t)(OP_FAR_PREFIX | (width - 1)));
	sink_big(&e->out, number, width);
}

static size_t find_longest_prefix(const struct imagemap_encoder *e, struct cairn_bytes text,
                                  uint64_t *number)
{
	uint32_t hash = hash_start;
	size_t longest = 0;

	for (size_t i = 0; i < text.size; i++) {
		hash = hash_byte(hash, text.data[i]);
		const struct imagemap_slot *slot =
			find_prefix_slot(e->slots, text.data, i + 1, hash);
		if (slot && slot->size > 0) {
			longest = slot->size;
			*number = slot->number;
		}
	}
	return longest;
}

/* Return true if the string has the form "/NAME.framework/Versions/V/NAME". */
static bool is_framework(struct cairn_bytes text, size_t *name_size)
{
	static const char middle[] = ".framework/Versions/";
	enum { MIDDLE = sizeof(middle) - 1, REST = 1 + MIDDLE + 1 + 1 };

	if (text.size < REST + 2 || (text.size - REST) % 2 || text.data[0] != '/')
		return false;
	size_t size = (text.size - REST) / 2;
	const uint8_t *name = text.data + 1, *version = name + size + MIDDLE;
	if (size > FRAMEWORK_NAME_MAX || memcmp(name + size, middle, MIDDLE) != 0 ||
	    version[1] != '/' || memcmp(version + 2, name, size) != 0)
		return false;
	*name_size = size;
	return *version != FRAMEWORK_FLAT;
}

static void write_framework(struct imagemap_encoder *e, struct cairn_bytes text, size_t name_size)
{
	sink_u8(&e->out, (uint8_t)(OP_FRAMEWORK | (name_size - 1)));
	sink_u8(&e->out, text.data[text.size - name_size - 2]);
	sink_bytes(&e->out, text.data + 1, name_size);
}

static void write_literals(struct imagemap_encoder *e, struct cairn_bytes text)
{
	uint32_t hash = hash_start;

	for (size_t at = 0; at < text.size; at += OP_LITERAL_MAX) {
		size_t left = text.size - at;
		size_t size = left < OP_LITERAL_MAX ? left : OP_LITERAL_MAX;
		sink_u8(&e->out, (uint8_t)size);
		sink_bytes(&e->out, text.data + at, size);
	}
	for (size_t i = 0; i < text.size; i++) {
		if (i > 0 && is_separator(text.data[i]))
			keep_prefix(e->slots,
			            (struct imagemap_slot){ text.data, i, hash, e->next_prefix++ });
		hash = hash_byte(hash, text.data[i]);
	}
}

static void write_path(struct imagemap_encoder *e, struct cairn_bytes path)
{
	size_t size, name_size;
	uint64_t number = 0;

	while ((size = find_longest_prefix(e, path, &number)) > 0) {
		write_prefix(e, number);
		path = (struct cairn_bytes){ path.data + size, path.size - size };
	}
	if (is_framework(path, &name_size)) {
		write_framework(e, path, name_size);
		return;
	}
	write_literals(e, path);
	sink_u8(&e->out, OP_PATH_END);
}

struct imagemap_encoder imagemap_encoder(struct sink out, enum imagemap_profile profile,
                                         const struct imagemap_header *header,
                                         struct imagemap_slots slots)
{
	struct imagemap_encoder e = {
		.out = out,
		.profile = profile,
		.word = header->word,
		.slots = slots,
		.next_prefix = DYNAMIC_PREFIX,
		.left = header->images,
		.bad = header->platform.size > IMAGEMAP_PLATFORM_MAX,
	};

	INVARIANT(e.word == 2 || e.word == 4 || e.word == 8);
	INVARIANT(slots.count > 0 && (slots.count & (slots.count - 1)) == 0);
	keep_fixed_prefixes(slots);
	sink_u8(&e.out, (uint8_t)(e.word >> 2));
	sink_u8(&e.out, (uint8_t)header->platform.size);
	sink_bytes(&e.out, header->platform.data, header->platform.size);
	write_count(&e, header->images);
	return e;
}

void imagemap_put(struct imagemap_encoder *e, const struct imagemap_image *image)
{
	uint64_t delta = width_extend(image->base - e->base, e->word);
	uint64_t absolute = width_extend(image->base, e->word);
	uint64_t text = width_extend(image->end - image->base, e->word);
	bool is_relative = width_signed(delta) < width_signed(absolute);
	uint64_t base = is_relative ? delta : absolute;
	unsigned header = (width_signed(base) - 1) << IMAGE_BASE_SHIFT | (width_signed(text) - 1);

	e->bad |= !width_fits(image->base, e->word) || !width_fits(image->end, e->word);
	e->bad |= e->left-- == 0;
	e->base = image->base;
	sink_u8(&e->out, (uint8_t)(header | (is_relative ? IMAGE_RELATIVE : 0)));
	sink_big(&e->out, base, width_signed(base));
	sink_big(&e->out, text, width_signed(text));
	write_count(e, image->build_id.size);
	sink_bytes(&e->out, image->build_id.data, image->build_id.size);
	write_path(e, image->path);
}

enum cairn_status imagemap_finish(struct imagemap_encoder *e, size_t *size)
{
	if (e->bad || e->left > 0)
		return CAIRN_MALFORMED;
	*size = e->out.size;
	return sink_fits(&e->out) ? CAIRN_OK : CAIRN_NO_MEMORY;
}
