/* SPDX-License-Identifier: MIT */
/*
 * Symbols of an ELF file:
 *
 *	symbol32 = name:u32 value:u32 size:u32 info:u8 other:u8 section:u16
 *	symbol64 = name:u32 info:u8 other:u8 section:u16 value:u64 size:u64
 */
#include "aliases.h"

#include "base/array_grow.h"
#include "base/bytes.h"
#include "base/reader.h"
#include "formats/elf/elf.h"

#include <string.h>

enum {
	TYPE_NONE = 0, /* STT_... */
	TYPE_FUNCTION = 2,
	TYPE_IFUNC = 10,
	SECTION_UNDEFINED = 0,
	SECTION_RESERVED = 0xff00,
	SHT_SYMTAB = 2,
	SHT_DYNSYM = 11,
	MACHINE_MIPS = 8,
	MACHINE_PPC64 = 21,
	MACHINE_ARM = 40,
	SIZE_32 = 16,
	SIZE_64 = 24,
};

/*
 * Symbols may have the ends of one long text for names: all names together are no longer than this
 * times the table and its texts.  Compilers and linkers stay below once.
 */
enum { NAMES_FACTOR = 4, NAMES_BASE = 1 << 20 };

struct symbol {
	uint32_t name;
	uint8_t info;
	uint16_t section;
	uint64_t value, size;
};

/* What is the same for all symbols of a table. */
struct table {
	struct elf elf;
	struct cairn_bytes entries, strings;
	struct elf_section opd; /* type 0: there is none */
	uint64_t names_left;    /* bytes that names may still have */
	bool exhausted;
};

/* `p` has as many bytes as an entry of the table. */
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

/* Names of places, not of code: mapping symbols, local labels, and ends of sections. */
static bool is_marker_name(struct cairn_bytes name)
{
	bool maps = name.size >= 2 && name.data[0] == '$' && strchr("adtx", name.data[1]) &&
	            (name.size == 2 || name.data[2] == '.');

	return maps || has_affixes(name, ".L", "") || has_affixes(name, "__", "_start") ||
	       has_affixes(name, "__", "_end") || has_affixes(name, "_etext", "") ||
	       has_affixes(name, "__etext", "") || has_affixes(name, "etext", "");
}

static bool is_symbol_of_code(const struct table *t, const struct symbol *s)
{
	enum { CODE = ELF_SHF_ALLOC | ELF_SHF_EXECUTE };
	struct elf_section section;
	unsigned type = s->info & 15;

	if (type != TYPE_NONE && type != TYPE_FUNCTION && type != TYPE_IFUNC)
		return false;
	if (s->section == SECTION_UNDEFINED || s->section >= SECTION_RESERVED)
		return false;
	if (type != TYPE_NONE)
		return true;
	return elf_section(&t->elf, s->section, &section) && (section.flags & CODE) == CODE;
}

/* Where the code is that a symbol of a descriptor stands for. */
static void follow_descriptor(const struct table *t, struct symbol *s)
{
	struct cairn_bytes bytes = elf_section_bytes(&t->elf, &t->opd), entry;

	if (t->opd.type == 0 || s->value - t->opd.va >= t->opd.size)
		return;
	if (!bytes_slice(bytes, s->value - t->opd.va, 8, &entry))
		return;
	struct reader in = reader_open(entry, t->elf.big);
	s->value = reader_u64(&in);
}

static void correct_symbol_value(const struct table *t, struct symbol *s)
{
	bool tagged = t->elf.machine == MACHINE_ARM || t->elf.machine == MACHINE_MIPS;

	if (tagged && (s->info & 15) != TYPE_NONE)
		s->value &= ~(uint64_t)1;
	follow_descriptor(t, s);
}

static bool read_symbol_name(struct table *t, const struct symbol *s, struct cairn_bytes *name)
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

/* All that may be a symbol's name, to be read when it is asked for; false: it has none. */
static bool find_name_text(const struct table *t, const struct symbol *s, struct cairn_bytes *text)
{
	if (s->name >= t->strings.size || t->strings.data[s->name] == '\0')
		return false;
	*text = (struct cairn_bytes){ t->strings.data + s->name, t->strings.size - s->name };
	return true;
}

static bool append_alias(struct aliases *aliases, const struct symbol *s, struct cairn_bytes name)
{
	const struct alias alias = { .va = s->value,
		                     .size = s->size,
		                     .name = name,
		                     .binding = s->info >> 4,
		                     .type = s->info & 15 };

	if (!aliases->unread)
		return aliases_add(aliases, alias);
	if (!array_grow(&aliases->entry, &aliases->room, aliases->count + 1, sizeof(alias)))
		return false;
	aliases->entry[aliases->count++] = alias;
	return true;
}

static bool add_code_symbol(struct aliases *aliases, struct table *t, struct symbol *s)
{
	struct cairn_bytes name;
	const bool is_typed = (s->info & 15) != TYPE_NONE;

	if (!is_symbol_of_code(t, s))
		return true;
	/* what is without a type may be a marker, which its name shows */
	if ((!aliases->unread || !is_typed) && !read_symbol_name(t, s, &name))
		return true;
	if (!is_typed && is_marker_name(name))
		return true;
	if (aliases->unread && !find_name_text(t, s, &name))
		return true;
	correct_symbol_value(t, s);
	return append_alias(aliases, s, name);
}

static bool is_picked(const struct alias *symbol, const struct cairn_range *range, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (symbol->va <= range[i].high &&
		    (symbol->va >= range[i].low || symbol->size > range[i].low - symbol->va))
			return true;
	return false;
}

bool aliases_pick(struct aliases *unread, const struct cairn_range *range, size_t count,
                  struct aliases *picked)
{
	for (size_t i = 0; i < unread->count; i++) {
		struct alias symbol = unread->entry[i];
		if (!is_picked(&symbol, range, count))
			continue;
		const bool enough = symbol.name.size <= unread->names_left;
		const size_t room = enough ? symbol.name.size : (size_t)unread->names_left;
		const uint8_t *nul = memchr(symbol.name.data, 0, room);
		if (!nul && !enough)
			return false;
		if (!nul)
			continue;
		symbol.name.size = (size_t)(nul - symbol.name.data);
		unread->names_left -= symbol.name.size;
		if (!aliases_add(picked, symbol))
			return false;
	}
	return true;
}

static bool find_table(const struct elf *elf, uint32_t type, struct elf_section *found)
{
	for (uint32_t i = 1; i < elf->sections; i++)
		if (elf_section(elf, i, found) && found->type == type)
			return true;
	return false;
}

static enum cairn_status open_table(struct table *t, enum aliases_table which,
                                    struct cairn_fault *fault)
{
	struct elf_section symbols, strings;
	uint32_t type = which == ALIASES_SYMTAB ? SHT_SYMTAB : SHT_DYNSYM;

	if (!find_table(&t->elf, type, &symbols)) {
		*fault = (struct cairn_fault){ CAIRN_NOT_FOUND, 0, "no symbol table" };
		return CAIRN_NOT_FOUND;
	}
	t->entries = elf_section_bytes(&t->elf, &symbols);
	if (!elf_section(&t->elf, symbols.link, &strings)) {
		*fault = (struct cairn_fault){ CAIRN_MALFORMED, t->elf.sections_at,
			                       "a symbol table without a string table" };
		return CAIRN_MALFORMED;
	}
	t->strings = elf_section_bytes(&t->elf, &strings);
	t->names_left = NAMES_BASE + NAMES_FACTOR * ((uint64_t)t->entries.size + t->strings.size);
	if (t->elf.machine != MACHINE_PPC64 || !elf_find_section(&t->elf, ".opd", &t->opd))
		t->opd.type = 0;
	return CAIRN_OK;
}

enum cairn_status aliases_read(struct aliases *aliases, struct cairn_bytes file,
                               enum aliases_table which, struct cairn_fault *fault)
{
	struct table t = { .opd = { .type = 0 } };
	enum cairn_status status = elf_open(file, &t.elf, fault);

	if (status == CAIRN_OK)
		status = open_table(&t, which, fault);
	if (status != CAIRN_OK)
		return status;
	const size_t size = t.elf.wide ? SIZE_64 : SIZE_32;
	for (size_t at = 0; t.entries.size - at >= size && !t.exhausted; at += size) {
		const uint8_t *entry = t.entries.data + at;
		struct symbol symbol = read_symbol(entry, t.elf.wide, t.elf.big);
		*fault = (struct cairn_fault){ CAIRN_NO_MEMORY, (uint64_t)(entry - file.data),
			                       "no memory for symbols" };
		if (!add_code_symbol(aliases, &t, &symbol))
			return CAIRN_NO_MEMORY;
	}
	aliases->names_left += t.names_left;
	*fault = (struct cairn_fault){ t.exhausted ? CAIRN_MALFORMED : CAIRN_OK, fault->offset,
		                       "symbol names share so much text that the rest is left out, "
		                       "beginning with the symbol" };
	return fault->status;
}
