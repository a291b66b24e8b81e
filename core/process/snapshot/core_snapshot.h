/* SPDX-License-Identifier: MIT */
/*
 * Opens an ELF core file as a snapshot (base/snapshot.h). Its notes describe the threads, the
 * process and the crash; its segments describe the mappings and contain the memory.
 *
 *	struct snapshot snapshot;
 *	status = core_snapshot_open(&snapshot, &elf, &fault);
 *	if (status == CAIRN_OK)
 *		... snapshot.threads, snapshot.memory
 *	snapshot_close(&snapshot);
 *
 * For a truncated or damaged core, the snapshot contains everything that could be read, and
 * snapshot.problems describes the damage.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_CORE_SNAPSHOT_H
#define CAIRN_PROCESS_SNAPSHOT_CORE_SNAPSHOT_H

#include "base/snapshot.h"
#include "formats/corenotes.h"
#include "formats/elf/elf.h"
#include "process/snapshot/core_file.h"

/*
 * Open a snapshot that borrows the bytes of the file until snapshot_close(). On failure, returns
 * MALFORMED (not a core file) or NO_MEMORY with details in *fault, and there is nothing to close.
 */
CAIRN_MUST_USE enum cairn_status core_snapshot_open(struct snapshot *snapshot,
                                                    const struct elf *elf,
                                                    struct cairn_fault *fault);

/*
 * Opens an ELF core file as a snapshot (base/snapshot.h) while reading it once from beginning to
 * end, because the kernel pipes cores to a handler. Keeps only the ranges of each segment that
 * unwinding needs, and lets the host skip the rest.
 *
 *	struct cairn_stacks_stream input = { read_host, skip_host, NULL, &host, false };
 *	uint64_t taken;
 *	status = core_stream_open(&snapshot, &input, false, &taken, &fault);
 *	if (status == CAIRN_OK)
 *		... snapshot.threads, snapshot.memory
 *	snapshot_close(&snapshot);
 *
 * Regardless of the core's size, the snapshot contains:
 *
 *	stacks     each thread's stack from its stack pointer outwards, and the outermost range of
 *	           its own stack if it runs on a different one, such as a signal stack. The limits
 *	           are CORE_STREAM_CRASHED_STACK bytes for the crashed thread, CORE_STREAM_STACK for
 *	           any other thread, and CORE_STREAM_STACKS in total, which the other threads share
 *	           equally. A truncated stack lacks its outermost end, and its thread has stack_cut
 *	           set. If the crashed thread does not run on its own stack, a third stack is
 *	           searched for by means of a signal frame (amd64); 128 KiB around it are kept.
 *	modules    pages with ELF headers, notes, and small segments of modules (data, the vDSO)
 *	the rest   small segments, such as those with the link map and the message of abort(), and the
 *	           code around each thread's pc
 *	heap       of a program with Swift's concurrency runtime, because the callers of async
 *	           functions are there; segments in the order of the core, up to CORE_STREAM_SWIFT
 *	lists      mappings, threads, and names of files
 *
 * Apart from the stacks and that heap, this takes less than CORE_STREAM_MEMORY for a core with up to
 * CORE_STREAM_SEGMENTS segments and 10,000 threads. Each further segment costs 120 bytes, and each
 * further thread 500 bytes.
 *
 * If the notes come after the memory, as in cores written by gcore, the locations of the stacks are
 * not known in time. In this case all memory is kept, up to CORE_STREAM_WHOLE; runs of zeros take
 * no memory. The host may set a lower limit for compressed cores with the callback `allow`.
 */

/* Limit on the crashed thread's stack. Equals the usual limit for a main thread (ulimit -s). */
#define CORE_STREAM_CRASHED_STACK ((uint64_t)8 << 20)
#define CORE_STREAM_STACK ((uint64_t)1 << 20)
#define CORE_STREAM_STACKS ((uint64_t)64 << 20)
#define CORE_STREAM_MEMORY ((uint64_t)32 << 20)
#define CORE_STREAM_SEGMENTS ((uint64_t)1 << 17)
#define CORE_STREAM_WHOLE ((uint64_t)1 << 30)

enum {
	CORE_STREAM_SPARE = 4 << 20,
	CORE_STREAM_SEARCH = 64 << 20, /* maximum number of bytes to search for a stack */
	/* maximum number of bytes to keep from stacks that the search finds */
	CORE_STREAM_FOUND = 1 << 20,
	/* maximum number of bytes to keep from the heap of a Swift program */
	CORE_STREAM_SWIFT = 64 << 20,
};

/*
 * Read up to the end of the last segment. Sets *taken to the number of bytes read or skipped; the
 * input is not used after the call. If `keep_sets` is set, threads keep their register sets, 850
 * bytes each. On failure, returns MALFORMED or UNSUPPORTED (not a core, or a core that cannot be
 * read as a stream), TRUNCATED (incomplete header) or NO_MEMORY with details in *fault, and there
 * is nothing to close. Damage after the header is reported as problems of the snapshot.
 */
CAIRN_MUST_USE enum cairn_status core_stream_open(struct snapshot *snapshot,
                                                  const struct cairn_stacks_stream *input,
                                                  bool keep_sets, uint64_t *taken,
                                                  struct cairn_fault *fault);

/*
 * Fills a snapshot from the header, the segments and the notes of a core, one at a time and in file
 * order. Serves both cores in memory and cores that are read as a stream.
 *
 *	core_parts_describe(&snapshot, &elf);
 *	core_parts_add_segment(&snapshot, &segment);             each PT_LOAD
 *	snapshot_sort_mappings(&snapshot);
 *	struct core_notes reading = core_notes_begin(&snapshot, &elf, offset);
 *	core_notes_take(&reading, &note);                        each note
 *	core_parts_find_crash(&snapshot);
 */

struct core_notes {
	struct snapshot *snapshot;
	struct corenotes_layout layout;
	struct snapshot_thread *thread; /* latest thread in the notes; NULL before the first one */
	uint64_t thread_pointer;
	uint64_t start;
	/*
	 * Name of the foreign operating system that has been reported as a problem, or NULL (see
	 * corenotes_name_foreign()).
	 */
	const char *foreign;
};

void core_parts_describe(struct snapshot *snapshot, const struct elf *elf);

/* Add a segment as a mapping. Ignores a segment that wraps around the end of the address space. */
void core_parts_add_segment(struct snapshot *snapshot, const struct elf_segment *segment);

static inline struct core_notes core_notes_begin(struct snapshot *snapshot, const struct elf *elf,
                                                 uint64_t start)
{
	return (struct core_notes){ .snapshot = snapshot,
		                    .layout = { snapshot->machine, elf->wide, elf->big },
		                    .start = start };
}

/*
 * Add a note. The snapshot borrows the contents of process, auxiliary vector, file and register
 * notes.
 */
void core_notes_take(struct core_notes *reading, const struct corenote *note);

/* Report, only once, that the notes are not from a Linux program. `what` may be NULL. */
void core_notes_report_foreign(struct core_notes *reading, const char *what);

/*
 * Return the index of the thread that ended the program. Call this after all notes have been read.
 * The kernel and gcore write this thread first. QEMU's user mode writes threads in order of
 * creation, without an NT_SIGINFO note; for such cores, return the first thread with a signal.
 */
size_t core_parts_crashed_thread(const struct snapshot *snapshot);

/*
 * Find the thread that ended the program, and its signal. Call this after all notes have been read.
 */
void core_parts_find_crash(struct snapshot *snapshot);

/* Stores memory ranges copied from a streamed core, and provides a target to read them. */

struct core_kept {
	struct corefile core; /* valid after core_kept_finish() */
	/* ranges in the order of the stream; valid until core_kept_finish() */
	struct corefile_range *ranges;
	size_t count, capacity;
	uint8_t **blocks; /* allocations that contain the bytes of all ranges and notes */
	size_t block_count, block_capacity;
};

/* Allocate a block that lives as long as *kept. Return NULL on failure. */
uint8_t *core_kept_block(struct core_kept *kept, size_t size);

/* Shrink the latest block, or free it if `size` is 0. Return its new address. */
uint8_t *core_kept_shrink(struct core_kept *kept, size_t size);

/* Add bytes from a block as the memory at `address`. Return false if allocation fails. */
bool core_kept_add(struct core_kept *kept, uint64_t address, struct cairn_bytes bytes);

/* Make kept->core.target read the added memory. */
void core_kept_finish(struct core_kept *kept);

/* Free everything that *kept owns, but not the struct itself. */
void core_kept_clear(struct core_kept *kept);

/* Free the struct and everything that it owns. NULL is allowed. */
void core_kept_free(void *kept);

#endif
