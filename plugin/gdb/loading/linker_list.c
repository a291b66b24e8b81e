/* SPDX-License-Identifier: MIT */
/*
 * Compares the dynamic linker's list of modules with what it was when GDB was last asked for all
 * modules.
 */
#include "linker_list.h"

#include <string.h>

/*
 * The list of the dynamic linker, <link.h>, on 64-bit machines:
 *
 *	r_debug  = version:4 pad:4 map:8 brk:8 state:4 pad:4 ldbase:8 [next:8, from version 2 on]
 *	link_map = addr:8 name:8 ld:8 next:8 prev:8 ...
 *
 * The program's DT_DEBUG has the address of the first r_debug; each further one is that of a
 * namespace of dlmopen().
 */
enum {
	HEAD = 1024, /* bytes of a module: its headers, and as a rule its build ID */
	ELF_HEADER = 64,
	PROGRAM_HEADER = 56,
	PROGRAM_HEADERS = 16,
	DYNAMIC = 512,    /* entries that are looked at; programs have some 30 */
	NAMESPACES = 16,  /* as many as the C library has */
	LIBRARIES = 4096, /* in each; a damaged list may have no end */
	R_DEBUG = 40,
	LINK_MAP = 40,
	PT_DYNAMIC = 2,
	DT_DEBUG = 21,
};

static bool read_bytes(const struct session *s, uint64_t address, uint8_t *bytes, int size)
{
	return s->unwinder.target_read &&
	       s->unwinder.target_read(address, bytes, size) == GDB_SUCCESS;
}

static uint64_t read_target_word(const uint8_t *bytes, unsigned size, bool big_endian)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value = value << 8 | bytes[big_endian ? i : size - 1 - i];
	return value;
}

/* FNV-1a, of words. */
static void mix_hash(uint64_t *hash, const uint8_t *bytes, size_t size)
{
	for (size_t at = 0; at + 8 <= size; at += 8)
		*hash = (*hash ^ read_target_word(bytes + at, 8, false)) * 0x100000001b3;
	*hash ^= *hash >> 29;
}

static void mix_head(const struct session *s, uint64_t address, uint64_t *hash)
{
	uint8_t head[HEAD];

	if (read_bytes(s, address, head, HEAD))
		mix_hash(hash, head, HEAD);
}

/* Does GDB hold symbols of ours for a library that was moved by so much?  Then it is looked at. */
static bool is_served(const struct session *s, int inferior, uint64_t bias)
{
	const struct sources *sources = &s->sources;
	bool served = false;

	for (size_t i = 0; i < sources->objects; i++)
		served = served || (sources->object[i].inferior == inferior &&
		                    sources->object[i].bias == bias);
	return served;
}

static bool mix_libraries(const struct session *s, const struct linker_list *g, uint64_t at,
                          uint64_t *hash)
{
	uint8_t map[LINK_MAP];

	for (unsigned i = 0; at && i < LIBRARIES; i++) {
		if (!read_bytes(s, at, map, LINK_MAP))
			return false;
		mix_hash(hash, map, LINK_MAP);
		uint64_t bias = read_target_word(map, 8, g->big_endian);
		if (bias && is_served(s, g->inferior, bias))
			mix_head(s, bias, hash);
		at = read_target_word(map + 24, 8, g->big_endian);
	}
	return at == 0;
}

/* What is loaded, as a number that changes with it; false when that cannot be known. */
static bool sum_up(const struct session *s, const struct linker_list *g, uint64_t *hash)
{
	uint8_t debug[R_DEBUG + 8], word[8];

	*hash = 0xcbf29ce484222325;
	mix_head(s, g->program, hash);
	if (!read_bytes(s, g->slot, word, sizeof(word)))
		return false;
	uint64_t at = read_target_word(word, 8, g->big_endian);
	if (at == 0) /* not yet: nothing is loaded */
		return false;
	for (unsigned i = 0; at && i < NAMESPACES; i++) {
		if (!read_bytes(s, at, debug, R_DEBUG))
			return false;
		mix_hash(hash, debug, R_DEBUG);
		if (!mix_libraries(s, g, read_target_word(debug + 8, 8, g->big_endian), hash))
			return false;
		bool more = read_target_word(debug, 4, g->big_endian) > 1;
		if (more && !read_bytes(s, at + R_DEBUG, debug + R_DEBUG, 8))
			return false;
		at = more ? read_target_word(debug + R_DEBUG, 8, g->big_endian) : 0;
	}
	return at == 0;
}

/* Where in the dynamic section the address of the r_debug stands. */
static bool find_slot(const struct session *s, struct linker_list *g, uint64_t dynamic)
{
	uint8_t entry[16];

	for (unsigned i = 0; i < DYNAMIC; i++) {
		uint64_t at = dynamic + (uint64_t)i * sizeof(entry);
		if (!read_bytes(s, at, entry, sizeof(entry)))
			return false;
		uint64_t tag = read_target_word(entry, 8, g->big_endian);
		g->slot = at + 8;
		if (tag == DT_DEBUG || tag == 0)
			return tag == DT_DEBUG;
	}
	return false;
}

static bool find_dynamic(const struct session *s, struct linker_list *g, uint64_t bias)
{
	uint8_t header[ELF_HEADER], one[PROGRAM_HEADER];

	if (!read_bytes(s, g->program, header, ELF_HEADER) || memcmp(header, "\177ELF\2", 5) != 0)
		return false;
	uint64_t at = g->program + read_target_word(header + 32, 8, g->big_endian);
	for (unsigned i = 0;
	     i < PROGRAM_HEADERS && i < read_target_word(header + 56, 2, g->big_endian); i++) {
		if (!read_bytes(s, at + (uint64_t)i * PROGRAM_HEADER, one, PROGRAM_HEADER))
			return false;
		if (read_target_word(one, 4, g->big_endian) == PT_DYNAMIC)
			return find_slot(s, g, bias + read_target_word(one + 16, 8, g->big_endian));
	}
	return false;
}

void linker_list_begin(struct session *s, const struct gdb_state *survey)
{
	struct linker_list *g = &s->glance;
	struct cairn_module module;

	g->known = g->found = false;
	g->inferior = survey->inferior;
	for (size_t i = 0; survey->alive && !g->found && i < survey->files.count; i++) {
		const struct info_files_module *m = &survey->files.modules[i];
		if (!m->program ||
		    cairn_space_module(s->unwinder.space, m->low, &module) != CAIRN_OK ||
		    !module.has_headers)
			continue;
		g->program = module.low;
		g->big_endian = module.big_endian;
		g->found = find_dynamic(s, g, module.bias);
	}
}

void linker_list_end(struct session *s)
{
	struct linker_list *g = &s->glance;

	g->known = g->found && sum_up(s, g, &g->hash);
}

static bool is_same(const struct session *s, int inferior)
{
	uint64_t hash;

	return s->glance.known && s->glance.inferior == inferior && sum_up(s, &s->glance, &hash) &&
	       hash == s->glance.hash;
}

bool linker_list_answer(struct session *s)
{
	static const char nothing[] = "\n";
	unsigned long number;
	int inferior;

	if (!channel_take_glance(&s->exchange.channel, &number, &inferior))
		return false;
	text_reset(&s->exchange.reply);
	text_add(&s->exchange.reply, "cairn-gather\n");
	if (s->sources.follow && !is_same(s, inferior))
		channel_reply(&s->exchange.channel, number, &s->exchange.reply);
	else
		channel_publish(&s->exchange.channel, nothing, sizeof(nothing) - 1);
	return true;
}
