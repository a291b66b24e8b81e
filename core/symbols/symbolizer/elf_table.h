/* SPDX-License-Identifier: MIT */
/* Functions or labels of an ELF file by address, from its symbol table: .symtab, else .dynsym. */
#ifndef CAIRN_SYMBOLS_SYMBOLIZER_ELF_TABLE_H
#define CAIRN_SYMBOLS_SYMBOLIZER_ELF_TABLE_H

#include "formats/elf/elf.h"

struct elf_table {
	struct elf elf;
	struct elf_section section;
	struct symbol_place *places; /* by address */
	size_t count, room;
};

enum elf_table_kind {
	ELF_TABLE_FUNCTIONS,
	ELF_TABLE_LABELS, /* functions, variables and other names, with the source of local ones as their file */
};

/* The file stays borrowed. False: memory is short; a file without symbols has an empty table. */
bool elf_table_open(struct elf_table *table, struct cairn_bytes file, enum elf_table_kind kind);
void elf_table_close(struct elf_table *table);

/* Bytes that it holds. */
uint64_t elf_table_memory(const struct elf_table *table);

/* The function that holds the address, or of the labels there the largest; false when none does. */
bool elf_table_find(const struct elf_table *table, uint64_t va, struct cairn_location *location);

#endif
