/* SPDX-License-Identifier: MIT */
/* The sources that every symbolizer (cairn/symbolizer.h) has, symbol_files.c and tables.c, and what they share with symbolizer.c. */
#ifndef CAIRN_SYMBOLS_SYMBOLIZER_SYMBOLIZER_H
#define CAIRN_SYMBOLS_SYMBOLIZER_SYMBOLIZER_H

#include "formats/elf/elf.h"
#include "locate/locate.h"
#include "locate/separate_debug_files.h"

enum { SYMBOLIZER_LATE = 300 }; /* rank of files of symbols after DWARF */

/* Functions or labels of an ELF file by address, from its symbol table: .symtab, else .dynsym. */
struct elf_table {
	struct elf elf;
	struct elf_section section;
	struct symbol_place *places; /* by address */
	size_t count, room;
};

enum elf_table_kind {
	ELF_TABLE_FUNCTIONS,
	ELF_TABLE_LABELS, /* functions, variables and other names, with the source of local ones as their file */
};

/* The file stays borrowed. False: memory is short; a file without symbols has an empty table. */
bool elf_table_open(struct elf_table *table, struct cairn_bytes file, enum elf_table_kind kind);
void elf_table_close(struct elf_table *table);

/* Bytes that it holds. */
uint64_t elf_table_memory(const struct elf_table *table);

/* The function that holds the address, or of the labels there the largest; false when none does. */
bool elf_table_find(const struct elf_table *table, uint64_t va, struct cairn_location *location);

/* The files of one module, searched by the rules of a symbolizer when they are first wanted. */
struct module_files {
	const struct cairn_symbolizer_options *options;
	struct cairn_symbol_module module; /* its path and its build ID are owned */
	char *path;
	uint8_t *build_id;
	bool looked_program;
	struct located program; /* nothing if the host lent it */
	bool looked_separate;
	struct separate_debug_files *separate; /* owned; NULL: nothing was found */
	unsigned missing; /* CAIRN_MISSING_..., as far as files were looked for */
};

/* Tells the host of a file that is asked. */
void module_files_report(const struct module_files *files, const char *path, uint64_t size);

/* The file of symbols that answers for the module, opened if it was not; NULL: there is none. */
struct cairn_symbols *symbolizer_symbols(struct cairn_symbolizer *symbolizer,
                                         const struct cairn_symbol_module *module);

/* What a source of symbol_files.c has opened, and whether it is what `where` has kept of a conversion. */
struct cairn_symbols *symbolizer_opened_symbols(void *opened);
bool symbolizer_opened_conversion(const void *opened);

/*
 * For other sources that open symbols for a module: these belong to *opened, and are freed if there is none.  It is
 * asked and closed as below.
 */
enum cairn_status symbolizer_take_symbols(struct cairn_symbol_search *search,
                                          struct cairn_symbols *symbols, void **opened);
void symbolizer_find_symbols(void *opened, const uint64_t *vas, size_t count,
                             const struct cairn_symbol_taker *taker);
void symbolizer_close_symbols(void *opened);

/* The sources that every symbolizer has. */
extern const struct cairn_symbol_source symbolizer_symbol_files, symbolizer_go_table,
	symbolizer_tables, symbolizer_stubs;

/*
 * Breakpad's files in the layout of symbol stores, DIR/NAME/ID/NAME.sym, for those who want it: NAME is the last part
 * of the module's path, ID its debug ID with the age 0.
 */
extern const struct cairn_symbol_source breakpad_tree_source;

#endif
