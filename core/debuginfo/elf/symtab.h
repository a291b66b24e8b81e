/* SPDX-License-Identifier: MIT */
/* What the symbol tables of an ELF file name: functions, or all that is in memory. */
#ifndef CAIRN_DEBUGINFO_ELF_SYMTAB_H
#define CAIRN_DEBUGINFO_ELF_SYMTAB_H

#include <cairn.h>
#include <libelf.h>

struct symtab_entry {
	uint64_t va, size;
	const char *name;
	const char *file; /* of a local symbol, with symtab_read_all(); else NULL */
	uint32_t order;   /* its number in the table */
	uint64_t end;     /* of its section; UINT64_MAX: not known, or with symtab_read_all() */
};

struct symtab {
	struct symtab_entry *entry; /* ascending */
	size_t count, room;
};

/* Reads .symtab, or .dynsym if there is none.  False when memory is short. */
bool symtab_read(struct symtab *symtab, Elf *elf);

/* Variables and labels too. */
bool symtab_read_all(struct symtab *symtab, Elf *elf);
void symtab_finish(struct symtab *symtab);

/*
 * The symbol at `va`; one without a size reaches up to the next, and with symtab_read() not past its
 * section.  NULL when there is none.
 */
const struct symtab_entry *symtab_find(const struct symtab *symtab, uint64_t va);

#endif
