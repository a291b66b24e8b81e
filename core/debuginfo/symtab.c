/* SPDX-License-Identifier: MIT */
#include "symtab.h"

#include <gelf.h>
#include <stdlib.h>

enum { FIRST_ROOM = 256 };

static bool add(struct symtab *s, struct symtab_entry entry)
{
	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : FIRST_ROOM;
		struct symtab_entry *grown = realloc(s->entry, room * sizeof(*grown));
		if (!grown)
			return false;
		s->entry = grown;
		s->room = room;
	}
	s->entry[s->count++] = entry;
	return true;
}

/* The section of this type; NULL when there is none. */
static Elf_Scn *section_of(Elf *elf, unsigned type, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return section;
	return NULL;
}

static bool is_function(const GElf_Sym *symbol)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF;
}

static bool read_table(struct symtab *s, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; i < count && i < INT32_MAX && gelf_getsym(data, (int)i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (!is_function(&symbol) || !name || !*name)
			continue;
		if (!add(s, (struct symtab_entry){ symbol.st_value, symbol.st_size, name }))
			return false;
	}
	return true;
}

/* Of functions at one address the largest comes last, and is found first. */
static int ascending(const void *left, const void *right)
{
	const struct symtab_entry *a = left, *b = right;

	if (a->va != b->va)
		return a->va < b->va ? -1 : 1;
	return a->size < b->size ? -1 : a->size > b->size;
}

bool symtab_read(struct symtab *s, Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *section = section_of(elf, SHT_SYMTAB, &header);

	*s = (struct symtab){ NULL, 0, 0 };
	if (!section)
		section = section_of(elf, SHT_DYNSYM, &header);
	if (section && !read_table(s, elf, section, &header)) {
		symtab_finish(s);
		return false;
	}
	if (s->count > 0)
		qsort(s->entry, s->count, sizeof(*s->entry), ascending);
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
	return entry->size == 0 || va - entry->va < entry->size ? entry : NULL;
}
