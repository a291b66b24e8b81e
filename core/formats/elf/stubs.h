/* SPDX-License-Identifier: MIT */
/*
 * Names the functions that PLT stubs call, on amd64 and i386. Symbol tables do not contain the
 * stubs.
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
	struct cairn_bytes relocations; /* relocations of the slots, in ascending order */
	struct elf_section symbols;     /* symbol table of the relocations */
	struct elf_section section;
	uint64_t table; /* address of the table of slots, 0 if absent */
};

/* Return false if the file has no PLT or the machine is not supported. */
bool elf_stubs_open(const struct elf *elf, struct elf_stubs *stubs);

/*
 * Return the name of the symbol that the stub around `va` calls, and set *start to the start of the
 * stub. Return an empty string if no stub contains `va`.
 */
struct cairn_bytes elf_stubs_name(const struct elf_stubs *stubs, uint64_t va, uint64_t *start);

/* Like elf_stubs_name(), for a stub that starts at `va` with this code. */
struct cairn_bytes elf_stubs_name_code(const struct elf_stubs *stubs, uint64_t va,
                                       struct cairn_bytes code);

#endif
