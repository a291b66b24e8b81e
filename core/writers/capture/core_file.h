/* SPDX-License-Identifier: MIT */
/*
 * Writes a snapshot (base/snapshot.h) as a Linux core file that debuggers can open. The notes are
 * written in the kernel's order, with the crashed thread first. The caller chooses the segments. A
 * segment either borrows its contents from the caller or has no contents, which means that the
 * memory was mapped but not captured.
 */
#ifndef CAIRN_WRITERS_CAPTURE_CORE_FILE_H
#define CAIRN_WRITERS_CAPTURE_CORE_FILE_H

#include "base/snapshot.h"

struct core_segment {
	uint64_t low, high;
	unsigned access;
	struct cairn_bytes bytes; /* contents of the segment; empty if not captured */
};

struct core_mapped_file {
	uint64_t low, high;
	uint64_t offset;
	struct cairn_bytes path;
};

struct core_draft {
	const struct snapshot *snapshot;
	const struct core_segment *segments;
	size_t segment_count;
	const struct core_mapped_file *files;
	size_t file_count;
	/* mask of the pointer-authentication bits on aarch64; 0 omits the note */
	uint64_t signature_bits;
	struct cairn_bytes auxv;
	struct cairn_bytes name; /* file name of the executable, without its directory */
};

struct core_output {
	/* returns 0 or an errno value */
	int (*write)(void *context, const void *bytes, size_t size);
	void *context;
	int error;
};

/*
 * Advance to the next thread of a core and set *number to its index in the snapshot. The crashed
 * thread comes first, and threads without registers are skipped. *at must be 0 before the first
 * call. Returns false after the last thread.
 */
bool core_next_thread(const struct snapshot *snapshot, size_t *at, size_t *number);

/*
 * Write a core file and set *size to its size. Returns UNSUPPORTED if the machine is not supported,
 * NOT_FOUND if no thread has registers, UNREADABLE if write() failed (output->error has the
 * reason), or NO_MEMORY.
 */
CAIRN_MUST_USE enum cairn_status core_write(const struct core_draft *draft,
                                            struct core_output *output, uint64_t *size,
                                            struct cairn_fault *fault);

#endif
