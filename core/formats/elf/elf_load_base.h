/* SPDX-License-Identifier: MIT */
/* Infers where an ELF file was loaded from addresses of its process (isa/load_base.h). */
#ifndef CAIRN_FORMATS_ELF_LOAD_BASE_H
#define CAIRN_FORMATS_ELF_LOAD_BASE_H

#include "elf.h"
#include "isa/load_base.h"

/*
 * Sorts `returns`, which are addresses that calls return to, and removes duplicates. Returns false if the file is not one that may be loaded
 * anywhere, or no base is clearly the right one.
 */
bool elf_find_load_base(const struct elf *elf, uint64_t *returns, size_t *count,
                        struct load_base *base);

/* As load_base_is_return(), of the code in this file. */
bool elf_is_return(const struct elf *elf, uint64_t va);

#endif
