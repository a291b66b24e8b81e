/* SPDX-License-Identifier: MIT */
/* The locations of one address in a Go program. */
#include "go_parts.h"

#include "base/range.h"

/* One question, and its answer. */
struct lookup {
	uint64_t va;
	struct cairn_location *found;
	size_t most, count;
};

static const struct cairn_range *find_range(const struct function *f,
                                            const struct function_inline *call, uint64_t va)
{
	for (uint32_t i = 0; i < call->ranges; i++) {
		const struct cairn_range *range = &f->range[call->range + i];
		if (va >= range->low && va < range->high)
			return range;
	}
	return NULL;
}

static void set_place(struct cairn_location *location, const struct function *f, uint32_t file,
                      uint32_t line)
{
	location->directory = f->files[file].directory;
	location->file = f->files[file].name;
	location->line = line;
}

/* A location is put before those that are there, which are of the code around it. */
static void push_location(struct lookup *l, struct cairn_bytes name, uint64_t start, bool inlined,
                          uint64_t size)
{
	if (l->count == l->most)
		l->count--;
	memmove(l->found + 1, l->found, l->count * sizeof(*l->found));
	l->found[0] = (struct cairn_location){ .function = name,
		                               .start = start,
		                               .offset = l->va - start,
		                               .inlined = inlined,
		                               .size = range_location_size(size) };
	l->count++;
}

static enum cairn_status find_locations(void *context, const struct function *f)
{
	struct lookup *l = context;
	size_t row = f->row_count;

	if (l->va - f->start >= f->size)
		return CAIRN_OK;
	push_location(l, f->name, f->start, false, f->size);
	for (size_t i = 0; i < f->inline_count; i++) {
		const struct cairn_range *range = find_range(f, &f->inlines[i], l->va);
		if (!range)
			continue;
		set_place(&l->found[0], f, f->inlines[i].call_file, f->inlines[i].call_line);
		push_location(l, f->inlines[i].name, range->low, true, 0);
	}
	while (row > 0 && f->rows[row - 1].va > l->va)
		row--;
	if (row > 0)
		set_place(&l->found[0], f, f->rows[row - 1].file, f->rows[row - 1].line);
	return CAIRN_OK;
}

size_t go_functions_find(struct go_functions *functions, uint64_t va, struct cairn_location *found,
                         size_t most)
{
	struct lookup l = { .va = va, .found = found, .most = most };
	const struct function_sink sink = { find_locations, &l };
	uint64_t index;

	if (!gopclntab_find(&functions->program->table, va, &index) ||
	    go_functions_read(functions, index, &sink) != CAIRN_OK)
		return 0;
	return l.count;
}
