/* SPDX-License-Identifier: MIT */
/*
 * Finds the files of the modules that a log with backtraces (a captured text) names, and keeps
 * these files open while cairn rebuilds the stacks in the log. Pass captured_files_find() and a
 * struct captured_files as the callback and context of struct cairn_captured_options.
 */
#ifndef CAIRN_LOCATE_CAPTURED_FILES_H
#define CAIRN_LOCATE_CAPTURED_FILES_H

#include <cairn.h>

#include "formats/elf/elf.h"
#include "os/file.h"

#include <inttypes.h>

enum { CAPTURED_FILES_MAX = 512 };

struct captured_files {
	const char *directories, *sysroot;
	struct cairn_captured_file file[CAPTURED_FILES_MAX];
	struct os_file opened[CAPTURED_FILES_MAX];
	size_t count;
	/*
	 * Called for each file that is accepted by its path alone, because the log contains no
	 * build ID for it; may be NULL.
	 */
	void (*tell_unchecked)(const char *path);
	uint64_t unchecked;
};

/*
 * Return true unless the bytes are a minidump or an ELF file. Swift backtraces in Compact Backtrace
 * Format also count as text.
 */
bool captured_files_is_text(struct cairn_bytes bytes);

/* Create an empty set that borrows both strings. Returns NULL if allocation fails. */
struct captured_files *captured_files_new(const char *directories, const char *sysroot);
void captured_files_free(struct captured_files *files);

/*
 * Take ownership of an open file and store its absolute path, which debuggers need. Returns NULL if
 * there are already CAPTURED_FILES_MAX files or the path cannot be resolved; the caller then still
 * owns the file.
 */
struct cairn_captured_file *captured_files_keep(struct captured_files *files, const char *path,
                                                const struct os_file *opened);

/*
 * Implement the callback of struct cairn_captured_options: look for the file at the path in the
 * log, then below the sysroot, then by its build ID in the directories.
 */
bool captured_files_find(void *files, struct cairn_bytes name, struct cairn_bytes build_id,
                         struct cairn_captured_file *found);

/*
 * Infer the load addresses of files for which the user gave no address, from the frames in the log
 * that name the file without an offset or name no file. Calls `tell`, unless it is NULL, for each
 * file whose load address was inferred.
 */
void captured_files_infer(struct captured_files *files, struct cairn_bytes text,
                          void (*tell)(const char *path, const struct load_base *base));

/*
 * printf format of a message for `tell`; its arguments are base->first, base->follow and
 * base->inside.
 */
#define CAPTURED_FILES_LOADED                                                     \
	"assuming load address 0x%" PRIx64                                        \
	", because %zu of the %zu addresses of the log that fall into this file " \
	"follow calls; use FILE@BASE to override this"

#endif
