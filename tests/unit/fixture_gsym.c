/* SPDX-License-Identifier: MIT */
/*
 * Assembles the bytes of a test GSYM file from function descriptions and records where each part
 * lies.
 */
#include "fixture_gsym.h"

static struct fixture_out strings;

uint64_t fixture_gsym_string(const char *text)
{
	size_t length = strlen(text) + 1;

	for (size_t at = 0; at + length <= strings.size; at++)
		if (memcmp(strings.data + at, text, length) == 0 &&
		    (at == 0 || strings.data[at - 1] == 0))
			return at;
	size_t at = strings.size;
	fixture_out_text(&strings, text, length);
	return at;
}

static void put_uleb(struct fixture_out *o, uint64_t value)
{
	do {
		uint8_t byte = value & 0x7f;
		value >>= 7;
		fixture_out_put(o, byte | (value ? 0x80u : 0), 1);
	} while (value);
}

static size_t strp(const struct fixture_gsym *g)
{
	return g->version == 1 ? 4 : 8;
}

static void put_name(struct fixture_out *o, const struct fixture_gsym *g, const char *name)
{
	fixture_out_put(o, name ? fixture_gsym_string(name) : 0, strp(g));
}

/* A block's header; returns where its length stands. */
static size_t begin_block(struct fixture_out *o, uint32_t type)
{
	fixture_out_put(o, type, 4);
	fixture_out_put(o, 0, 4);
	return o->size - 4;
}

static void end_block(struct fixture_out *o, size_t length_at)
{
	fixture_out_poke(o, length_at, o->size - length_at - 4, 4);
}

static void put_node(struct fixture_out *o, const struct fixture_gsym *g,
                     const struct fixture_node *node, bool has_children)
{
	put_uleb(o, node->ranges);
	for (unsigned i = 0; i < node->ranges; i++) {
		put_uleb(o, node->range[i][0]);
		put_uleb(o, node->range[i][1]);
	}
	fixture_out_put(o, has_children, 1);
	put_name(o, g, node->name);
	put_uleb(o, node->file);
	put_uleb(o, node->line);
}

static void put_nodes(struct fixture_out *o, const struct fixture_gsym *g,
                      const struct fixture_node *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		unsigned next = i + 1 < count ? nodes[i + 1].depth : 0;
		put_node(o, g, &nodes[i], next > nodes[i].depth);
		for (unsigned depth = nodes[i].depth; depth > next; depth--)
			fixture_out_put(o, 0, 1);
	}
}

static void put_calls(struct fixture_out *o, const struct fixture_gsym *g,
                      const struct fixture_call *calls, size_t count)
{
	fixture_out_put(o, count, 4);
	for (size_t i = 0; i < count; i++) {
		unsigned names = calls[i].names[0] ? calls[i].names[1] ? 2 : 1 : 0;
		fixture_out_put(o, calls[i].return_offset, 8);
		fixture_out_put(o, calls[i].flags, 1);
		fixture_out_put(o, names, 4);
		for (unsigned n = 0; n < names; n++)
			put_name(o, g, calls[i].names[n]);
	}
}

static void put_record(struct fixture_out *o, const struct fixture_gsym *g,
                       const struct fixture_function_info *f, struct fixture_gsym_places *p);

static void put_merged(struct fixture_out *o, const struct fixture_gsym *g,
                       const struct fixture_function_info *f, struct fixture_gsym_places *p)
{
	fixture_out_put(o, f->merged_count, 4);
	for (size_t i = 0; i < f->merged_count; i++) {
		struct fixture_gsym_places unused = *p;
		size_t length_at = o->size;
		fixture_out_put(o, 0, 4);
		put_record(o, g, &f->merged[i], &unused);
		end_block(o, length_at);
	}
}

static void put_blocks(struct fixture_out *o, const struct fixture_gsym *g,
                       const struct fixture_function_info *f, struct fixture_gsym_places *p)
{
	if (f->unknown) {
		size_t at = begin_block(o, f->unknown);
		fixture_out_text(o, "whatever", 8);
		end_block(o, at);
	}
	if (f->lines.data) {
		p->lines = o->size;
		size_t at = begin_block(o, 1);
		fixture_out_text(o, (const char *)f->lines.data, f->lines.size);
		end_block(o, at);
	}
	if (f->node_count) {
		p->inlines = o->size;
		size_t at = begin_block(o, 2);
		put_nodes(o, g, f->nodes, f->node_count);
		end_block(o, at);
	}
}

static void put_record(struct fixture_out *o, const struct fixture_gsym *g,
                       const struct fixture_function_info *f, struct fixture_gsym_places *p)
{
	fixture_out_put(o, f->size, 4);
	put_name(o, g, f->name);
	put_blocks(o, g, f, p);
	if (f->merged_count) {
		p->merged = o->size;
		size_t at = begin_block(o, 3);
		put_merged(o, g, f, p);
		end_block(o, at);
	}
	if (f->call_count) {
		p->calls = o->size;
		size_t at = begin_block(o, 4);
		put_calls(o, g, f->calls, f->call_count);
		end_block(o, at);
	}
	begin_block(o, 0);
}

static void put_addresses(struct fixture_out *o, const struct fixture_gsym *g,
                          struct fixture_gsym_places *p)
{
	p->addresses = o->size;
	for (size_t i = 0; i < g->count; i++)
		fixture_out_put(o, g->functions[i].start - g->base, g->width);
}

static void put_files(struct fixture_out *o, const struct fixture_gsym *g,
                      struct fixture_gsym_places *p)
{
	fixture_out_pad(o, 4);
	p->files = o->size;
	fixture_out_put(o, g->file_count + 1, 4);
	fixture_out_put(o, 0, strp(g));
	fixture_out_put(o, 0, strp(g));
	for (size_t i = 0; i < g->file_count; i++) {
		put_name(o, g, g->files[i][0]);
		put_name(o, g, g->files[i][1]);
	}
}

static void put_records(struct fixture_out *o, const struct fixture_gsym *g,
                        struct fixture_gsym_places *p)
{
	for (size_t i = 0; i < g->count; i++) {
		fixture_out_pad(o, 4);
		p->record[i] = o->size;
		put_record(o, g, &g->functions[i], p);
	}
}

/* All strings are in the table before it is placed: records are made once for that. */
static void gather_strings(const struct fixture_gsym *g)
{
	static struct fixture_out unused;
	struct fixture_gsym_places places;

	strings.size = 0;
	fixture_out_put(&strings, 0, 1);
	unused.size = 0;
	put_files(&unused, g, &places);
	put_records(&unused, g, &places);
}

static void put_v1(struct fixture_out *o, const struct fixture_gsym *g,
                   struct fixture_gsym_places *p)
{
	fixture_out_put(o, g->uuid.size, 1);
	fixture_out_put(o, g->base, 8);
	fixture_out_put(o, g->count, 4);
	fixture_out_put(o, 0, 4);
	fixture_out_put(o, strings.size, 4);
	for (size_t i = 0; i < 20; i++)
		fixture_out_put(o, i < g->uuid.size ? g->uuid.data[i] : 0, 1);
	put_addresses(o, g, p);
	fixture_out_pad(o, 4);
	p->infos = o->size;
	for (size_t i = 0; i < g->count; i++)
		fixture_out_put(o, 0, 4);
	put_files(o, g, p);
	p->strings = o->size;
	fixture_out_poke(o, 20, p->strings, 4);
	fixture_out_text(o, (const char *)strings.data, strings.size);
	put_records(o, g, p);
	for (size_t i = 0; i < g->count; i++)
		fixture_out_poke(o, p->infos + 4 * i, p->record[i], 4);
}

/* Fills directory entry `number` with what lies between `from` and the end of the file. */
static void put_entry(struct fixture_out *o, const struct fixture_gsym_places *p, unsigned number,
                      uint32_t type, size_t from)
{
	size_t at = p->directory + 20 * number;

	fixture_out_poke(o, at, type, 4);
	fixture_out_poke(o, at + 4, from, 8);
	fixture_out_poke(o, at + 12, o->size - from, 8);
}

static void put_v2(struct fixture_out *o, const struct fixture_gsym *g,
                   struct fixture_gsym_places *p)
{
	enum { ENTRIES = 7 };

	fixture_out_put(o, 0, 1);
	fixture_out_put(o, g->base, 8);
	fixture_out_put(o, g->count, 4);
	p->directory = o->size;
	for (size_t i = 0; i < ENTRIES * 20; i++)
		fixture_out_put(o, 0, 1);
	put_addresses(o, g, p);
	put_entry(o, p, 0, 1, p->addresses);
	fixture_out_pad(o, 8);
	p->infos = o->size;
	for (size_t i = 0; i < g->count; i++)
		fixture_out_put(o, 0, 8);
	put_entry(o, p, 1, 2, p->infos);
	put_files(o, g, p);
	put_entry(o, p, 2, 4, p->files);
	p->strings = o->size;
	fixture_out_text(o, (const char *)strings.data, strings.size);
	put_entry(o, p, 3, 3, p->strings);
	fixture_out_pad(o, 4);
	size_t records = o->size;
	put_records(o, g, p);
	put_entry(o, p, 4, 5, records);
	for (size_t i = 0; i < g->count; i++)
		fixture_out_poke(o, p->infos + 8 * i, p->record[i] - records, 8);
	size_t uuid = o->size;
	fixture_out_text(o, (const char *)g->uuid.data, g->uuid.size);
	if (g->uuid.size)
		put_entry(o, p, 5, 6, uuid);
}

void fixture_gsym(struct fixture_out *out, const struct fixture_gsym *gsym,
                  struct fixture_gsym_places *places)
{
	struct fixture_gsym_places own = { 0 };

	strings.big = gsym->big;
	gather_strings(gsym);
	out->size = 0;
	out->big = gsym->big;
	fixture_out_put(out, 0x4753594d, 4);
	fixture_out_put(out, gsym->version, 2);
	fixture_out_put(out, gsym->width, 1);
	if (gsym->version == 1)
		put_v1(out, gsym, &own);
	else
		put_v2(out, gsym, &own);
	own.end = out->size;
	if (places)
		*places = own;
}
