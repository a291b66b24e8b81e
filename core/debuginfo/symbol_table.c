/* SPDX-License-Identifier: MIT */
/*
 * Reads the symbols of an ELF file that name code, ranks the symbols at one address, and collects
 * the ranges of instructions.
 */
#include "symbol_table.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/range.h"
#include "base/reader.h"
#include "base/sort.h"

#include <string.h>

enum { LOCAL = 0 };

bool aliases_add(struct aliases *aliases, struct alias alias)
{
	const uint8_t *version =
		alias.name.size > 0 ? memchr(alias.name.data + 1, '@', alias.name.size - 1) : NULL;

	if (version)
		alias.name.size = (size_t)(version - alias.name.data);
	return ARRAY_APPEND(aliases->entry, aliases->count, aliases->capacity, alias);
}

void aliases_finish(struct aliases *aliases)
{
	free(aliases->entry);
	*aliases = (struct aliases){ .entry = NULL };
}

/* Return the rank of a symbol without regard to its name; 0 is best. */
static unsigned classify_alias(const struct alias *alias)
{
	return (alias->binding == LOCAL ? 2u : 0u) + (alias->size == 0 ? 1u : 0u);
}

static int compare_alias_preference(const struct alias *a, const struct alias *b)
{
	if (classify_alias(a) != classify_alias(b))
		return classify_alias(a) < classify_alias(b) ? -1 : 1;
	return name_order_compare(a->name, b->name);
}

static int compare_aliases_by_va(const void *left, const void *right)
{
	const struct alias *a = left, *b = right;

	if (a->va != b->va)
		return a->va < b->va ? -1 : 1;
	int order = compare_alias_preference(a, b);
	if (order != 0)
		return order;
	return a->size < b->size ? -1 : a->size > b->size;
}

void aliases_sort(struct aliases *aliases)
{
	if (aliases->count > 1)
		qsort(aliases->entry, aliases->count, sizeof(*aliases->entry),
		      compare_aliases_by_va);
}

size_t aliases_at(const struct aliases *aliases, uint64_t va)
{
	return SORTED_BELOW(aliases->entry, aliases->count, va, va);
}

/*
 * Return an index past all symbols at the address of `first`. Because the search doubles its steps,
 * the result may be well past the last such symbol.
 */
static size_t find_group_end(const struct aliases *aliases, size_t first)
{
	uint64_t va = aliases->entry[first].va;
	size_t step = 1;

	while (step < aliases->count - first && aliases->entry[first + step].va == va)
		step *= 2;
	return step < aliases->count - first ? first + step : aliases->count;
}

/*
 * Return the first index, at or after `low`, of a symbol that sorts at or after `like`. Searches
 * only the symbols at one address.
 */
static size_t find_spelling(const struct aliases *aliases, size_t low, const struct alias *like)
{
	const size_t end = low < aliases->count ? find_group_end(aliases, low) : low;
	struct bisection search = bisect_begin(end - low);

	while (search.low < search.high) {
		const struct alias *entry = &aliases->entry[low + search.middle];
		bisect_narrow(&search,
		              entry->va < like->va || (entry->va == like->va &&
		                                       compare_alias_preference(entry, like) < 0));
	}
	return low + search.low;
}

static bool is_same(const struct alias *a, const struct alias *b)
{
	return a->va == b->va && compare_alias_preference(a, b) == 0;
}

const struct alias *aliases_best(const struct aliases *aliases, uint64_t va,
                                 const struct cairn_bytes *named, size_t count)
{
	size_t first = aliases_at(aliases, va), found = aliases->count;

	if (first == aliases->count || aliases->entry[first].va != va)
		return NULL;
	struct alias like = aliases->entry[first];
	/* fast path: most symbols are alone at their address */
	bool alone = first + 1 == aliases->count || aliases->entry[first + 1].va != va;
	for (size_t i = 0; i < count && !alone; i++) {
		like.name = named[i];
		size_t at = find_spelling(aliases, first, &like);
		if (at < found && is_same(&aliases->entry[at], &like))
			found = at;
	}
	return &aliases->entry[found < aliases->count ? found : first];
}

static const struct alias classes[] = {
	{ .binding = LOCAL + 1, .size = 1 },
	{ .binding = LOCAL + 1, .size = 0 },
	{ .binding = LOCAL, .size = 1 },
	{ .binding = LOCAL, .size = 0 },
};

static size_t find_name_rank(const struct aliases *aliases, uint64_t va, struct cairn_bytes name)
{
	size_t first = aliases_at(aliases, va);

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		struct alias like = classes[i];
		like.va = va;
		like.name = name;
		size_t at = find_spelling(aliases, first, &like);
		if (at < aliases->count && is_same(&aliases->entry[at], &like))
			return at;
	}
	return aliases->count;
}

int aliases_compare(const struct aliases *aliases, uint64_t va, struct cairn_bytes a,
                    struct cairn_bytes b)
{
	size_t left = find_name_rank(aliases, va, a), right = find_name_rank(aliases, va, b);

	if (left != right)
		return left < right ? -1 : 1;
	return name_order_compare(a, b);
}

enum cairn_status aliases_read(struct aliases *aliases, struct cairn_bytes file,
                               enum aliases_table which, struct cairn_fault *fault)
{
	struct symbol_table table;
	struct alias symbol;
	enum cairn_status status = symbol_table_open(&table, file, which, fault);

	if (status != CAIRN_OK)
		return status;
	table.with_names = true;
	const uint64_t first = (uint64_t)(table.entries.data - file.data);
	while (symbol_table_next(&table, (struct cairn_range){ 0, UINT64_MAX }, &symbol)) {
		const uint64_t at = first + table.at - symbol_table_step(&table);
		*fault = (struct cairn_fault){ CAIRN_NO_MEMORY, at, "no memory for symbols" };
		if (!aliases_add(aliases, symbol))
			return CAIRN_NO_MEMORY;
	}
	if (!table.exhausted) {
		*fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
		return CAIRN_OK;
	}
	return fault_set_at(
		fault, CAIRN_MALFORMED, first + table.at - symbol_table_step(&table),
		"symbol names exceed the size limit; the remaining symbols are omitted, "
		"beginning with the symbol");
}

/*
 * Formats of symbol table entries:
 *
 *	symbol32 = name:u32 value:u32 size:u32 info:u8 other:u8 section:u16
 *	symbol64 = name:u32 info:u8 other:u8 section:u16 value:u64 size:u64
 */

enum {
	TYPE_NONE = 0,
	TYPE_OBJECT = 1,
	TYPE_FUNCTION = 2,
	TYPE_IFUNC = 10,
	SECTION_UNDEFINED = 0,
	SECTION_RESERVED = 0xff00,
	MACHINE_MIPS = 8,
	MACHINE_PPC64 = 21,
	MACHINE_ARM = 40,
	SIZE_32 = 16,
	SIZE_64 = 24,
};

/*
 * Maximum ratio of the total length of names to the size of the table and its strings. A limit is
 * needed because names may be suffixes of one long string. Compilers and linkers stay below 1.
 */
enum { NAMES_FACTOR = 4, NAMES_BASE = 1 << 20 };

struct symbol {
	uint32_t name;
	uint8_t info;
	uint16_t section;
	uint64_t value, size;
};

static struct symbol read_symbol(const uint8_t *p, bool wide, bool big)
{
	struct symbol s = { .name = bytes_u32(p, big) };

	if (wide) {
		s.info = p[4];
		s.section = bytes_u16(p + 6, big);
		s.value = bytes_u64(p + 8, big);
		s.size = bytes_u64(p + 16, big);
	} else {
		s.value = bytes_u32(p + 4, big);
		s.size = bytes_u32(p + 8, big);
		s.info = p[12];
		s.section = bytes_u16(p + 14, big);
	}
	return s;
}

static bool has_affixes(struct cairn_bytes name, const char *start, const char *end)
{
	size_t front = strlen(start), back = strlen(end);

	return name.size >= front + back && memcmp(name.data, start, front) == 0 &&
	       memcmp(name.data + name.size - back, end, back) == 0;
}

/*
 * Return true for symbols that mark a position instead of naming code: mapping symbols, local
 * labels, and section ends.
 */
static bool is_marker_name(struct cairn_bytes name)
{
	bool maps = name.size >= 2 && name.data[0] == '$' && strchr("adtx", name.data[1]) &&
	            (name.size == 2 || name.data[2] == '.');

	return maps || has_affixes(name, ".L", "") || has_affixes(name, "__", "_start") ||
	       has_affixes(name, "__", "_end") || has_affixes(name, "_etext", "") ||
	       has_affixes(name, "__etext", "") || has_affixes(name, "etext", "");
}

/*
 * Return true if the symbol names code. Objects with a size are included because GHC's runtime
 * library defines code as objects.
 */
static bool is_symbol_of_code(const struct symbol_table *t, const struct symbol *s)
{
	enum { CODE = ELF_SHF_ALLOC | ELF_SHF_EXECUTE };
	struct elf_section section;
	unsigned type = s->info & 15;

	if (s->section == SECTION_UNDEFINED || s->section >= SECTION_RESERVED)
		return false;
	if (type == TYPE_FUNCTION || type == TYPE_IFUNC)
		return true;
	if (type != TYPE_NONE && (type != TYPE_OBJECT || s->size == 0))
		return false;
	return elf_section(&t->elf, s->section, &section) && (section.flags & CODE) == CODE;
}

static void follow_descriptor(const struct symbol_table *t, struct symbol *s)
{
	struct cairn_bytes entry;

	if (t->opd.type == 0 || s->value - t->opd.va >= t->opd.size)
		return;
	if (!bytes_slice(elf_section_bytes(&t->elf, &t->opd), s->value - t->opd.va, 8, &entry))
		return;
	s->value = bytes_u64(entry.data, t->elf.big);
}

static bool is_tagged(const struct symbol_table *t)
{
	return t->elf.machine == MACHINE_ARM || t->elf.machine == MACHINE_MIPS;
}

static bool read_symbol_name(struct symbol_table *t, const struct symbol *s,
                             struct cairn_bytes *name)
{
	if (s->name >= t->strings.size)
		return false;
	const uint8_t *start = t->strings.data + s->name;
	size_t rest = t->strings.size - s->name;
	bool enough = rest <= t->names_left;
	const uint8_t *nul = memchr(start, 0, enough ? rest : (size_t)t->names_left);

	t->exhausted = !nul && !enough;
	if (!nul)
		return false;
	*name = (struct cairn_bytes){ start, (size_t)(nul - start) };
	t->names_left -= name->size;
	return name->size > 0;
}

enum cairn_status symbol_table_open(struct symbol_table *t, struct cairn_bytes file,
                                    enum aliases_table which, struct cairn_fault *fault)
{
	struct elf_section symbols, strings;

	*t = (struct symbol_table){ .at = 0 };
	const enum cairn_status status = elf_open(file, &t->elf, fault);
	if (status != CAIRN_OK)
		return status;
	if (!elf_find_section_of_type(
		    &t->elf, which == ALIASES_SYMTAB ? ELF_SHT_SYMTAB : ELF_SHT_DYNSYM, &symbols))
		return fault_set(fault, CAIRN_NOT_FOUND, "no symbol table");
	t->entries = elf_section_bytes(&t->elf, &symbols);
	if (!elf_section(&t->elf, symbols.link, &strings))
		return fault_set_at(fault, CAIRN_MALFORMED, t->elf.sections_at,
		                    "a symbol table without a string table");
	t->strings = elf_section_bytes(&t->elf, &strings);
	t->names_left = NAMES_BASE + NAMES_FACTOR * ((uint64_t)t->entries.size + t->strings.size);
	if (t->elf.machine != MACHINE_PPC64 || !elf_find_section(&t->elf, ".opd", &t->opd))
		t->opd.type = 0;
	t->is_moved = is_tagged(t) || t->opd.type != 0;
	return CAIRN_OK;
}

size_t symbol_table_step(const struct symbol_table *table)
{
	return table->elf.wide ? SIZE_64 : SIZE_32;
}

/* Skip 64-bit entries that are outside the range according to their value and size. */
static inline size_t pass_far_entries(struct cairn_bytes entries, size_t at,
                                      struct cairn_range near, const bool big)
{
	while (entries.size - at >= SIZE_64 &&
	       !symbol_is_near(bytes_u64(entries.data + at + 8, big),
	                       bytes_u64(entries.data + at + 16, big), near))
		at += SIZE_64;
	return at;
}

static void pass_far(struct symbol_table *t, struct cairn_range near)
{
	if (t->is_moved || !t->elf.wide)
		return;
	t->at = t->elf.big ? pass_far_entries(t->entries, t->at, near, true)
	                   : pass_far_entries(t->entries, t->at, near, false);
}

/* Read as much of a code symbol's name as is needed. Returns false to skip the symbol. */
static bool find_code_name(struct symbol_table *t, const struct symbol *s, struct cairn_bytes *name)
{
	const bool is_typed = (s->info & 15) != TYPE_NONE;

	/* only the name tells whether an untyped symbol is a mapping symbol or label */
	if ((t->with_names || !is_typed) && !read_symbol_name(t, s, name))
		return false;
	if (!is_typed && is_marker_name(*name))
		return false;
	if (t->with_names)
		return true;
	/* do not measure the name, because its length is not always needed */
	if (s->name >= t->strings.size || t->strings.data[s->name] == '\0')
		return false;
	*name = (struct cairn_bytes){ t->strings.data + s->name, t->strings.size - s->name };
	return true;
}

static bool read_code_symbol(struct symbol_table *t, const uint8_t *entry, struct cairn_range near,
                             struct alias *symbol)
{
	struct symbol s = read_symbol(entry, t->elf.wide, t->elf.big);
	struct cairn_bytes name;

	if (!is_symbol_of_code(t, &s) || !find_code_name(t, &s, &name))
		return false;
	if (is_tagged(t) && (s.info & 15) != TYPE_NONE)
		s.value &= ~(uint64_t)1;
	follow_descriptor(t, &s);
	*symbol = (struct alias){ .va = s.value,
		                  .size = s.size,
		                  .name = name,
		                  .binding = s.info >> 4,
		                  .type = s.info & 15 };
	return symbol_is_near(s.value, s.size, near);
}

bool symbol_table_next(struct symbol_table *t, struct cairn_range near, struct alias *symbol)
{
	const size_t step = symbol_table_step(t);

	for (;;) {
		pass_far(t, near);
		if (t->entries.size - t->at < step || t->exhausted)
			return false;
		const uint8_t *entry = t->entries.data + t->at;
		t->at += step;
		if (read_code_symbol(t, entry, near, symbol))
			return true;
	}
}

static const struct cairn_range everywhere = { 0, UINT64_MAX };

enum cairn_status symbol_tables_add(struct symbol_tables *tables, struct cairn_bytes file,
                                    enum aliases_table which, struct cairn_fault *fault)
{
	INVARIANT(tables->count < SYMBOL_TABLES_MAX);
	struct symbol_table *table = &tables->table[tables->count];
	enum cairn_status status = symbol_table_open(table, file, which, fault);
	struct alias symbol;

	if (status != CAIRN_OK)
		return status;
	struct symbol_table look = *table;
	tables->count += symbol_table_next(&look, everywhere, &symbol) || look.exhausted;
	return CAIRN_OK;
}

bool symbol_tables_visit(const struct symbol_tables *tables, struct cairn_range near,
                         bool (*visit)(void *context, const struct alias *symbol), void *context)
{
	struct alias symbol;

	for (size_t i = 0; i < tables->count; i++) {
		struct symbol_table table = tables->table[i];
		while (symbol_table_next(&table, near, &symbol))
			if (!visit(context, &symbol))
				return false;
		if (table.exhausted)
			return false;
	}
	return true;
}

static bool is_near_any(const struct alias *symbol, const struct cairn_range *range, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (symbol_is_near(symbol->va, symbol->size, range[i]))
			return true;
	return false;
}

bool symbol_tables_pick(struct symbol_tables *tables, const struct cairn_range *range, size_t count,
                        struct aliases *picked)
{
	const struct cairn_range hull = range_hull(range, count);
	struct alias symbol;

	for (size_t i = 0; count > 0 && i < tables->count; i++) {
		struct symbol_table table = tables->table[i];
		uint64_t *left = &tables->table[i].names_left;
		while (symbol_table_next(&table, hull, &symbol)) {
			if (!is_near_any(&symbol, range, count))
				continue;
			const bool enough = symbol.name.size <= *left;
			const uint8_t *nul = memchr(symbol.name.data, 0,
			                            enough ? symbol.name.size : (size_t)*left);
			if (!nul && !enough)
				return false;
			if (!nul)
				continue;
			symbol.name.size = (size_t)(nul - symbol.name.data);
			*left -= symbol.name.size;
			if (!aliases_add(picked, symbol))
				return false;
		}
		if (table.exhausted)
			return false;
	}
	return true;
}

static bool add_span(struct code_ranges *spans, uint64_t va, uint64_t size)
{
	if (size == 0 || va > UINT64_MAX - size)
		return true;
	return ARRAY_APPEND(spans->range, spans->count, spans->capacity,
	                    (struct cairn_range){ va, va + size });
}

bool code_ranges_add_sections(struct code_ranges *spans, const struct elf *elf)
{
	enum { CODE = ELF_SHF_ALLOC | ELF_SHF_EXECUTE };
	struct elf_section s;

	for (uint32_t i = 1; i < elf->sections; i++)
		if (elf_section(elf, i, &s) && (s.flags & CODE) == CODE &&
		    !add_span(spans, s.va, s.size))
			return false;
	return true;
}

bool code_ranges_read(struct code_ranges *spans, const struct elf *elf)
{
	struct elf_segment s;

	*spans = (struct code_ranges){ .range = NULL };
	bool good = code_ranges_add_sections(spans, elf);
	const bool has_sections = spans->count > 0;
	for (uint32_t i = 0; good && !has_sections && i < elf->segments; i++)
		if (elf_segment(elf, i, &s) && s.type == ELF_PT_LOAD && (s.flags & ELF_PF_EXECUTE))
			good = add_span(spans, s.va, s.memory_size);
	if (good && spans->count == 0)
		good = add_span(spans, 1, UINT64_MAX - 1);
	if (!good)
		code_ranges_finish(spans);
	spans->count = range_merge(spans->range, spans->count);
	return good;
}

void code_ranges_finish(struct code_ranges *spans)
{
	free(spans->range);
	*spans = (struct code_ranges){ .range = NULL };
}

const struct cairn_range *code_ranges_find(const struct code_ranges *spans, uint64_t va)
{
	const size_t next = SORTED_UP_TO(spans->range, spans->count, low, va);

	return next > 0 && va < spans->range[next - 1].high ? &spans->range[next - 1] : NULL;
}
