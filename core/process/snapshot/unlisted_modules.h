/* SPDX-License-Identifier: MIT */
/*
 * Modules whose headers are not in a core, because some kernels, filters and emulators do not write
 * them. The auxiliary vector and the link map still show where they are and whether a file matches.
 * After modules are added, they must be sorted.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_UNLISTED_MODULES_H
#define CAIRN_PROCESS_SNAPSHOT_UNLISTED_MODULES_H

#include "snapshot_modules.h"

#include "formats/elf/elf.h"

/* Return true if the program itself is missing, or among the modules without a bias. */
bool snapshot_lacks_program(const struct snapshot *snapshot);

/* Return true if a module with a bias contains the address. Modules need not be sorted. */
bool snapshot_has_module(const struct snapshot *snapshot, uint64_t address);

/*
 * Return true and set *bias if the file matches the program, by its program headers, its entry
 * point, its mappings and its dynamic section. A file that the user supplied (`given`) also matches
 * a reduced core that lacks all mappings of the program, or its dynamic section.
 */
bool snapshot_is_program(const struct snapshot *snapshot, const struct elf *file, bool given,
                         uint64_t *bias);

/*
 * Return true if the file matches an entry of the link map, by its mappings and its dynamic
 * section.
 */
bool snapshot_is_loaded(const struct snapshot *snapshot, const struct elf *file,
                        const struct link_map_entry *entry);

/*
 * Add the module of a file, or complete the one without a bias. `path` and the build ID are copied.
 * Return NULL on failure.
 */
struct snapshot_module *snapshot_add_unlisted(struct snapshot *snapshot, const struct elf *file,
                                              uint64_t bias, struct cairn_bytes path);

/* Return the address of the file's dynamic section in memory, or 0 if it does not have one. */
uint64_t snapshot_dynamic_address(const struct elf *file, uint64_t bias);

#endif
