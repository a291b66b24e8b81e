/* SPDX-License-Identifier: MIT */
/*
 * Modules whose headers are not in a core: some kernels, filters and emulators write none. The auxiliary
 * vector and the link map still tell where they are, and whether a file is theirs.
 *
 * Modules that are added have to be sorted when all are in.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_UNLISTED_MODULES_H
#define CAIRN_PROCESS_SNAPSHOT_UNLISTED_MODULES_H

#include "snapshot_modules.h"

#include "formats/elf/elf.h"

/* Is the program itself among the modules without a bias, or not at all? */
bool snapshot_lacks_program(const struct snapshot *snapshot);

/* Is a module with a bias at the address? Modules need not be sorted. */
bool snapshot_has_module(const struct snapshot *snapshot, uint64_t address);

/*
 * Is the file that of the program, by its program headers, its entry point, its mappings and its dynamic
 * section? Then *bias is set.  A file that the user has given may also be that of a core that was cut down and
 * has no mapping of the program, or nothing of its dynamic section.
 */
bool snapshot_is_program(const struct snapshot *snapshot, const struct elf *file, bool given,
                         uint64_t *bias);

/* Is it the file of an entry of the link map, by its mappings and its dynamic section? */
bool snapshot_is_loaded(const struct snapshot *snapshot, const struct elf *file,
                        const struct link_map_entry *entry);

/*
 * Adds the module of a file, or completes the one that has no bias; NULL when that is not possible. `path`
 * and the build ID are copied.
 */
struct snapshot_module *snapshot_add_unlisted(struct snapshot *snapshot, const struct elf *file,
                                              uint64_t bias, struct cairn_bytes path);

/* Where the file's dynamic section is in memory; 0: it has none. */
uint64_t snapshot_dynamic_address(const struct elf *file, uint64_t bias);

#endif
