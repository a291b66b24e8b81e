/* SPDX-License-Identifier: MIT */
/*
 * Functions that only the program's unwind table knows.  LLDB looks unwind rules up by the function
 * that it finds at an address, so that each of them must be one, with a name.
 */
#include "writers/elf/parts.h"

#include "base/order.h"
#include "writers/frames/frame_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MADE_UP_NAME_MAX = 32 };

static int compare_starts(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return ORDER_BY(*a, *b, 0);
}

/* Lists where the functions of the symbols begin, ascending; NULL when memory is short. */
static uint64_t *list_starts(const struct elf_writer *w)
{
	uint64_t *start = malloc((w->functions ? w->functions : 1) * sizeof(*start));

	for (size_t i = 0; start && i < w->functions; i++)
		start[i] = w->function[i].start;
	if (start)
		qsort(start, w->functions, sizeof(*start), compare_starts);
	return start;
}

static uint32_t made_up_name(struct elf_writer *w, const struct frame_function *f)
{
	char name[MADE_UP_NAME_MAX];
	int size = 0;

	switch (f->kind) {
	case FRAME_FUNCTION:
		size = snprintf(name, sizeof(name), "unnamed_%" PRIx64, f->range.low);
		break;
	case FRAME_FUNCTION_STUB:
		size = snprintf(name, sizeof(name), "plt_%" PRIx64, f->range.low);
		break;
	case FRAME_FUNCTION_ENTRY:
		size = snprintf(name, sizeof(name), "_start");
		break;
	}
	return interner_add_copy(&w->names,
	                         (struct cairn_bytes){ (const uint8_t *)name, (size_t)size });
}

/* "puts@plt", as linkers and GDB call it. */
static uint32_t name_stub(struct elf_writer *w, const struct frame_function *f)
{
	static const char suffix[] = "@plt";
	const uint32_t called = elf_writer_clean_name(w, f->name);
	const struct cairn_bytes text = interner_text(&w->names, called);
	const size_t size = text.size + sizeof(suffix) - 1;
	uint8_t *name = called ? malloc(size) : NULL;

	if (!name)
		return 0;
	memcpy(name, text.data, text.size);
	memcpy(name + text.size, suffix, sizeof(suffix) - 1);
	const uint32_t number = interner_add_copy(&w->names, (struct cairn_bytes){ name, size });
	free(name);
	return number;
}

/* As the program's own symbols have it, or made up. */
static uint32_t frame_function_name(struct elf_writer *w, const struct frame_function *f)
{
	if (f->kind == FRAME_FUNCTION_STUB && f->name.size > 0)
		return name_stub(w, f);
	return f->name.size > 0 ? elf_writer_clean_name(w, f->name) : made_up_name(w, f);
}

static bool add_frame_function(struct elf_writer *w, const struct frame_function *f)
{
	const struct elf_writer_function kept = { .start = f->range.low,
		                                  .end = f->range.high,
		                                  .record = w->records.size,
		                                  .calls_at = w->records.size,
		                                  .order = (uint32_t)w->functions,
		                                  .name = frame_function_name(w, f) };

	if (kept.name == 0 || w->functions >= UINT32_MAX)
		return false;
	return ARRAY_APPEND(w->function, w->functions, w->function_room, kept);
}

bool elf_writer_add_frame_functions(struct elf_writer *w)
{
	const struct frame_table *frames = w->frames;
	const size_t known = w->functions;

	if (!frames)
		return true;
	uint64_t *start = list_starts(w);
	bool done = start != NULL;
	for (size_t i = 0, next = 0; i < frames->functions && done; i++) {
		const struct frame_function *f = &frames->function[i];
		while (next < known && start[next] < f->range.low)
			next++;
		if (next == known || start[next] != f->range.low)
			done = add_frame_function(w, f);
	}
	free(start);
	return done;
}
