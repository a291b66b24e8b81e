/* SPDX-License-Identifier: MIT */
/*
 * Lists the candidates for the symbol file of a module, best first, in an order given by the
 * caller. Candidates are paths; the caller checks whether a file exists and belongs to the module.
 *
 *	struct symbol_files files = { .order = symbol_files_all, .binary = path, .build_id = id };
 *	while (symbol_files_next(&files))
 *		... files.path, files.kind
 *	symbol_files_finish(&files);
 *
 * GSYM files may have any name, such as `srv.debug.gsym` beside `srv`, because they are also
 * matched by build ID. Searches the directory of the binary, then each of `directories`, and reads
 * the build IDs of the first SYMBOL_FILES_DIRECTORY files in each, sorted by name with "*.gsym" first.
 * The result is cached until the directory changes, so that many lookups read a directory once.
 * Thread-safe.
 */
#ifndef CAIRN_LOCATE_SYMBOL_FILES_H
#define CAIRN_LOCATE_SYMBOL_FILES_H

#include "locate.h"

#include "base/fileid.h"
#include "formats/elf/elf.h"
#include "os/symbol_path.h"

enum { SYMBOL_FILES_DIRECTORY = 64 };

struct symbol_files_step {
	enum {
		SYMBOL_FILES_END,
		SYMBOL_FILES_SECTION,
		/* paths derived from the binary's path or build ID, see symbol_path.h */
		SYMBOL_FILES_NAMED,
		/* paths derived from the build ID, for formats that do not record a build ID */
		SYMBOL_FILES_BY_ID,
		/* paths derived from the program's FileID, for downloaded symbfiles */
		SYMBOL_FILES_BY_BYTES,
		SYMBOL_FILES_GO,
		SYMBOL_FILES_DIRECTORIES, /* GSYM files with any name */
	} place;
	const char *extension;
};

/* Search order of cairn_symbols_search(), and the search order for modules without a build ID. */
extern const struct symbol_files_step symbol_files_all[], symbol_files_nameless[];

enum symbol_files_kind {
	SYMBOL_FILES_TELL_BUILD, /* the file must contain the module's build ID */
	SYMBOL_FILES_ANY_BUILD,  /* the path is sufficient proof of the build */
	SYMBOL_FILES_GO_TABLE,
};

/* Iterator over candidates. Initialize the fields above `path`; pointers are borrowed. */
struct symbol_files {
	const struct symbol_files_step *order;
	const char *binary;
	struct cairn_bytes build_id;
	const char *directories; /* colon-separated list; may be NULL */
	bool no_cache, no_system;
	/* contents of `binary`; if empty, the iterator opens `binary` when needed */
	struct cairn_bytes program;

	const char *path; /* current candidate, borrowed until the next call */
	enum symbol_files_kind kind;

	/* private */
	bool has_looked, is_program, is_begun, is_entered;
	struct os_sparse opened;
	struct elf elf;
	struct symbol_path paths;
	struct fileid by_bytes;
	const char *rest;
	size_t at;
	size_t length; /* length of the directory in `name`; 0 if no directory is being searched */
	char name[SYMBOL_PATH_MAX];
};

/* Advance files->path and files->kind to the next candidate. Returns false after the last one. */
bool symbol_files_next(struct symbol_files *files);

void symbol_files_finish(struct symbol_files *files);

/*
 * Finds the ELF files with a build ID below a directory, and keeps the best file for each build ID.
 */

enum { TREE_BUILD_ID_MAX = 64 };

struct tree_file {
	char *path;
	uint8_t build_id[TREE_BUILD_ID_MAX];
	uint8_t size;
	uint8_t quality; /* result of rate(); higher is better */
};

/* The caller sets the two callbacks and zeroes the other fields. */
struct tree_files {
	uint8_t (*rate)(const struct elf *elf);
	void (*unreadable)(const char *path, int error);
	struct tree_file *file; /* sorted by path */
	size_t count, capacity;
	uint64_t seen;
	uint64_t unnamed;
	uint64_t unreadable_count;
};

/*
 * Find the files below `directory`. Does not follow symbolic links. Returns false if allocation fails.
 */
bool tree_files_find(struct tree_files *files, const char *directory);

void tree_files_free(struct tree_files *files);

#endif
