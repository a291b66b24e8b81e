/* SPDX-License-Identifier: MIT */
/* What the symbol tables of an ELF file name in memory: functions, variables and labels. */
#ifndef CAIRN_DEBUGINFO_ELF_SYMTAB_H
#define CAIRN_DEBUGINFO_ELF_SYMTAB_H

#include <cairn.h>
#include <libelf.h>

struct symtab_entry {
	uint64_t va, size;
	const char *name;
	const char *file; /* of a local symbol; else NULL */
	uint32_t order;   /* its number in the table */
};

struct symtab {
	struct symtab_entry *entry; /* ascending */
	size_t count, room;
};

/* Reads .symtab, or .dynsym if there is none.  False when memory is short. */
bool symtab_read(struct symtab *symtab, Elf *elf);
void symtab_finish(struct symtab *symtab);

/* The symbol at `va`; one without a size reaches up to the next.  NULL when there is none. */
const struct symtab_entry *symtab_find(const struct symtab *symtab, uint64_t va);

#endif
