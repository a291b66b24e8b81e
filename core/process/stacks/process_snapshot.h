/* SPDX-License-Identifier: MIT */
/*
 * Takes a snapshot (base/snapshot.h) of a running process: stops its threads, copies their
 * registers and the used parts of their stacks, and resumes the threads
 * (os/thread_capture.h).
 *
 *	struct snapshot snapshot;
 *	struct cairn_fault fault;
 *	int error = process_snapshot_open(&snapshot, 1234);
 *	if (error == 0)
 *		... snapshot.threads, snapshot.mappings
 *	snapshot_close(&snapshot);
 *
 * While the process runs, only memory that it cannot modify is read: code and module headers. All
 * other memory except the copied stacks may have changed since the snapshot, and is treated as not
 * captured.
 */
#ifndef CAIRN_PROCESS_STACKS_PROCESS_SNAPSHOT_H
#define CAIRN_PROCESS_STACKS_PROCESS_SNAPSHOT_H

#include "base/snapshot.h"

/*
 * Open a snapshot. A snapshot of the calling process has no threads. A thread that could not be
 * stopped has no registers and is reported as a problem. Returns 0, or an errno value, after which
 * there is nothing to close: ESRCH (no such process), EPERM or EACCES (no permission to trace it),
 * ENOTSUP (cairn does not support this machine) or ENOMEM.
 */
CAIRN_MUST_USE int process_snapshot_open(struct snapshot *snapshot, uint64_t pid);

/*
 * Return the time in nanoseconds between interrupting the first thread and resuming the last one.
 */
uint64_t process_snapshot_duration(const struct snapshot *snapshot);

/*
 * Return a target that reads the process's current memory, including writable memory. Valid until
 * the snapshot is closed.
 */
struct cairn_target process_snapshot_now(const struct snapshot *snapshot);

#endif
