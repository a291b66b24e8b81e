/* SPDX-License-Identifier: MIT */
/*
 * Compares the dynamic linker's list of modules with its state when GDB's modules were last
 * queried.
 */
#include "linker_list.h"

#include "jit_code.h"
#include "link_map.h"

static bool read_gdb_memory(void *context, uint64_t address, uint8_t *bytes, int size)
{
	const struct gdb_session *s = context;

	return s->unwinder.target_read &&
	       s->unwinder.target_read(address, bytes, size) == GDB_SUCCESS;
}

/*
 * Return true if GDB holds symbols from cairn for a library with this load bias; its head is then
 * part of the hash.
 */
static bool has_symbols(void *context, uint64_t bias)
{
	const struct gdb_session *s = context;
	const struct sources *sources = &s->shared.sources;
	bool served = false;

	for (size_t i = 0; i < sources->objects; i++)
		served = served || (sources->object[i].inferior == s->linker_list.inferior &&
		                    sources->object[i].bias == bias);
	return served;
}

static struct link_map_memory lend_memory(struct gdb_session *s)
{
	return (struct link_map_memory){ read_gdb_memory, has_symbols, s,
		                         s->linker_list.big_endian };
}

static bool hash_list(struct gdb_session *s, uint64_t *hash)
{
	const struct link_map_memory memory = lend_memory(s);
	const struct linker_list *g = &s->linker_list;

	return g->alone ? link_map_hash_alone(&memory, g->program, hash)
	                : link_map_hash(&memory, g->program, g->slot, hash);
}

static bool find_slot(struct gdb_session *s, uint64_t bias)
{
	const struct link_map_memory memory = lend_memory(s);
	struct linker_list *g = &s->linker_list;

	g->alone = link_map_is_alone(&memory, g->program);
	return g->alone || link_map_find_slot(&memory, g->program, bias, &g->slot);
}

void linker_list_begin(struct gdb_session *s, const struct gdb_state *state)
{
	struct linker_list *g = &s->linker_list;
	struct cairn_module module;

	g->known = g->found = false;
	g->inferior = state->inferior;
	for (size_t i = 0; state->alive && !g->found && i < state->files.count; i++) {
		const struct info_files_module *m = &state->files.modules[i];
		if (!m->program ||
		    cairn_space_module(s->unwinder.space, m->host.low, &module) != CAIRN_OK ||
		    !module.has_headers)
			continue;
		g->program = module.low;
		g->big_endian = module.big_endian;
		g->found = find_slot(s, module.bias);
	}
}

void linker_list_end(struct gdb_session *s)
{
	struct linker_list *g = &s->linker_list;

	g->known = g->found && hash_list(s, &g->hash);
}

static bool is_same(struct gdb_session *s, int inferior)
{
	uint64_t hash;

	return s->linker_list.known && s->linker_list.inferior == inferior && hash_list(s, &hash) &&
	       hash == s->linker_list.hash;
}

bool linker_list_answer(struct gdb_session *s)
{
	static const char nothing[] = "\n";
	unsigned long number;
	int inferior;

	if (!channel_take_glance(&s->exchange.channel, &number, &inferior))
		return false;
	text_reset(&s->exchange.reply);
	text_add(&s->exchange.reply, "_cairn gather\n");
	if (s->shared.sources.follow && (!is_same(s, inferior) || jit_code_changed(s, inferior)))
		channel_reply(&s->exchange.channel, number, &s->exchange.reply);
	else
		channel_publish(&s->exchange.channel, nothing, sizeof(nothing) - 1);
	return true;
}
