/* SPDX-License-Identifier: MIT */
/* Functions of an ELF file by address, from its symbol table: .symtab, else .dynsym. */
#ifndef CAIRN_STACKS_SYMBOL_TABLE_H
#define CAIRN_STACKS_SYMBOL_TABLE_H

#include "formats/elf/elf.h"

struct symbol_table {
	struct elf elf;
	struct elf_section section;
	struct symbol_place *places; /* by address */
	size_t count, room;
};

/* The file stays borrowed. False: memory is short; a file without symbols has an empty table. */
bool symbol_table_open(struct symbol_table *table, struct cairn_bytes file);
void symbol_table_close(struct symbol_table *table);

/* The function that holds the address; false when none does. */
bool symbol_table_find(const struct symbol_table *table, uint64_t va,
                       struct cairn_location *location);

#endif
