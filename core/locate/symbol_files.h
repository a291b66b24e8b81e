/* SPDX-License-Identifier: MIT */
/*
 * The candidates for the file of symbols of a module, best first, in an order that the caller gives. They are paths; their reader
 * decides whether a file is there and belongs to the module.
 *
 *	struct symbol_files files = { .order = symbol_files_all, .binary = path, .build_id = id };
 *	while (symbol_files_next(&files))
 *		... files.path, files.kind
 *	symbol_files_finish(&files);
 *
 * GSYM files are also found by their build ID, whatever they are called: `srv.debug.gsym` beside `srv`. The directory of
 * the binary is searched, then each that was given. Of a directory SYMBOL_FILES_FOLDER files are opened, to read their build
 * IDs: those whose names end in ".gsym" before all others, and each kind by name. The result is kept until the directory changes, so
 * that a directory is read once, however many modules are looked up. Any thread may do so.
 */
#ifndef CAIRN_LOCATE_SYMBOL_FILES_H
#define CAIRN_LOCATE_SYMBOL_FILES_H

#include "base/fileid.h"
#include "formats/elf/elf.h"
#include "os/module/symbol_path.h"
#include "sparse.h"

enum { SYMBOL_FILES_FOLDER = 64 };

/* A place to look at, and the extension of files there. */
struct symbol_files_step {
	enum {
		SYMBOL_FILES_END,
		SYMBOL_FILES_SECTION, /* the program itself, if it has .gsym */
		SYMBOL_FILES_NAMED, /* places that the binary or its build ID name (symbol_path.h) */
		SYMBOL_FILES_BY_ID, /* those that the build ID names, for files that do not tell theirs */
		SYMBOL_FILES_BY_BYTES, /* the same by the FileID of the program, for fetched symbfiles */
		SYMBOL_FILES_GO,       /* the program itself, if it has the table of a Go program */
		SYMBOL_FILES_FOLDERS, /* GSYM files of any name */
	} place;
	const char *extension;
};

/* The order of cairn_symbol_file_find(), and that for a module without a build ID. */
extern const struct symbol_files_step symbol_files_all[], symbol_files_nameless[];

enum symbol_files_kind {
	SYMBOL_FILES_TELL_BUILD, /* the file must hold the build ID */
	SYMBOL_FILES_ANY_BUILD,  /* its path proves the build */
	SYMBOL_FILES_GO_TABLE,   /* the program, for its Go table */
};

/* Set the members before `path`; all are borrowed. */
struct symbol_files {
	const struct symbol_files_step *order; /* up to SYMBOL_FILES_END */
	const char *binary;
	struct cairn_bytes build_id;
	const char *directories;    /* "DIR:DIR"; NULL: none */
	bool no_cache, no_system;   /* skip cairn's cache; skip /usr/lib/debug */
	struct cairn_bytes program; /* the file at `binary`; empty: it is opened */

	const char *path; /* the candidate, valid until the next call */
	enum symbol_files_kind kind;

	/* private */
	bool has_looked, is_program, is_begun, is_entered;
	struct os_sparse opened;
	struct elf elf;
	struct symbol_path paths;
	struct fileid by_bytes;
	const char *rest; /* directories that are still to be searched */
	size_t at;        /* the next file of the directory */
	size_t length;    /* of the directory's name in `name`; 0: none is being searched */
	char name[SYMBOL_PATH_MAX];
};

/* Set files->path and files->kind to the next candidate. Return false at the end. */
bool symbol_files_next(struct symbol_files *files);

/* Close the program, if it was opened. */
void symbol_files_finish(struct symbol_files *files);

#endif
