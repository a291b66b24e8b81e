/* SPDX-License-Identifier: MIT */
/*
 * A snapshot (model/snapshot.h) of an ELF core file that is read as a stream, once and from its
 * first byte to its last, as the kernel pipes it to a handler. Only the parts of each segment that
 * unwinding needs are kept; the host is asked to skip the rest.
 *
 *	struct cairn_stacks_stream input = { read_host, skip_host, NULL, &host, false };
 *	struct snapshot snapshot;
 *	uint64_t taken;
 *	status = core_stream_open(&snapshot, &input, false, &taken, &fault);
 *	if (status == CAIRN_OK)
 *		... snapshot.threads, snapshot.memory
 *	snapshot_close(&snapshot);
 *
 * The following is kept, whatever the size of the core:
 *	stacks     of each thread from its stack pointer outwards, and the outermost part of its own
 *	           stack if it runs on another one (a signal's): up to CORE_STREAM_CRASHED_STACK bytes
 *	           for the thread that crashed, CORE_STREAM_STACK for each other thread, and
 *	           CORE_STREAM_STACKS in all. If that is not enough, the other threads get equal shares.
 *	           A stack that is truncated loses its outermost part, and its thread has stack_cut.
 *	           If the crashed thread runs on another stack than its own, a third one is looked for
 *	           that the frame of a signal describes (amd64): 128 KiB around each
 *	modules    pages with ELF headers, notes, and small segments of modules (data, the vDSO)
 *	the rest   small segments, such as those with the link map and the message of abort(), and the
 *	           code around each thread's pc
 *	lists      segments as mappings, threads, and names of files
 *
 * Without the stacks this is less than CORE_STREAM_MEMORY for a core of up to CORE_STREAM_SEGMENTS
 * segments and 10,000 threads; further ones cost 120 bytes and 500 bytes each.
 *
 * If the notes come after the memory, as in cores of GDB's gcore, the stacks are known too late.
 * Then all memory is kept, up to CORE_STREAM_WHOLE; runs of zeros do not take space. The host may
 * set a lower limit for compressed cores with the callback `allow`.
 */
#ifndef CAIRN_PROCESS_CORE_STREAM_H
#define CAIRN_PROCESS_CORE_STREAM_H

#include "model/snapshot.h"

#define CORE_STREAM_CRASHED_STACK ((uint64_t)8 << 20) /* usual limit of a stack */
#define CORE_STREAM_STACK ((uint64_t)1 << 20)
#define CORE_STREAM_STACKS ((uint64_t)64 << 20)
#define CORE_STREAM_MEMORY ((uint64_t)32 << 20)
#define CORE_STREAM_SEGMENTS ((uint64_t)1 << 17)
#define CORE_STREAM_WHOLE ((uint64_t)1 << 30)

enum {
	CORE_STREAM_SPARE = 4 << 20,
	CORE_STREAM_SEARCH = 64 << 20, /* bytes that are searched for stacks */
	CORE_STREAM_FOUND = 1 << 20,   /* bytes that are kept of stacks found by searching */
};

/*
 * Read up to the end of the last segment. Sets *taken to the number of bytes read or skipped; the
 * input is not used after the call. With `keep_sets` threads keep their register sets, 850 bytes
 * each. On failure, returns MALFORMED or UNSUPPORTED (not a core, or not one that can be read as a
 * stream), TRUNCATED (the header is incomplete) or NO_MEMORY with *fault, and there is nothing to
 * close. Damage after the header becomes problems of the snapshot.
 */
CAIRN_MUST_USE enum cairn_status core_stream_open(struct snapshot *snapshot,
                                                  const struct cairn_stacks_stream *input,
                                                  bool keep_sets, uint64_t *taken,
                                                  struct cairn_fault *fault);

#endif
