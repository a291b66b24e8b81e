/* SPDX-License-Identifier: MIT */
/*
 * Writes a snapshot (base/snapshot.h) as a Linux minidump with the crashed thread first, the
 * program as the first module, and the memory ranges that the caller chooses. The file is written
 * sequentially, and memory is read in small blocks just before it is written.
 */
#ifndef CAIRN_WRITERS_CAPTURE_MINIDUMP_WRITER_H
#define CAIRN_WRITERS_CAPTURE_MINIDUMP_WRITER_H

#include "base/snapshot.h"

struct minidump_draft {
	const struct snapshot *snapshot; /* machine must be amd64 or aarch64 */
	const struct cairn_target *memory;
	const struct cairn_range *ranges; /* sorted, disjoint, and readable through `memory` */
	size_t range_count;
	/* stack of each thread, inside one of the ranges; may be empty */
	const struct cairn_range *stacks;
	size_t program; /* index of the program's module; out of range if unknown */
	/* address of each module's dynamic section, or 0 */
	const uint64_t *dynamics;
	struct cairn_bytes dynamic;
	/*
	 * load bias of the dynamic linker, and address at which debuggers set a breakpoint in it
	 * (r_brk); 0 if unknown
	 */
	uint64_t loader, loader_break;
	uint32_t time;
};

/*
 * Write a minidump with the host's `write`, which returns 0 or an errno value, and set *size to its
 * size. Returns UNSUPPORTED if the machine is not supported or the file would exceed 4 GiB,
 * UNREADABLE with error->system if `write` fails, or NO_MEMORY.
 */
CAIRN_MUST_USE enum cairn_status minidump_write(const struct minidump_draft *draft,
                                                int (*write)(void *context, const void *bytes,
                                                             size_t size),
                                                void *context, uint64_t *size,
                                                struct cairn_error *error);

#endif
