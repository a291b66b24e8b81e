/* SPDX-License-Identifier: MIT */
/*
 * The memory of a snapshot combined with the files of its modules: dumped memory takes precedence
 * over the file, whose build ID must have been checked.
 *
 *	struct snapshot_memory memory;
 *	snapshot_memory_open(&memory, &snapshot);
 *	... memory.target, as long as both live; the modules of the snapshot stay where they are
 *
 * If a module has neither a file nor a reason why not (file_why), want_file is called with its
 * index before its file is needed, and sets the file or the reason.
 *
 * Only parts of files that are mapped read-only stand for memory: the program may have changed
 * others.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MEMORY_H
#define CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MEMORY_H

#include "model/snapshot.h"

enum { SNAPSHOT_FILE_PARTS = 64 };

/* A part of a module's file that is mapped at `at`; empty if size is 0. */
struct snapshot_file_part {
	uint64_t at;
	struct cairn_bytes bytes;
};

struct snapshot_memory {
	const struct snapshot *snapshot;
	struct cairn_target target; /* its context is this struct, which must not be copied */
	void (*want_file)(void *context, size_t module); /* see above; may be NULL */
	void *context;
	/* Cached parts of files, indexed by the last address read from them. */
	struct snapshot_file_part parts[SNAPSHOT_FILE_PARTS];
	uint64_t bytes_from_files;
};

/* Return true for a debug file, which has the sections of its program but no code. */
bool snapshot_is_debug_file(struct cairn_bytes file);

void snapshot_memory_open(struct snapshot_memory *memory, const struct snapshot *snapshot);

#endif
