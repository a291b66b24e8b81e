/* SPDX-License-Identifier: MIT */
/* Infers where a program was loaded, from return addresses in its code. */
#ifndef CAIRN_FORMATS_ELF_LOAD_BASE_H
#define CAIRN_FORMATS_ELF_LOAD_BASE_H

#include "elf.h"
#include "isa/load_base.h"

/*
 * Infer the load address of an ELF file from return addresses in its process (isa/load_base.h).
 * Sort `returns` and remove duplicates. Return false if the file is not position-independent or no
 * base is clearly the right one.
 */
bool elf_find_load_base(const struct elf *elf, uint64_t *returns, size_t *count,
                        struct load_base *base);

/* Call load_base_is_return() for the code in this file. */
bool elf_is_return(const struct elf *elf, uint64_t va);

#endif
