/* SPDX-License-Identifier: MIT */
/*
 * Reads a symbol from a symbol table:
 *
 *	symbol = name value size info other shndx (32 bits), name info other shndx value size (64)
 */
#include "elf.h"

#include "base/reader.h"

enum {
	SYMBOL_WIDE = 24,
	SYMBOL_NARROW = 16,
	TYPE = 0x0f,
	BINDING = 4, /* st_info >> BINDING is the binding; STB_LOCAL is 0 */
	/* limit when searching for the end, so that a file with many names is cheap to read */
	NAME_MAX_SIZE = 4096,
};

bool elf_symbol(const struct elf *elf, const struct elf_section *table, uint64_t index,
                struct elf_symbol *symbol)
{
	const uint64_t size = elf->wide ? SYMBOL_WIDE : SYMBOL_NARROW;
	const struct cairn_bytes bytes = elf_section_bytes(elf, table);
	struct cairn_bytes entry;

	if (index >= bytes.size / size || !bytes_slice(bytes, index * size, size, &entry))
		return false;
	struct reader in = reader_open(entry, elf->big);
	symbol->name = reader_u32(&in);
	if (!elf->wide) {
		symbol->va = reader_u32(&in);
		symbol->size = reader_u32(&in);
	}
	const uint8_t info = reader_u8(&in);
	symbol->type = info & TYPE;
	symbol->local = info >> BINDING == 0;
	reader_u8(&in);
	symbol->section = reader_u16(&in);
	if (elf->wide) {
		symbol->va = reader_u64(&in);
		symbol->size = reader_u64(&in);
	}
	return true;
}

struct cairn_bytes elf_symbol_name(const struct elf *elf, const struct elf_section *table,
                                   const struct elf_symbol *symbol)
{
	const struct cairn_bytes none = { elf->bytes.data, 0 };
	struct elf_section strings;
	struct cairn_bytes text;

	if (!elf_section(elf, table->link, &strings))
		return none;
	text = elf_section_bytes(elf, &strings);
	if (symbol->name > text.size ||
	    !bytes_slice(text, symbol->name, text.size - symbol->name, &text))
		return none;
	text.size = text.size < NAME_MAX_SIZE ? text.size : NAME_MAX_SIZE;
	struct reader in = reader_open(text, elf->big);
	struct cairn_bytes name = reader_string(&in);
	return reader_ok(&in) ? name : none;
}
