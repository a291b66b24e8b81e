/* SPDX-License-Identifier: MIT */
/*
 * Writes a program at one moment (model/snapshot.h) as a minidump of Linux: its threads, the crashed one first, its
 * modules, the program first, and those ranges of its memory that the caller chose. The bytes come one after the
 * other; memory is read when its turn comes, so that little is held at a time.
 */
#ifndef CAIRN_WRITERS_MINIDUMP_MINIDUMP_WRITER_H
#define CAIRN_WRITERS_MINIDUMP_MINIDUMP_WRITER_H

#include "model/snapshot.h"

struct minidump_draft {
	const struct snapshot *snapshot; /* of amd64 or aarch64 */
	const struct cairn_target *memory;
	const struct cairn_range *ranges; /* that `memory` reads; ascending and apart */
	size_t range_count;
	const struct cairn_range
		*stacks;          /* of each thread: a part of one of the ranges, or empty */
	size_t program;           /* number of the program's module; past the last: not known */
	const uint64_t *dynamics; /* of each module: where its dynamic section is; 0: it has none */
	struct cairn_bytes dynamic; /* the program's dynamic section; may be empty */
	uint64_t loader,
		loader_break; /* of the dynamic linker: its bias, where it stops; 0: not known */
	uint32_t time;        /* seconds since 1970 when it was written */
};

/*
 * Write a minidump of *size bytes by the host's `write`, which returns 0 or an errno value. Return UNSUPPORTED if it is of another
 * machine, or larger than a minidump can be, UNREADABLE with error->system if `write` failed, or NO_MEMORY.
 */
CAIRN_MUST_USE enum cairn_status minidump_write(const struct minidump_draft *draft,
                                                int (*write)(void *context, const void *bytes,
                                                             size_t size),
                                                void *context, uint64_t *size,
                                                struct cairn_error *error);

#endif
