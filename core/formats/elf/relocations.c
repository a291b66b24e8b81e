/* SPDX-License-Identifier: MIT */
/*
 * Reads the relocations of a section of a relocatable file:
 *
 *	rela   = offset info addend      info = symbol << 32 | type (64 bits)
 *	                                 info = symbol << 8 | type (32 bits)
 *	rel    = offset info             the addend is in the relocated bytes
 */
#include "elf.h"

#include "base/reader.h"

enum { RELOCATION_NONE = 0 };

static bool find_relocations(const struct elf *elf, uint32_t target, uint32_t *index)
{
	struct elf_section s;

	for (uint32_t i = 1; i < elf->sections && elf_section(elf, i, &s); i++)
		if ((s.type == ELF_SHT_RELA || s.type == ELF_SHT_REL) && s.info == target) {
			*index = i;
			return true;
		}
	return false;
}

bool elf_next_relocation(const struct elf *elf, uint32_t target, uint32_t *relocations,
                         uint64_t *at, struct elf_relocation *relocation)
{
	struct elf_section table;
	struct cairn_bytes entry;
	size_t word = elf->wide ? 8 : 4;

	if (*at == 0 && !find_relocations(elf, target, relocations))
		return false;
	if (!elf_section(elf, *relocations, &table))
		return false;
	bool in_place = table.type == ELF_SHT_REL;
	size_t size = in_place ? 2 * word : 3 * word;
	while (bytes_slice(elf_section_bytes(elf, &table), *at, size, &entry)) {
		struct reader in = reader_open(entry, elf->big);
		uint64_t offset = reader_word(&in, elf->wide);
		uint64_t info = reader_word(&in, elf->wide);
		uint64_t addend = in_place ? 0 : reader_word(&in, elf->wide);
		uint32_t symbol = (uint32_t)(info >> (elf->wide ? 32 : 8));
		struct elf_relocation r = { .offset = offset, .in_place = in_place };
		*at += size;
		r.type = (uint32_t)(elf->wide ? info & 0xffffffff : info & 0xff);
		struct elf_section symbols;
		struct elf_symbol named;
		if (r.type == RELOCATION_NONE || !elf_section(elf, table.link, &symbols) ||
		    !elf_symbol(elf, &symbols, symbol, &named))
			continue;
		r.section = named.section;
		r.value = named.va + addend;
		*relocation = r;
		return true;
	}
	return false;
}
