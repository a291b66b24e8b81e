/* SPDX-License-Identifier: MIT */
/* Functions of an ELF file that symbols alone know, with the rows that line tables have for them. */
#ifndef CAIRN_CONVERT_SOURCE_ELF_SYMBOLS_H
#define CAIRN_CONVERT_SOURCE_ELF_SYMBOLS_H

#include "elf_source.h"

/* What a thread reads with, NULL where there is no DWARF, and gives to. */
struct elf_symbol_thread {
	struct program_reader *reader;
	struct function_sink sink;
};

/* The functions that DWARF and other tables have; they are put in order. */
struct elf_known_functions {
	struct cairn_range *range;
	size_t count;
};

/* All units have been read.  `count` threads, at least 1; those whose work is not worth a thread have none. */
CAIRN_MUST_USE enum cairn_status elf_symbols_read(struct function_source *origin,
                                                  const struct elf_known_functions *known,
                                                  const struct elf_symbol_thread *thread,
                                                  size_t count);

#endif
