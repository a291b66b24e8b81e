/* SPDX-License-Identifier: MIT */
/*
 * Finds the modules of a snapshot whose source does not list them: at mappings that begin with an
 * ELF header, named by their mapping or else by the dynamic linker's list (the link map).
 *
 *	snapshot_modules_find(&snapshot);
 *	... snapshot.modules, by address, with build ID where memory holds it
 *
 * A mapped file whose header was not dumped becomes a module without a build ID or a bias. Must be
 * called once, before files are opened.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MODULES_H
#define CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MODULES_H

#include "model/snapshot.h"
#include "unwind/tables/modules.h"

/* Entries that are followed; needed because a list may be circular. */
enum { LINK_MAP_MAX = 1 << 14 };

/* Read an entry of the auxiliary vector. Return false if not found. */
bool snapshot_auxv(const struct snapshot *snapshot, uint64_t type, uint64_t *value);

void snapshot_modules_find(struct snapshot *snapshot);

struct link_map_entry {
	uint64_t bias, dynamic;  /* `dynamic` is the address of the module's dynamic section */
	struct cairn_bytes name; /* empty for the program itself, or if it cannot be read */
};

/*
 * Visit the link map until the callback returns false. `dynamic` is the address of the program's
 * dynamic section; if it is 0, the section is found by the program headers in memory.
 */
typedef bool link_map_visit(void *context, const struct link_map_entry *entry);
void snapshot_link_map(const struct snapshot *snapshot, uint64_t dynamic, link_map_visit *visit,
                       void *context);

/*
 * Return callbacks that recognize code outside of modules: executable memory of a process or core.
 * Its bytes may be missing, because a core does not contain pages that are in a file.
 */
struct generated_code snapshot_generated_code(struct snapshot *snapshot);

/*
 * Return the bits of a code address that contain its signature: those in the core's note, or else
 * those above all mapped addresses. Return 0 if the machine does not sign addresses or this cannot
 * be determined.
 */
uint64_t snapshot_signature_bits(const struct snapshot *snapshot);

static inline unsigned snapshot_segment_access(const struct elf_segment *segment)
{
	return snapshot_access_of(segment->flags & ELF_PF_READ, segment->flags & ELF_PF_WRITE,
	                          segment->flags & ELF_PF_EXECUTE);
}

/* Return true if a mapping says that `pc` is executable. Minidumps do not tell. */
bool snapshot_may_be_executed(const struct snapshot *snapshot, uint64_t pc);

#endif
