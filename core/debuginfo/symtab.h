/* SPDX-License-Identifier: MIT */
/* The functions that the symbol tables of an ELF file name. */
#ifndef CAIRN_DEBUGINFO_SYMTAB_H
#define CAIRN_DEBUGINFO_SYMTAB_H

#include <cairn.h>
#include <libelf.h>

struct symtab_entry {
	uint64_t va, size;
	const char *name;
};

struct symtab {
	struct symtab_entry *entry; /* ascending */
	size_t count, room;
};

/* Of .symtab, or without one of .dynsym.  False when memory is short. */
bool symtab_read(struct symtab *symtab, Elf *elf);
void symtab_finish(struct symtab *symtab);

/* The function at `va`; one without a size reaches up to the next.  NULL when there is none. */
const struct symtab_entry *symtab_find(const struct symtab *symtab, uint64_t va);

#endif
