/* SPDX-License-Identifier: MIT */
/*
 * The files of modules that a captured text names, which stay open while its stacks are made.
 * struct cairn_captured_options takes captured_files_find() and such files as its context.
 */
#ifndef CAIRN_LOCATE_CAPTURED_FILES_H
#define CAIRN_LOCATE_CAPTURED_FILES_H

#include <cairn.h>

#include "formats/elf/elf_load_base.h"
#include "os/file/file.h"

#include <inttypes.h>

enum { CAPTURED_FILES_MAX = 512 }; /* files that are given or that a text names */

struct captured_files {
	const char *folders, *sysroot; /* NULL: none */
	struct cairn_captured_file file[CAPTURED_FILES_MAX];
	struct os_file opened[CAPTURED_FILES_MAX];
	size_t count;
	/* A file was taken by its path alone, because the text has no build ID; NULL: nobody is told. */
	void (*tell_unchecked)(const char *path);
	uint64_t unchecked; /* how many of them */
};

/* Is it a captured text?  Whatever is neither a minidump nor an ELF file is: a text, or Swift's bytes of a backtrace. */
bool captured_files_is_text(struct cairn_bytes bytes);

/* Borrow both strings. Return NULL if memory is short. */
struct captured_files *captured_files_new(const char *folders, const char *sysroot);
void captured_files_free(struct captured_files *files);

/* Keeps an open file, under its whole path, as debuggers want it; NULL: there are too many, and the file is the caller's. */
struct cairn_captured_file *captured_files_keep(struct captured_files *files, const char *path,
                                                const struct os_file *opened);

/* A file at the path that the text has, below the sysroot; else one of its build ID in a tree of build IDs. */
bool captured_files_find(void *files, struct cairn_bytes name, struct cairn_bytes build_id,
                         struct cairn_captured_file *found);

/*
 * Infers where files that were given without a base, and may be loaded anywhere, have been: from addresses of frames in the text that are in no
 * other file.  `tell` is called for each.
 */
void captured_files_infer(struct captured_files *files, struct cairn_bytes text,
                          void (*tell)(const char *path, const struct load_base *base));

/* The format of what to print then, of first, follow and inside. */
#define CAPTURED_FILES_LOADED                                                 \
	"loaded at 0x%" PRIx64                                                \
	" by the addresses of the log: %zu of %zu that are there follow its " \
	"calls; FILE@BASE says otherwise"

#endif
