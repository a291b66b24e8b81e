/* SPDX-License-Identifier: MIT */
/* Reads the symbols of ELF files: all of a table, or those around a few addresses. */
#include "symbol_table.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/invariant.h"
#include "base/range.h"
#include "base/reader.h"

#include <string.h>

/*
 * The entries of a symbol table:
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
 * Limit the total length of names to this multiple of the table and its strings, because names may
 * be suffixes of one long string. Compilers and linkers stay below 1.
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
 * Return true for names that mark positions rather than code: mapping symbols, local labels, and
 * ends of sections.
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
 * Return true if the symbol names code. Objects with a size count, because GHC's runtime library
 * defines code that way.
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

/* Replace the address of a function descriptor by the address of its code. */
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

/*
 * Return the rest of the string table from the name on, so that the name is measured only if
 * needed. Returns false if it is empty.
 */
static bool find_name_text(const struct symbol_table *t, const struct symbol *s,
                           struct cairn_bytes *text)
{
	if (s->name >= t->strings.size || t->strings.data[s->name] == '\0')
		return false;
	*text = (struct cairn_bytes){ t->strings.data + s->name, t->strings.size - s->name };
	return true;
}

static enum cairn_status find_entries(struct symbol_table *t, enum aliases_table which,
                                      struct cairn_fault *fault)
{
	struct elf_section symbols, strings;
	uint32_t type = which == ALIASES_SYMTAB ? ELF_SHT_SYMTAB : ELF_SHT_DYNSYM;

	if (!elf_find_section_of_type(&t->elf, type, &symbols))
		return fault_set(fault, CAIRN_NOT_FOUND, "no symbol table");
	t->entries = elf_section_bytes(&t->elf, &symbols);
	if (!elf_section(&t->elf, symbols.link, &strings))
		return fault_set_at(fault, CAIRN_MALFORMED, t->elf.sections_at,
		                    "a symbol table without a string table");
	t->strings = elf_section_bytes(&t->elf, &strings);
	return CAIRN_OK;
}

enum cairn_status symbol_table_open(struct symbol_table *t, struct cairn_bytes file,
                                    enum aliases_table which, struct cairn_fault *fault)
{
	*t = (struct symbol_table){ .at = 0 };
	enum cairn_status status = elf_open(file, &t->elf, fault);

	if (status == CAIRN_OK)
		status = find_entries(t, which, fault);
	if (status != CAIRN_OK)
		return status;
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

/* Skip 64-bit entries that are outside the range by value and size, as most are. */
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

/* Read the name of a code symbol as far as needed. Returns false to skip the symbol. */
static bool find_code_name(struct symbol_table *t, const struct symbol *s, struct cairn_bytes *name)
{
	const bool is_typed = (s->info & 15) != TYPE_NONE;

	/* an untyped symbol may be a marker, which is recognized by its name */
	if ((t->with_names || !is_typed) && !read_symbol_name(t, s, name))
		return false;
	if (!is_typed && is_marker_name(*name))
		return false;
	return t->with_names || find_name_text(t, s, name);
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

struct picking {
	struct symbol_table *table;
	const struct cairn_range *range;
	size_t count;
	struct aliases *picked;
};

static bool is_picked(const struct picking *p, const struct alias *symbol)
{
	for (size_t i = 0; i < p->count; i++)
		if (symbol_is_near(symbol->va, symbol->size, p->range[i]))
			return true;
	return false;
}

static bool pick_symbol(const struct picking *p, struct alias symbol)
{
	uint64_t *left = &p->table->names_left;
	const bool enough = symbol.name.size <= *left;
	const uint8_t *nul = memchr(symbol.name.data, 0, enough ? symbol.name.size : (size_t)*left);

	if (!nul)
		return enough;
	symbol.name.size = (size_t)(nul - symbol.name.data);
	*left -= symbol.name.size;
	return aliases_add(p->picked, symbol);
}

static bool pick_of_table(const struct picking *p, struct cairn_range hull)
{
	struct symbol_table table = *p->table;
	struct alias symbol;

	while (symbol_table_next(&table, hull, &symbol))
		if (is_picked(p, &symbol) && !pick_symbol(p, symbol))
			return false;
	return !table.exhausted;
}

bool symbol_tables_pick(struct symbol_tables *tables, const struct cairn_range *range, size_t count,
                        struct aliases *picked)
{
	const struct cairn_range hull = range_hull(range, count);
	bool ok = true;

	for (size_t i = 0; ok && count > 0 && i < tables->count; i++)
		ok = pick_of_table(&(struct picking){ &tables->table[i], range, count, picked },
		                   hull);
	return ok;
}
