/* SPDX-License-Identifier: MIT */
/*
 * The memory of a snapshot together with the files of its modules: what was dumped, else what a file
 * has whose build ID was checked, else unreadable.
 *
 *	struct snapshot_memory memory;
 *	snapshot_memory_open(&memory, &snapshot);
 *	... memory.target, as long as both live; the modules of the snapshot stay where they are
 *
 * Where a module has neither a file nor a reason why not (file_why), want_file is called with its number
 * before its file is needed, and sets one of them.
 *
 * Only parts of files that are mapped read-only stand for memory: what a program could write to is
 * not assumed.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MEMORY_H
#define CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MEMORY_H

#include "model/snapshot.h"

enum { SNAPSHOT_FILE_PARTS = 64 };

/* What of a module's file is mapped, from `at` on; size 0: none. */
struct snapshot_file_part {
	uint64_t at;
	struct cairn_bytes bytes;
};

struct snapshot_memory {
	const struct snapshot *snapshot;
	struct cairn_target target; /* its context is this struct: do not copy it */
	void (*want_file)(void *context, size_t module); /* see below; may be NULL */
	void *context;
	/* Parts of files that were read, each where the last address that was read of it says. */
	struct snapshot_file_part parts[SNAPSHOT_FILE_PARTS];
	uint64_t bytes_from_files; /* how much was read of files, not of the snapshot */
};

/* Return true for a debug file, which has the sections of its program but no code. */
bool snapshot_is_debug_file(struct cairn_bytes file);

void snapshot_memory_open(struct snapshot_memory *memory, const struct snapshot *snapshot);

#endif
