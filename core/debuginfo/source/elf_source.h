/* SPDX-License-Identifier: MIT */
/* ELF files as inputs of functions: DWARF, read by several threads, then symbols. */
#ifndef CAIRN_DEBUGINFO_SOURCE_ELF_SOURCE_H
#define CAIRN_DEBUGINFO_SOURCE_ELF_SOURCE_H

#include "function_source.h"

#include "debuginfo/elf/aliases.h"
#include "debuginfo/program/program.h"
#include "locate/separate_debug_files.h"

struct elf_source {
	struct separate_debug_files halves;
	bool prepared; /* the members below have been opened */
	struct aliases aliases;
	struct os_file symbols;         /* options.symbols, if it is given */
	void *minidebug;                /* unpacked, because it contains the names of symbols */
	struct program *program;        /* NULL if there is no DWARF */
	struct program_reader **reader; /* of the last reading, because they hold its texts */
	size_t readers;
	struct go_program go; /* table of a Go program */
	bool has_go;
	struct go_functions *go_functions; /* of the last reading */
};

/*
 * Set origin->elf, which belongs to the origin from then on, whatever the outcome.  Symbols and DWARF are opened when they
 * are read, because a caller that already has a result needs neither.  Return false if the origin's error says why.
 */
bool elf_source_open(struct cairn_functions *origin);
/* Free and clear origin->elf, which may be NULL. */
void elf_source_close(struct cairn_functions *origin);

CAIRN_MUST_USE enum cairn_status elf_source_read(struct cairn_functions *origin,
                                                 const struct function_source_sinks *takers);

/* Check that no section was cut off, because nothing is made of a truncated file.  Return false if *error says which one. */
bool elf_source_check_whole(const char *path, struct cairn_bytes bytes, struct cairn_error *error);

/* Check that the file is linked, or has a single section of code.  Return false if it does not; *error says so. */
bool elf_source_check_linked(const char *path, const struct elf *elf, struct cairn_error *error);

#endif
