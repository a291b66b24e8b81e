/* SPDX-License-Identifier: MIT */
/*
 * The modules of a snapshot whose source has none: found at the mappings that begin with an ELF
 * header, named by their mapping, else by the dynamic linker's list (the link map).
 *
 *	snapshot_modules_find(&snapshot);
 *	... snapshot.modules, by address, with build ID where memory holds it
 *
 * A file that was mapped but whose header was not dumped becomes a module without a build ID and
 * without a bias. Call it once, before files are opened.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MODULES_H
#define CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MODULES_H

#include "model/snapshot.h"
#include "unwind/modules/modules.h"

enum { LINK_MAP_MAX = 1 << 14 }; /* entries that are followed; a list may run in a circle */

/* The address in an entry of the auxiliary vector; false when it has none. */
bool snapshot_auxv(const struct snapshot *snapshot, uint64_t type, uint64_t *value);

void snapshot_modules_find(struct snapshot *snapshot);

struct link_map_entry {
	uint64_t bias, dynamic;  /* dynamic: address of the module's dynamic section */
	struct cairn_bytes name; /* empty: the program itself, or it cannot be read */
};

/*
 * Visits the link map until the visitor returns false. `dynamic` is the address of the program's dynamic
 * section; 0: it is found by the program headers in memory.
 */
typedef bool link_map_visit(void *context, const struct link_map_entry *entry);
void snapshot_link_map(const struct snapshot *snapshot, uint64_t dynamic, link_map_visit *visit,
                       void *context);

/*
 * What is code outside of modules: memory that may be executed, of a process or core.  Its bytes may be missing: a core
 * does not hold what is in a file.
 */
struct generated_code snapshot_generated_code(struct snapshot *snapshot);

/*
 * Which bits of a code address hold its signature: those that the core's note names, or else those above all that the
 * program has mapped. 0: the machine has none, or nothing shows them.
 */
uint64_t snapshot_signature_bits(const struct snapshot *snapshot);

/* Returns what may be done with a segment, as SNAPSHOT_READ and its like. */
static inline unsigned snapshot_segment_access(const struct elf_segment *segment)
{
	return snapshot_access_of(segment->flags & ELF_PF_READ, segment->flags & ELF_PF_WRITE,
	                          segment->flags & ELF_PF_EXECUTE);
}

/* Is it in a mapping whose access says so?  Minidumps do not tell. */
bool snapshot_may_be_executed(const struct snapshot *snapshot, uint64_t pc);

#endif
