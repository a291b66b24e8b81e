/* SPDX-License-Identifier: MIT */
/* Functions of an ELF file that hold one of a few addresses, from the units that claim these. */
#include "elf_source.h"

#include <stdlib.h>

/* The innermost function that was found for an address. */
struct found {
	uint64_t va;
	uint64_t start, size; /* size 0: none yet */
};

struct gathering {
	struct function_sink sink;
	struct found *found;
	size_t count;
};

static bool holds_address(const struct function *function, uint64_t va)
{
	return va - function->start < function->size;
}

/* Of functions inside each other a lookup takes the one that begins last. */
static enum cairn_status forward_holder(void *context, const struct function *function)
{
	struct gathering *g = context;
	bool holds = false;

	for (size_t i = 0; i < g->count; i++) {
		struct found *f = &g->found[i];
		if (!holds_address(function, f->va))
			continue;
		holds = true;
		if (f->size == 0 || function->start > f->start) {
			f->start = function->start;
			f->size = function->size;
		} else if (function->start == f->start && function->size < f->size) {
			f->size = function->size;
		}
	}
	return holds ? g->sink.take(g->sink.context, function) : CAIRN_OK;
}

/* Could a symbol begin a function of its own between the start of what was found and the address? */
static bool is_hidden_by_symbol(const struct aliases *aliases, const struct found *found)
{
	for (size_t i = aliases_at(aliases, found->start);
	     i < aliases->count && aliases->entry[i].va <= found->va; i++)
		if (aliases->entry[i].va > found->start || aliases->entry[i].size > found->size)
			return true;
	return false;
}

static bool is_all_found(const struct gathering *g, const struct aliases *aliases)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->found[i].size == 0 || is_hidden_by_symbol(aliases, &g->found[i]))
			return false;
	return true;
}

static bool is_reading_clean(const struct program_reader *reader)
{
	struct program_summary sum = { .units = 0 };

	program_add_summary(reader, &sum);
	return sum.broken == 0 && sum.no_split == 0 && sum.damage.fault.status == CAIRN_OK;
}

static enum cairn_status read_units(struct elf_source *elf, const struct program_unit_list *units,
                                    struct gathering *g, const struct function_source_sinks *takers)
{
	struct function_sink sink = { forward_holder, g };
	enum cairn_status status = CAIRN_OK;

	elf_source_free_readers(elf);
	elf->reader = calloc(1, sizeof(struct program_reader *));
	if (!elf->reader || !(elf->reader[0] = program_reader_new(elf->program)))
		return CAIRN_NOT_FOUND;
	elf->readers = 1;
	if (!takers->sink(takers->context, 0, &g->sink))
		return CAIRN_NOT_FOUND;
	for (size_t i = 0; status == CAIRN_OK && i < units->count; i++) {
		takers->unit(takers->context, 0, (uint32_t)units->unit[i]);
		status = program_read(elf->reader[0], units->unit[i], &sink);
	}
	return status == CAIRN_OK && is_reading_clean(elf->reader[0]) ? CAIRN_OK : CAIRN_NOT_FOUND;
}

enum cairn_status elf_source_read_at(struct function_source *origin, const uint64_t *vas,
                                     size_t count, const struct function_source_sinks *takers)
{
	struct elf_source *elf = origin->elf;
	struct program_unit_list units;
	struct gathering g = { .found = NULL, .count = count };
	enum cairn_status status = CAIRN_NOT_FOUND;

	if (!elf_source_prepare(origin))
		return CAIRN_UNREADABLE; /* a message was printed */
	if (!elf->program || !program_find_units(elf->program, vas, count, &units))
		return CAIRN_NOT_FOUND;
	g.found = calloc(count, sizeof(*g.found));
	if (!g.found)
		return CAIRN_NOT_FOUND;
	for (size_t i = 0; i < count; i++)
		g.found[i].va = vas[i];
	status = read_units(elf, &units, &g, takers);
	if (status == CAIRN_OK && !is_all_found(&g, &elf->aliases))
		status = CAIRN_NOT_FOUND;
	free(g.found);
	return status;
}
