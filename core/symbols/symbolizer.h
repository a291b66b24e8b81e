/* SPDX-License-Identifier: MIT */
/*
 * Built-in sources of a symbolizer (cairn/symbolizer.h), and helpers shared by symbolizer.c,
 * symbol_files.c and index_tables.c.
 */
#ifndef CAIRN_SYMBOLS_SYMBOLIZER_H
#define CAIRN_SYMBOLS_SYMBOLIZER_H

#include "formats/elf/elf.h"
#include "locate/locate.h"
#include "locate/separate_debug_files.h"

enum { SYMBOLIZER_LATE = 300 }; /* rank of sources that are queried after DWARF */

/*
 * Open the ELF symbol tables of a module's debug file and program, to find functions or, with
 * `labels`, also variables and other names. Local labels include their source file. Returns
 * CAIRN_OK, NOT_FOUND or NO_MEMORY. `opened` below is a struct elf_tables.
 */
struct elf_tables;
CAIRN_MUST_USE enum cairn_status elf_tables_open(struct cairn_symbol_search *search, bool labels,
                                                 struct elf_tables **opened);
void elf_tables_close(void *opened);
uint64_t elf_tables_memory(const void *opened);

/* Find the function or the largest label that contains `va`. Returns false if there is neither. */
bool elf_tables_find(const struct elf_tables *tables, uint64_t va, struct cairn_location *location);

/* Files of one module, which are located on first use according to the symbolizer's options. */
struct module_files {
	const struct cairn_symbolizer_options *options;
	struct cairn_symbol_module module; /* path and build ID point to the copies below */
	char *path;
	uint8_t *build_id;
	bool looked_program;
	struct located program; /* empty if the host has provided the contents */
	bool looked_separate;
	struct separate_debug_files *separate; /* owned; NULL if nothing was found */
	unsigned missing;                      /* CAIRN_MISSING_* flags from the searches so far */
};

void module_files_report(const struct module_files *files, const char *path, uint64_t size);

/* Return the module's symbol file, opening it on first use, or NULL. */
struct cairn_symbols *symbolizer_symbols(struct cairn_symbolizer *symbolizer,
                                         const struct cairn_symbol_module *module);

/*
 * Return the symbols that a source in symbol_files.c has opened. symbolizer_opened_conversion()
 * returns true if the file is a conversion that cairn has stored in its cache.
 */
struct cairn_symbols *symbolizer_opened_symbols(void *opened);
bool symbolizer_opened_conversion(const void *opened);

extern const struct cairn_symbol_source symbolizer_symbol_files, symbolizer_go_table,
	symbolizer_tables, symbolizer_stubs;

/*
 * Finds Breakpad files in the layout of symbol stores: DIR/NAME/ID/NAME.sym, where NAME is the last
 * component of the module's path and ID its debug ID with age 0. It is not a built-in source;
 * callers add it.
 */
extern const struct cairn_symbol_source breakpad_tree_source;

#endif
