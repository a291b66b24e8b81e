/* SPDX-License-Identifier: MIT */
/*
 * One symbol of a symbol table:
 *
 *	symbol = name value size info other shndx (32 bits), name info other shndx value size (64)
 */
#include "elf.h"

#include "base/reader.h"

enum { SYMBOL_WIDE = 24, SYMBOL_NARROW = 16, TYPE = 0x0f };

bool elf_symbol(const struct elf *elf, const struct elf_section *table, uint64_t index,
                struct elf_symbol *symbol)
{
	const uint64_t size = elf->wide ? SYMBOL_WIDE : SYMBOL_NARROW;
	const struct cairn_bytes bytes = elf_section_bytes(elf, table);
	struct cairn_bytes entry;

	if (index >= bytes.size / size || !bytes_slice(bytes, index * size, size, &entry))
		return false;
	struct reader in = reader_open(entry, elf->big);
	reader_u32(&in); /* name */
	if (!elf->wide) {
		symbol->va = reader_u32(&in);
		symbol->size = reader_u32(&in);
	}
	symbol->type = reader_u8(&in) & TYPE;
	reader_u8(&in); /* other */
	symbol->section = reader_u16(&in);
	if (elf->wide) {
		symbol->va = reader_u64(&in);
		symbol->size = reader_u64(&in);
	}
	return true;
}
