/* SPDX-License-Identifier: MIT */
/*
 * What a symbolizer (cairn/symbolizer.h) consists of: its sources in their order, and the modules that it keeps open.
 * modules.c keeps them within the bounds and finds their files, symbolizer.c asks the sources.
 */
#ifndef CAIRN_SYMBOLS_SYMBOLIZER_SYMBOLIZER_H
#define CAIRN_SYMBOLS_SYMBOLIZER_SYMBOLIZER_H

#include "formats/elf/elf.h"
#include "locate/locate.h"
#include "locate/separate_debug_files.h"

enum {
	SYMBOLIZER_SOURCES = 16,
	SYMBOLIZER_LATE = 300,       /* rank of files of symbols after DWARF */
	SYMBOLIZER_MODULES = 256,    /* that are kept open, unless the host has another wish */
	SYMBOLIZER_MEMORY = 1 << 30, /* bytes that they may hold, likewise */
};

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

/* The module with all that is known of it by now: its build ID and its lowest address may come from its file. */
const struct cairn_symbol_module *module_files_module(struct module_files *files);

/* Tells the host of a file that is asked. */
void module_files_report(const struct module_files *files, const char *path, uint64_t size);

/* Mapped files are not read for a while: their pages do not count as this process's memory. */
void module_files_release_pages(const struct module_files *files);

/* What a source has opened for a module. */
struct symbolizer_opened {
	bool looked;
	void *symbols; /* NULL: the source has nothing for the module */
};

struct symbolizer_module {
	uint64_t hash;   /* of what the module is known by */
	uint64_t used;   /* the number of the call that used it last */
	uint64_t memory; /* bytes that it held when they were counted last */
	struct module_files files;
	struct symbolizer_opened opened[SYMBOLIZER_SOURCES]; /* by the source */
	bool has_labels;
	struct elf_table labels[2]; /* of the debug file and of the module's own */
};

/* An address that has no complete answer yet. */
struct symbolizer_pending {
	size_t index; /* of its answer */
	uint64_t va;
};

/* Where the locations of an answer begin in the list of all. */
struct symbolizer_chain {
	size_t first;
	bool any;
};

struct cairn_symbolizer {
	struct cairn_symbolizer_options options;
	struct cairn_symbol_source source[SYMBOLIZER_SOURCES]; /* by rank */
	size_t source_count;
	struct symbolizer_module *
		current; /* the last one that was wanted, whose memory may have changed since it was counted */
	uint64_t
		memory; /* bytes that all modules hold; only counted if options.memory_max bounds it */
	struct symbolizer_module **modules;
	size_t module_count, module_room;
	uint64_t calls;
	/* of the last call */
	struct cairn_location *locations;
	size_t location_count, location_room;
	struct symbolizer_pending *pending;
	struct symbolizer_chain *chains;
	uint64_t *vas; /* of what is pending */
	size_t answer_room;
	bool memory_short;
};

/* Finds the module among those that are open, or adds it; NULL if memory is short. */
struct symbolizer_module *symbolizer_module_get(struct cairn_symbolizer *symbolizer,
                                                const struct cairn_symbol_module *module);

/* Closes modules until the bounds are kept; `keep` stays open in any case. */
void symbolizer_modules_bound(struct cairn_symbolizer *symbolizer, struct symbolizer_module *keep);

void symbolizer_modules_close(struct cairn_symbolizer *symbolizer);

/* What source number `source` knows of the module, opened once; NULL: nothing. */
void *symbolizer_open_source(struct cairn_symbolizer *symbolizer, struct symbolizer_module *module,
                             size_t source, struct cairn_fault *fault);

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
