/* SPDX-License-Identifier: MIT */
/*
 * A snapshot (model/snapshot.h) of a minidump: its threads, modules, mappings, captured memory, and
 * what ended the program.
 *
 *	struct snapshot snapshot;
 *	status = minidump_snapshot_open(&snapshot, bytes, &fault);
 *	if (status == CAIRN_OK)
 *		... snapshot.threads, snapshot.modules, by address
 *	snapshot_close(&snapshot);
 *
 * A module's bias is what the dynamic loader reported to the writer. Without a report, it is that of a file
 * linked at 0, until the file is found: minidump_snapshot_set_bias().
 */
#ifndef CAIRN_PROCESS_MINIDUMP_MINIDUMP_SNAPSHOT_H
#define CAIRN_PROCESS_MINIDUMP_MINIDUMP_SNAPSHOT_H

#include "formats/elf/elf.h"
#include "model/snapshot.h"

/*
 * The bytes stay borrowed until snapshot_close(). MALFORMED, UNSUPPORTED, TRUNCATED: as
 * minidump_open(); NO_MEMORY. Then *fault has the reason, and nothing has to be closed.
 */
CAIRN_MUST_USE enum cairn_status minidump_snapshot_open(struct snapshot *snapshot,
                                                        struct cairn_bytes bytes,
                                                        struct cairn_fault *fault);

/* The bias of a module, by its own file, whose build ID was checked. */
void minidump_snapshot_set_bias(struct snapshot_module *module, const struct elf *elf);

#endif
