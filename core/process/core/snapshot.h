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
 * A core that is cut or damaged gives what could be read, and snapshot.problems lists what could not.
 */
#ifndef CAIRN_PROCESS_CORE_SNAPSHOT_H
#define CAIRN_PROCESS_CORE_SNAPSHOT_H

#include "formats/elf/elf.h"
#include "model/snapshot.h"

/*
 * The file's bytes stay borrowed until snapshot_close(). MALFORMED: it is not a core file; NO_MEMORY.
 * Then *fault has the reason, and nothing has to be closed.
 */
CAIRN_MUST_USE enum cairn_status core_snapshot_open(struct snapshot *snapshot,
                                                    const struct elf *elf,
                                                    struct cairn_fault *fault);

#endif
