/* SPDX-License-Identifier: MIT */
/*
 * A snapshot (model/snapshot.h) of an ELF core file: its notes become threads, the process and the
 * crash, its segments become mappings, and its dumped bytes become memory.
 *
 *	struct snapshot snapshot;
 *	status = core_snapshot_open(&snapshot, &elf, &fault);
 *	if (status == CAIRN_OK)
 *		... snapshot.threads, snapshot.memory
 *	snapshot_close(&snapshot);
 *
 * For a truncated or damaged core the snapshot contains everything that could be read, and
 * snapshot.problems lists the rest.
 */
#ifndef CAIRN_PROCESS_CORE_SNAPSHOT_H
#define CAIRN_PROCESS_CORE_SNAPSHOT_H

#include "formats/elf/elf.h"
#include "model/snapshot.h"

/*
 * Open a snapshot that borrows the bytes of the file until snapshot_close(). On failure, returns
 * MALFORMED (not a core file) or NO_MEMORY with *fault, and there is nothing to close.
 */
CAIRN_MUST_USE enum cairn_status core_snapshot_open(struct snapshot *snapshot,
                                                    const struct elf *elf,
                                                    struct cairn_fault *fault);

#endif
