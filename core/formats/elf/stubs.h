/* SPDX-License-Identifier: MIT */
/*
 * What the stubs of a PLT call, on amd64 and i386; no symbol table names them.
 *
 *	struct elf_stubs stubs;
 *	if (elf_stubs_open(&elf, &stubs))
 *		name = elf_stubs_name(&stubs, va, &start);  "puts", of the stub puts@plt
 */
#ifndef CAIRN_FORMATS_ELF_STUBS_H
#define CAIRN_FORMATS_ELF_STUBS_H

#include "elf.h"

struct elf_stubs {
	struct elf elf;
	struct cairn_bytes relocations; /* of the slots, ascending */
	struct elf_section symbols;     /* what they name */
	struct elf_section section;     /* with the stubs */
	uint64_t table;                 /* va of the table of slots; 0: there is none */
};

/* False: the file has no PLT, or is of another machine. */
bool elf_stubs_open(const struct elf *elf, struct elf_stubs *stubs);

/* The symbol that the stub around `va` calls, and where the stub begins; empty: it is in none. */
struct cairn_bytes elf_stubs_name(const struct elf_stubs *stubs, uint64_t va, uint64_t *start);

/* The same of a stub that begins at `va`, with its code. */
struct cairn_bytes elf_stubs_name_code(const struct elf_stubs *stubs, uint64_t va,
                                       struct cairn_bytes code);

#endif
