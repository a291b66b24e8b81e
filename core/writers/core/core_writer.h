/* SPDX-License-Identifier: MIT */
/*
 * Writes a program at one moment (model/snapshot.h) as an ELF core file of Linux, which debuggers open: notes in the
 * order of the kernel, the crashed thread first, then the segments that the caller chose. A segment may have a part of the
 * program's memory that is lent, or no bytes: then it was mapped, and nobody captured it.
 */
#ifndef CAIRN_WRITERS_CORE_CORE_WRITER_H
#define CAIRN_WRITERS_CORE_CORE_WRITER_H

#include "model/snapshot.h"

struct core_segment {
	uint64_t low, high;
	unsigned access;          /* SNAPSHOT_READ | ... */
	struct cairn_bytes bytes; /* all of it, or none */
};

/* A part of a file that was mapped. */
struct core_mapped_file {
	uint64_t low, high;
	uint64_t offset; /* in bytes of the file */
	struct cairn_bytes path;
};

struct core_draft {
	const struct snapshot *snapshot;     /* of amd64 or aarch64 */
	const struct core_segment *segments; /* ascending and apart */
	size_t segment_count;
	const struct core_mapped_file *files;
	size_t file_count;
	uint64_t
		signature_bits; /* of aarch64: where addresses have a signature; 0: nothing is said of it */
	struct cairn_bytes auxv;
	struct cairn_bytes name; /* the program's, without its folder */
};

struct core_output {
	int (*write)(void *context, const void *bytes, size_t size); /* 0, or an errno value */
	void *context;
	int error; /* of write() */
};

/*
 * The next thread of a core: first the one that crashed; none without registers has a place. *at is 0 at first, and *number
 * becomes the thread's among those of the snapshot. False: that was the last.
 */
bool core_next_thread(const struct snapshot *snapshot, size_t *at, size_t *number);

/*
 * UNSUPPORTED: of another machine. NOT_FOUND: no thread has registers. UNREADABLE: output->error has the reason.
 * NO_MEMORY. *size becomes the bytes of the file.
 */
CAIRN_MUST_USE enum cairn_status core_write(const struct core_draft *draft,
                                            struct core_output *output, uint64_t *size,
                                            struct cairn_fault *fault);

#endif
