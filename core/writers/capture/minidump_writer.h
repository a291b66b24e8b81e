/* SPDX-License-Identifier: MIT */
/*
 * Writes a snapshot (model/snapshot.h) as a Linux minidump: threads with the crashed one first,
 * modules with the program first, and memory ranges chosen by the caller. The output is sequential,
 * and memory is read in small pieces just before it is written.
 */
#ifndef CAIRN_WRITERS_CAPTURE_MINIDUMP_WRITER_H
#define CAIRN_WRITERS_CAPTURE_MINIDUMP_WRITER_H

#include "model/snapshot.h"

struct minidump_draft {
	const struct snapshot *snapshot; /* machine must be amd64 or aarch64 */
	const struct cairn_target *memory;
	const struct cairn_range *ranges; /* readable by `memory`, sorted and disjoint */
	size_t range_count;
	/* Stack of each thread, a part of one of the ranges or empty. */
	const struct cairn_range *stacks;
	size_t program; /* module index of the program; past the end if unknown */
	/* Address of each module's dynamic section; 0 if it does not have one. */
	const uint64_t *dynamics;
	struct cairn_bytes dynamic; /* contents of the program's dynamic section; may be empty */
	/* Bias of the dynamic linker and address of its debugger breakpoint; 0 if unknown. */
	uint64_t loader, loader_break;
	uint32_t time; /* time of writing, in seconds since 1970 */
};

/*
 * Write a minidump with the host's `write`, which returns 0 or an errno value, and set *size to its
 * size. Return UNSUPPORTED for another machine or more than 4 GiB, UNREADABLE with error->system if
 * `write` fails, or NO_MEMORY.
 */
CAIRN_MUST_USE enum cairn_status minidump_write(const struct minidump_draft *draft,
                                                int (*write)(void *context, const void *bytes,
                                                             size_t size),
                                                void *context, uint64_t *size,
                                                struct cairn_error *error);

#endif
