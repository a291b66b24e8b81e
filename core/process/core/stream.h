/* SPDX-License-Identifier: MIT */
/*
 * A snapshot (model/snapshot.h) of an ELF core file that comes as a stream, from its first byte to its last
 * and only once, as the kernel pipes it to a handler. Of each segment only what unwinding needs is kept; the
 * host is asked to skip the rest.
 *
 *	struct cairn_stacks_stream input = { read_host, skip_host, NULL, &host, false };
 *	struct snapshot snapshot;
 *	uint64_t taken;
 *	status = core_stream_open(&snapshot, &input, false, &taken, &fault);
 *	if (status == CAIRN_OK)
 *		... snapshot.threads, snapshot.memory
 *	snapshot_close(&snapshot);
 *
 * What is kept, whatever the size of the core:
 *	stacks     of each thread from its stack pointer outwards, and the outermost part of its own stack
 *	           while it runs on another one (a signal's): up to CORE_STREAM_CRASHED_STACK bytes for the
 *	           thread that crashed, CORE_STREAM_STACK for another, CORE_STREAM_STACKS for all. When they
 *	           are more, each of the others gets an equal part. A stack that is cut loses its outermost
 *	           part, and its thread has stack_cut.
 *	           Where the first one runs on another stack than its own, a third one is looked for, which the frame of a
 *	           signal tells of (amd64): 128 KiB around each
 *	modules    pages with ELF headers, notes, and small segments of modules (data, the vDSO)
 *	the rest   small segments, such as those with the link map and the message of abort(), and the code
 *	           around each thread's pc
 *	lists      segments as mappings, threads, and names of files
 *
 * Without the stacks it is less than CORE_STREAM_MEMORY for a core of up to CORE_STREAM_SEGMENTS segments and
 * 10,000 threads; further ones cost 120 bytes and 500 bytes each.
 *
 * A core whose notes come after its memory, as GDB's gcore writes it, names the stacks too late: all
 * of its memory is kept, up to CORE_STREAM_WHOLE; runs of zeros take no room.  A packed core may be worth less: *allow.
 */
#ifndef CAIRN_PROCESS_CORE_STREAM_H
#define CAIRN_PROCESS_CORE_STREAM_H

#include "model/snapshot.h"

#define CORE_STREAM_CRASHED_STACK ((uint64_t)8 << 20) /* the usual limit of a stack */
#define CORE_STREAM_STACK ((uint64_t)1 << 20)
#define CORE_STREAM_STACKS ((uint64_t)64 << 20)
#define CORE_STREAM_MEMORY ((uint64_t)32 << 20)
#define CORE_STREAM_SEGMENTS ((uint64_t)1 << 17)
#define CORE_STREAM_WHOLE ((uint64_t)1 << 30)

enum {
	CORE_STREAM_SPARE = 4 << 20,   /* bytes of small segments of no module, and of code */
	CORE_STREAM_SEARCH = 64 << 20, /* bytes that are searched for stacks */
	CORE_STREAM_FOUND = 1 << 20,   /* and of what is found */
};

/*
 * Reads up to the end of the last segment; the input is not used afterwards, and *taken are the bytes that were read
 * or skipped of it.  With `keep_sets` threads get their sets of registers, 850 bytes each.  MALFORMED and UNSUPPORTED:
 * it is not a core, or not one that can be read as a stream; TRUNCATED: it ends within its header; NO_MEMORY.  Then
 * *fault has the reason, and nothing has to be closed.  What is missing or damaged further on becomes problems of the
 * snapshot.
 */
CAIRN_MUST_USE enum cairn_status core_stream_open(struct snapshot *snapshot,
                                                  const struct cairn_stacks_stream *input,
                                                  bool keep_sets, uint64_t *taken,
                                                  struct cairn_fault *fault);

#endif
