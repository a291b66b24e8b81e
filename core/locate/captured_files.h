/* SPDX-License-Identifier: MIT */
/*
 * Finds the modules' files for a captured text, and keeps them open while its stacks are built.
 * Pass captured_files_find() and a struct captured_files as the callback and context of
 * struct cairn_captured_options.
 */
#ifndef CAIRN_LOCATE_CAPTURED_FILES_H
#define CAIRN_LOCATE_CAPTURED_FILES_H

#include <cairn.h>

#include "formats/elf/elf.h"
#include "os/file/file.h"

#include <inttypes.h>

enum { CAPTURED_FILES_MAX = 512 }; /* files given by the user or found */

struct captured_files {
	const char *folders, *sysroot; /* NULL if not given */
	struct cairn_captured_file file[CAPTURED_FILES_MAX];
	struct os_file opened[CAPTURED_FILES_MAX];
	size_t count;
	/*
	 * Called for each file that is accepted by its path alone, because the text has no build
	 * ID. May be NULL.
	 */
	void (*tell_unchecked)(const char *path);
	uint64_t unchecked;
};

/*
 * Return true unless the bytes are a minidump or an ELF file. A captured text may also be a binary
 * Swift backtrace.
 */
bool captured_files_is_text(struct cairn_bytes bytes);

/* Create an empty set. Borrows both strings. Returns NULL if memory is short. */
struct captured_files *captured_files_new(const char *folders, const char *sysroot);
void captured_files_free(struct captured_files *files);

/*
 * Keep an open file under its absolute path, as debuggers need it. Returns NULL if there are too
 * many; the caller then still owns the file.
 */
struct cairn_captured_file *captured_files_keep(struct captured_files *files, const char *path,
                                                const struct os_file *opened);

/* Find a file at the path in the text, below the sysroot, or by its build ID in a tree. */
bool captured_files_find(void *files, struct cairn_bytes name, struct cairn_bytes build_id,
                         struct cairn_captured_file *found);

/*
 * Infer the load addresses of files that were given without a base, from frames in the text that no
 * other file contains. `tell` is called for each file, and may be NULL.
 */
void captured_files_infer(struct captured_files *files, struct cairn_bytes text,
                          void (*tell)(const char *path, const struct load_base *base));

/* Format of a message for `tell`, with the arguments base->first, ->follow and ->inside. */
#define CAPTURED_FILES_LOADED                                                           \
	"loaded at 0x%" PRIx64                                                          \
	" according to the addresses in the log: %zu of %zu that are there follow its " \
	"calls; FILE@BASE overrides this"

#endif
