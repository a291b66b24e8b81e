/* SPDX-License-Identifier: MIT */
/* Stores facts from the files of a module that its memory does not contain. */
#include "program_files.h"

#include "base/memory.h"
#include "base/range.h"
#include "base/sort.h"
#include "formats/ehframe/ehframe.h"

#include <stdlib.h>

struct cairn_files *cairn_files_new(bool symbols)
{
	struct cairn_files *files = calloc(1, sizeof(*files));

	if (files)
		files->wants_symbols = symbols;
	return files;
}

void cairn_files_free(struct cairn_files *files)
{
	if (!files)
		return;
	free(files->frames.range);
	free(files->functions.range);
	free(files);
}

static void append_covered_range(struct files_list *list, uint64_t low, uint64_t size)
{
	if (list->count == FILES_RANGES || !ARRAY_APPEND(list->range, list->count, list->room,
	                                                 (struct cairn_range){ low, low + size }))
		list->everywhere = true;
}

/* Keep one entry per address: an entry without size if there is one, otherwise the longest. */
static void choose_one_per_address(struct files_list *list)
{
	size_t kept = 0;

	for (size_t i = 1; i < list->count; i++) {
		struct cairn_range *last = &list->range[kept], next = list->range[i];
		if (next.low > last->low)
			list->range[++kept] = next;
		else if (range_size(*last) > 0)
			*last = next;
	}
	list->count = list->count ? kept + 1 : 0;
}

static const struct cairn_range *last_before(const struct files_list *list, uint64_t va)
{
	const size_t next = SORTED_UP_TO(list->range, list->count, low, va);

	return next > 0 ? &list->range[next - 1] : NULL;
}

void files_add_frames(struct cairn_files *files, struct cairn_bytes section, bool big, uint8_t word)
{
	struct debug_frame frames = debug_frame_open(section, big, word);
	struct files_list *list = &files->frames;
	struct cairn_fault fault;
	uint64_t start, size;
	enum cairn_status status = CAIRN_OK;

	while (status == CAIRN_OK && !list->everywhere) {
		status = debug_frame_next(&frames, &start, &size, &fault);
		if (status == CAIRN_OK && size > 0)
			append_covered_range(list, start, size);
	}
	list->everywhere = list->everywhere || status != CAIRN_NOT_FOUND;
	list->count = range_merge(list->range, list->count);
}

/* Return true for a symbol in code of a type that names a location. */
static bool is_in_code(const struct elf *elf, const struct elf_symbol *symbol)
{
	struct elf_section section;
	bool named = symbol->type == ELF_STT_NOTYPE || symbol->type == ELF_STT_FUNC ||
	             symbol->type == ELF_STT_IFUNC;

	return named && symbol->section != 0 && elf_section(elf, symbol->section, &section) &&
	       (section.flags & ELF_SHF_EXECUTE) && symbol->size <= UINT64_MAX - symbol->va;
}

void files_add_symbols(struct cairn_files *files, const struct elf *elf,
                       const struct elf_section *table)
{
	struct files_list *list = &files->functions;
	struct elf_symbol symbol;

	for (uint64_t i = 1; !list->everywhere && elf_symbol(elf, table, i, &symbol); i++)
		if (is_in_code(elf, &symbol))
			append_covered_range(list, symbol.va, symbol.size);
	if (list->count > 0)
		qsort(list->range, list->count, sizeof(*list->range), range_compare);
	choose_one_per_address(list);
}

bool files_have_cfi(const struct cairn_files *files, uint64_t va)
{
	const struct cairn_range *range = last_before(&files->frames, va);

	return files->frames.everywhere || (range && va < range->high);
}

bool files_have_function(const struct cairn_files *files, uint64_t va)
{
	const struct cairn_range *range = last_before(&files->functions, va);

	return files->functions.everywhere ||
	       (range && (range->low == range->high || va < range->high));
}
