/* SPDX-License-Identifier: MIT */
/*
 * A snapshot (model/snapshot.h) of a running process: its threads are stopped, their registers and
 * the used part of their stacks are copied, and they go on (os/process/thread_capture.h).
 *
 *	struct snapshot snapshot;
 *	struct cairn_fault fault;
 *	int error = process_snapshot_open(&snapshot, 1234);
 *	if (error == 0)
 *		... snapshot.threads, snapshot.mappings
 *	snapshot_close(&snapshot);
 *
 * Beside the stacks, memory that the process cannot write to is read of it while it runs: code, and
 * headers of modules. Other memory may have changed since, and counts as not captured.
 */
#ifndef CAIRN_PROCESS_RUNNING_PROCESS_SNAPSHOT_H
#define CAIRN_PROCESS_RUNNING_PROCESS_SNAPSHOT_H

#include "model/snapshot.h"

/*
 * Returns 0, or an errno value, after which nothing has to be closed: ESRCH, the process does not exist;
 * EPERM or EACCES, it may not be traced; ENOTSUP, cairn does not know the registers of this machine;
 * ENOMEM. A thread that could not be stopped has no registers, and is reported as a problem.
 */
CAIRN_MUST_USE int process_snapshot_open(struct snapshot *snapshot, uint64_t pid);

/* From the first interrupt to the last thread that went on, in nanoseconds. */
uint64_t process_snapshot_duration(const struct snapshot *snapshot);

/* Memory of the process as it is now, what it writes to as well; good until the snapshot is closed. */
struct cairn_target process_snapshot_now(const struct snapshot *snapshot);

#endif
