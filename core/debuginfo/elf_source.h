/* SPDX-License-Identifier: MIT */
/* Reads functions from ELF files: first from DWARF, on several threads, then from symbols. */
#ifndef CAIRN_DEBUGINFO_ELF_SOURCE_H
#define CAIRN_DEBUGINFO_ELF_SOURCE_H

#include "function_source.h"

#include "debuginfo/program.h"
#include "debuginfo/symbol_table.h"
#include "locate/separate_debug_files.h"

struct elf_source {
	struct separate_debug_files separate;
	bool prepared;
	struct aliases aliases;
	struct os_file symbols;
	void *minidebug; /* decompressed .gnu_debugdata; symbol names are borrowed from it */
	struct program *program;
	/*
	 * readers that the last elf_source_read() created; emitted functions borrow their strings
	 */
	struct program_reader **reader;
	size_t readers;
	struct go_program go;
	bool has_go;
	struct go_functions *go_functions;
};

/*
 * Create origin->elf, which cairn_functions owns even on failure. Symbols and DWARF are opened on
 * the first read, because a caller with a cached result needs neither. Returns false and sets the
 * origin's error on failure.
 */
bool elf_source_open(struct cairn_functions *origin);
void elf_source_close(struct cairn_functions *origin);

CAIRN_MUST_USE enum cairn_status elf_source_read(struct cairn_functions *origin,
                                                 const struct function_source_sinks *sinks);

/*
 * Return false and set *error if a section is truncated, because symbol files must not be created
 * from truncated input.
 */
bool elf_source_check_whole(const char *path, struct cairn_bytes bytes, struct cairn_error *error);

/* Return false and set *error unless the file is linked or has a single code section. */
bool elf_source_check_linked(const char *path, const struct elf *elf, struct cairn_error *error);

#endif
