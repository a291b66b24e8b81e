/* SPDX-License-Identifier: MIT */
/*
 * Opens a minidump as a snapshot (base/snapshot.h): its threads, modules, mappings and memory, and
 * the crash.
 *
 *	struct snapshot snapshot;
 *	status = minidump_snapshot_open(&snapshot, bytes, &fault);
 *	if (status == CAIRN_OK)
 *		... snapshot.threads, snapshot.modules, by address
 *	snapshot_close(&snapshot);
 *
 * A module's bias is the one that the dynamic linker reported to the writer of the minidump. If
 * there is no report, the module's file is assumed to be linked at 0. Call
 * minidump_snapshot_set_bias() once the file has been found.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_MINIDUMP_SNAPSHOT_H
#define CAIRN_PROCESS_SNAPSHOT_MINIDUMP_SNAPSHOT_H

#include "base/snapshot.h"
#include "formats/elf/elf.h"

/*
 * Open a snapshot that borrows `bytes` until snapshot_close(). On failure, returns NO_MEMORY or an
 * error from minidump_open() (MALFORMED, UNSUPPORTED or TRUNCATED) with details in *fault, and
 * there is nothing to close.
 */
CAIRN_MUST_USE enum cairn_status minidump_snapshot_open(struct snapshot *snapshot,
                                                        struct cairn_bytes bytes,
                                                        struct cairn_fault *fault);

/* Set the module's bias from its file, whose build ID must have been verified. */
void minidump_snapshot_set_bias(struct snapshot_module *module, const struct elf *elf);

#endif
