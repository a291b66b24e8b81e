/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: finds SFrame files for modules without SFrame, and gives their tables to the
 * modules. sframe_file.h creates such files.
 *
 *	char path[4096];
 *	if (cairn_space_wants_sframe(space, pc) &&
 *	    cairn_sframe_file_find(space, pc, NULL, path, sizeof(path)) == CAIRN_OK)
 *		printf("unwind tables from %s\n", path);
 */
#ifndef CAIRN_INCLUDE_SFRAME_SEARCH_H
#define CAIRN_INCLUDE_SFRAME_SEARCH_H

#include <cairn/base.h>
#include <cairn/space.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Give an SFrame file's table to the module that contains `pc`, if the module has neither .sframe
 * nor call frame information. `file` is a complete file from cairn_sframe_file_make(), borrowed
 * during the call. From then on cairn unwinds the module as if the table were the module's own. The
 * build IDs must be equal, except for modules that only the host has reported, whose build IDs are
 * unknown. Returns MISMATCH if the file was created for a different build; NOT_FOUND if no module
 * contains `pc`, if the file has no table, or if the module already has one; MALFORMED, TRUNCATED
 * or UNSUPPORTED if the file is not an ELF file that cairn reads; NO_MEMORY. *fault has the
 * details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_give_sframe(struct cairn_space *space,
                                                                   uint64_t pc,
                                                                   struct cairn_bytes file,
                                                                   struct cairn_fault *fault);

/*
 * Return true on the first call for each module without .sframe, so that the host searches for the
 * module's SFrame file only once. Returns false on later calls for that module, and if no module
 * contains `pc`.
 */
CAIRN_API bool cairn_space_wants_sframe(struct cairn_space *space, uint64_t pc);

/* Search options. Initialize with CAIRN_SFRAME_SEARCH. */
struct cairn_sframe_search {
	size_t size;
	/*
	 * The module's file. If NULL, cairn uses the name in the host's report if that is an
	 * absolute path, then a file that the debugged process has mapped at the module's address,
	 * and then a file that the calling process has open and that belongs to the module.
	 */
	const char *binary;
	const char *directories; /* "DIR:DIR" or NULL */
	unsigned skip;           /* sum of CAIRN_SKIP_SYSTEM and CAIRN_SKIP_CACHE, or 0 */
};
#define CAIRN_SFRAME_SEARCH CAIRN_SIZED(struct cairn_sframe_search)

/*
 * Search for an SFrame file for the module at `pc` and give it to the module. The search order is:
 * BINARY.sframe beside the binary; NAME.sframe and the path from cairn_build_id_path() in each of
 * `directories`; the path from cairn_build_id_path() in /usr/lib/debug; and the cache. `search` may
 * be NULL for CAIRN_SFRAME_SEARCH. Returns NOT_FOUND if no file belongs to the module. Stores the
 * file's path in `path`, whose capacity is `size` bytes.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_find(
	struct cairn_space *space, uint64_t pc, const struct cairn_sframe_search *search,
	char *path, size_t size);

/*
 * Search for an SFrame file for a program that is not a module in a space, to be used as
 * cairn_object_options.sframe_file. The build ID may be empty. The search order is the same as for
 * cairn_sframe_file_find(). Returns NOT_FOUND if no such file exists. Stores the file's path in
 * `path`, whose capacity is `size` bytes.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_locate(const char *binary,
                                                                    struct cairn_bytes build_id,
                                                                    const char *directories,
                                                                    char *path, size_t size);

/*
 * Return true if the file at `path` is an SFrame file that has been created for a program with this
 * build ID.
 */
CAIRN_API bool cairn_sframe_file_belongs(const char *path, struct cairn_bytes build_id);

/*
 * Give the table in the file at `path` to each known module that has the file's build ID but
 * neither .sframe nor call frame information. Sets *modules to the number of such modules,
 * including modules that already have this table. Returns OK if the file has a table, even if no
 * module has its build ID; UNREADABLE if the file cannot be opened; all other statuses are the same
 * as for cairn_space_give_sframe().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_add(struct cairn_space *space,
                                                                 const char *path, size_t *modules,
                                                                 struct cairn_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
