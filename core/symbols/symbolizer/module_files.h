/* SPDX-License-Identifier: MIT */
/* The files of one module, looked for by the rules of a symbolizer when they are first wanted. */
#ifndef CAIRN_SYMBOLS_SYMBOLIZER_MODULE_FILES_H
#define CAIRN_SYMBOLS_SYMBOLIZER_MODULE_FILES_H

#include "locate/separate_debug_files.h"
#include "os/file/file.h"

struct module_files {
	const struct cairn_symbolizer_options *options;
	struct cairn_symbol_module module; /* its path and its build ID are owned */
	char *path;
	uint8_t *build_id;
	bool looked_program;
	struct os_file program;
	char *program_path; /* owned; NULL: there is none, or the host lent it */
	bool looked_separate;
	struct separate_debug_files *separate; /* owned; NULL: nothing was found */
	unsigned missing; /* CAIRN_MISSING_..., as far as files were looked for */
};

/* Copies what `module` is known by into `files`, which is all zeros.  False: memory is short. */
bool module_files_open(struct module_files *files, const struct cairn_symbolizer_options *options,
                       const struct cairn_symbol_module *module);
void module_files_close(struct module_files *files);

/* The module with all that is known of it by now: its build ID and its lowest address may come from its file. */
const struct cairn_symbol_module *module_files_module(struct module_files *files);

/* As search->file() of struct cairn_symbol_search. */
bool module_files_get(struct module_files *files, enum cairn_module_file wanted,
                      struct cairn_bytes directory, struct cairn_bytes name,
                      struct cairn_open_file *file);

/* Tells the host of a file that is asked. */
void module_files_report(const struct module_files *files, const char *path, uint64_t size);

/* Something is missing (CAIRN_MISSING_...), which is not a file that is looked for here. */
void module_files_note_missing(struct module_files *files, unsigned missing);

/* Mapped files are not read for a while: their pages do not count as this process's memory. */
void module_files_release_pages(const struct module_files *files);

/* Bytes that are held in memory for files. */
uint64_t module_files_memory(const struct module_files *files);

#endif
