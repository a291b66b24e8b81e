/* SPDX-License-Identifier: MIT */
/*
 * Reads .symtab or .dynsym, sorts the symbols by address and finds the symbol that covers an
 * address.
 */
#include "symtab.h"

#include "base/array_grow.h"

#include <gelf.h>
#include <stdlib.h>

static bool append_symtab_entry(struct symtab *s, struct symtab_entry entry)
{
	if (!array_grow(&s->entry, &s->room, s->count + 1, sizeof(*s->entry)))
		return false;
	s->entry[s->count++] = entry;
	return true;
}

/* A table while it is read. */
struct table {
	Elf *elf;
	const GElf_Shdr *header;
	const char *file; /* of the local symbols that follow */
};

/* The section of this type; NULL when there is none. */
static Elf_Scn *find_section_of_type(Elf *elf, unsigned type, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return section;
	return NULL;
}

/* Does it lie in a section that is loaded, and is it not a mark for other tools? */
static bool is_in_memory(const struct table *table, const GElf_Sym *symbol)
{
	int type = GELF_ST_TYPE(symbol->st_info);
	Elf_Scn *section = elf_getscn(table->elf, symbol->st_shndx);
	GElf_Shdr header;

	if (type != STT_NOTYPE && type != STT_FUNC && type != STT_OBJECT && type != STT_GNU_IFUNC)
		return false;
	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE && section &&
	       gelf_getshdr(section, &header) && (header.sh_flags & SHF_ALLOC);
}

static bool is_wanted(struct table *table, const GElf_Sym *symbol, const char *name)
{
	/* the linker's own symbols come after a file without a name */
	if (GELF_ST_TYPE(symbol->st_info) == STT_FILE)
		table->file = name;
	return name && *name && is_in_memory(table, symbol);
}

static bool read_table(struct symtab *s, struct table *table, Elf_Scn *section)
{
	const GElf_Shdr *header = table->header;
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; i < count && i < INT32_MAX && gelf_getsym(data, (int)i, &symbol); i++) {
		const char *name = elf_strptr(table->elf, header->sh_link, symbol.st_name);
		bool local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
		if (!is_wanted(table, &symbol, name))
			continue;
		struct symtab_entry entry = { symbol.st_value, symbol.st_size, name,
			                      local ? table->file : NULL, (uint32_t)i };
		if (!append_symtab_entry(s, entry))
			return false;
	}
	return true;
}

/* At one address the largest symbol comes last, and is found first; then the later one. */
static int compare_symtab_entries(const void *left, const void *right)
{
	const struct symtab_entry *a = left, *b = right;

	if (a->va != b->va)
		return a->va < b->va ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

bool symtab_read(struct symtab *s, Elf *elf)
{
	GElf_Shdr header;
	struct table table = { .elf = elf, .header = &header };
	Elf_Scn *section = find_section_of_type(elf, SHT_SYMTAB, &header);

	*s = (struct symtab){ NULL, 0, 0 };
	if (!section)
		section = find_section_of_type(elf, SHT_DYNSYM, &header);
	if (section && !read_table(s, &table, section)) {
		symtab_finish(s);
		return false;
	}
	if (s->count > 0)
		qsort(s->entry, s->count, sizeof(*s->entry), compare_symtab_entries);
	return true;
}

void symtab_finish(struct symtab *s)
{
	free(s->entry);
	*s = (struct symtab){ NULL, 0, 0 };
}

const struct symtab_entry *symtab_find(const struct symtab *s, uint64_t va)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->entry[middle].va <= va)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	const struct symtab_entry *entry = &s->entry[low - 1];
	return (entry->size == 0 || va - entry->va < entry->size) ? entry : NULL;
}
