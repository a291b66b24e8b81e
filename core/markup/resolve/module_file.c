/* SPDX-License-Identifier: MIT */
/*
 * Places of reports in the file of their module: offsets by its segments, and functions by its symbol tables, which are sorted
 * by hash when the first one is asked for.
 */
#include "base/bisect.h"
#include "base/bytes_compare.h"
#include "base/hash.h"
#include "base/sort.h"
#include "formats/elf/elf.h"
#include "readable_names.h"

#include <stdlib.h>
#include <string.h>

enum {
	TABLES = 2,
	/* How far the next function may begin behind the end of one: the kernel tells the sum as its size. */
	PADDING = 64,
	CANDIDATES =
		64, /* functions with one hash that are looked at; if there are more, none is meant */
	PAGE_MASK = 0xfff,
};

/* One function: which table has it, at which index. */
struct function_entry {
	uint64_t hash;
	uint32_t table, index;
};

/* Functions in the order of the hashes of their symbols, or of the readable names of these. */
struct function_list {
	struct function_entry *function;
	size_t count;
	bool sorted; /* the functions are there, if memory was not short */
};

struct cairn_markup_file {
	struct elf elf;
	struct elf_section table[TABLES];
	struct function_list symbols, readable;
	struct readable_names *names; /* there when the second list is */
};

struct cairn_markup_file *cairn_markup_file_new(struct cairn_bytes bytes)
{
	struct cairn_markup_file *file = calloc(1, sizeof(*file));

	if (file && !elf_opens(bytes, &file->elf)) {
		free(file);
		return NULL;
	}
	return file;
}

void cairn_markup_file_free(struct cairn_markup_file *file)
{
	if (!file)
		return;
	free(file->symbols.function);
	free(file->readable.function);
	free(file->names);
	free(file);
}

static bool is_code_symbol(const struct elf_symbol *symbol)
{
	return symbol->section != 0 && symbol->section < ELF_SHN_RESERVED &&
	       (symbol->type == ELF_STT_FUNC || symbol->type == ELF_STT_NOTYPE);
}

/* The name by which the list has the symbol; empty: it does not. */
static struct cairn_bytes name_symbol(struct cairn_markup_file *f, bool readable, uint32_t table,
                                      const struct elf_symbol *symbol)
{
	const struct cairn_bytes name = elf_symbol_name(&f->elf, &f->table[table], symbol);

	return readable ? readable_name_make(f->names, name) : name;
}

/* At most so many functions as a table has symbols. */
static uint64_t count_symbols(const struct cairn_markup_file *f, uint32_t table)
{
	struct elf_symbol symbol;
	uint64_t count = 0;

	while (count < UINT32_MAX && elf_symbol(&f->elf, &f->table[table], count, &symbol))
		count++;
	return count;
}

static void list_named_functions(struct cairn_markup_file *f, struct function_list *list,
                                 uint32_t table, uint64_t count)
{
	struct elf_symbol symbol;

	for (uint64_t i = 0; i < count && elf_symbol(&f->elf, &f->table[table], i, &symbol); i++) {
		if (!is_code_symbol(&symbol))
			continue;
		const struct cairn_bytes name =
			name_symbol(f, list == &f->readable, table, &symbol);
		if (name.size > 0)
			list->function[list->count++] =
				(struct function_entry){ hash_bytes(name), table, (uint32_t)i };
	}
}

static void sort_functions(struct cairn_markup_file *f, struct function_list *list)
{
	static const char *const names[TABLES] = { ".symtab", ".dynsym" };
	uint64_t count[TABLES] = { 0 };

	list->sorted = true;
	for (uint32_t i = 0; i < TABLES; i++)
		if (elf_find_section(&f->elf, names[i], &f->table[i]))
			count[i] = count_symbols(f, i);
	const size_t all = (size_t)count[0] + (size_t)count[1];
	list->function = all > 0 ? calloc(all, sizeof(*list->function)) : NULL;
	if (!list->function)
		return;
	for (uint32_t i = 0; i < TABLES; i++)
		list_named_functions(f, list, i, count[i]);
	if (list == &f->readable)
		f->names->bytes = 0; /* lookups may make as many readable again */
	SORT_BY_FIRST(list->function, list->count, hash);
}

/* What speaks for a function of the name: its size, then that other files see it; 0: nothing does. */
static unsigned rate_function(const struct elf_symbol *symbol,
                              const struct cairn_markup_place *place)
{
	const uint64_t size = place->function_size;
	const bool fits = size == 0 || symbol->size == 0 ||
	                  (symbol->size <= size && size - symbol->size < PADDING);

	return fits ? 1u + (size > 0 && symbol->size > 0 ? 2u : 0u) + (symbol->local ? 0u : 1u)
	            : 0u;
}

/* Finds the one function of the list that has the name. */
static bool find_in_list(struct cairn_markup_file *f, struct function_list *list,
                         struct cairn_bytes wanted, const struct cairn_markup_place *place,
                         uint64_t *va)
{
	const uint64_t hash = hash_bytes(wanted);
	unsigned best = 0;
	bool unique = false;
	struct elf_symbol symbol;

	if (!list->sorted)
		sort_functions(f, list);
	const size_t first = SORTED_BELOW(list->function, list->count, hash, hash);
	if (list->count - first > CANDIDATES && list->function[first + CANDIDATES].hash == hash)
		return false;
	for (size_t i = first; i < list->count && list->function[i].hash == hash; i++) {
		const uint32_t table = list->function[i].table;
		if (!elf_symbol(&f->elf, &f->table[table], list->function[i].index, &symbol))
			continue;
		const struct cairn_bytes name =
			name_symbol(f, list == &f->readable, table, &symbol);
		const unsigned rate = rate_function(&symbol, place);
		if (rate == 0 || rate < best || !bytes_equal(name, wanted))
			continue;
		unique = rate > best || (unique && symbol.va == *va);
		best = rate;
		*va = symbol.va;
	}
	return unique;
}

/* Finds a function by the name that a program has demangled for its own backtrace. */
static bool find_readable_function(struct cairn_markup_file *f,
                                   const struct cairn_markup_place *place, uint64_t *va)
{
	char text[ITANIUM_TEXT_MAX];

	if (!readable_name_may_be(place->function))
		return false;
	f->names = f->names ? f->names : calloc(1, sizeof(*f->names));
	if (!f->names)
		return false;
	const struct cairn_bytes wanted = readable_name_squeeze(f->names, place->function);
	if (wanted.size == 0)
		return false;
	memcpy(text, wanted.data, wanted.size);
	return find_in_list(f, &f->readable,
	                    (struct cairn_bytes){ (const uint8_t *)text, wanted.size }, place, va);
}

/* Where the place is, if it is in the code of this segment; the kernel maps from the beginning of a page. */
static bool is_in_segment(const struct elf_segment *s, const struct cairn_markup_place *place,
                          uint64_t *va)
{
	const uint64_t before = s->va & PAGE_MASK;
	const bool file = place->origin == CAIRN_MARKUP_FROM_FILE;
	const uint64_t start = file ? s->offset - before : 0;
	const uint64_t size = file ? s->file_size : s->memory_size;

	*va = s->va - before + (place->offset - start);
	return (s->flags & ELF_PF_EXECUTE) && (!file || before <= s->offset) &&
	       place->offset >= start && size <= UINT64_MAX - before &&
	       place->offset - start < before + size;
}

static bool find_in_segments(const struct cairn_markup_file *f,
                             const struct cairn_markup_place *place, uint64_t *va)
{
	uint64_t found = 0, at;
	struct elf_segment segment;
	bool any = false;

	for (uint32_t i = 0; elf_segment(&f->elf, i, &segment); i++) {
		if (segment.type != ELF_PT_LOAD || !is_in_segment(&segment, place, &at))
			continue;
		/* two segments of code: it may be in either */
		if (any && at != found)
			return false;
		found = at;
		any = true;
	}
	*va = found;
	return any;
}

/*
 * Older versions of Boost print the address of a program that is linked where it is loaded, and newer ones the offset in the file: what
 * is behind the file's code is such an address.
 */
static bool is_linked_code(const struct cairn_markup_file *f,
                           const struct cairn_markup_place *place)
{
	struct elf_segment s;

	for (uint32_t i = 0; f->elf.type == ELF_TYPE_EXEC && elf_segment(&f->elf, i, &s); i++)
		if (s.type == ELF_PT_LOAD && (s.flags & ELF_PF_EXECUTE) &&
		    place->offset - s.va < s.memory_size)
			return place->origin == CAIRN_MARKUP_FROM_FILE;
	return false;
}

static bool find_from_lowest_page(const struct cairn_markup_file *f, uint64_t *va)
{
	struct cairn_range span;

	if (!elf_load_span(&f->elf, &span))
		return false;
	*va += span.low & ~(uint64_t)PAGE_MASK;
	return true;
}

bool cairn_markup_file_locate(struct cairn_markup_file *f, const struct cairn_markup_place *place,
                              uint64_t *va)
{
	uint64_t found = place->offset;
	bool good = f->elf.type != ELF_TYPE_REL;

	switch (place->origin) {
	case CAIRN_MARKUP_FROM_ZERO:
		break;
	case CAIRN_MARKUP_FROM_MODULE:
		good = good && find_from_lowest_page(f, &found);
		break;
	case CAIRN_MARKUP_FROM_FILE:
	case CAIRN_MARKUP_FROM_MAPPING:
		if (good && !find_in_segments(f, place, &found)) {
			found = place->offset;
			good = is_linked_code(f, place);
		}
		break;
	case CAIRN_MARKUP_FROM_SYMBOL:
		good = good && (find_in_list(f, &f->symbols, place->function, place, &found) ||
		                find_readable_function(f, place, &found));
		found += place->offset;
		break;
	}
	if (good)
		*va = found;
	return good;
}
