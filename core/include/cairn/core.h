/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: core files made from minidumps, as `cairn open` makes them. GDB cannot read
 * minidumps, and LLDB finds the files for them by path alone; both can read a core made from one.
 */
#ifndef CAIRN_INCLUDE_CORE_H
#define CAIRN_INCLUDE_CORE_H

#include <cairn/base.h>
#include <cairn/stacks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Destination of the bytes of a core. Begin with CAIRN_CORE_OPTIONS, and set `write`. */
struct cairn_core_options {
	size_t size; /* sizeof(struct cairn_core_options) */
	/*
	 * Write the next bytes of the file. Returns 0, or an errno value, which ends the call with
	 * UNREADABLE.
	 */
	int (*write)(void *context, const void *bytes, size_t size);
	void *context;
	/*
	 * Absolute path of the directory for placeholder files that stand in for the files of
	 * modules. NULL disables them. The core names these files, and each is passed to `place`
	 * before the core is written. They lead debuggers through frames that no call frame
	 * information describes, and through modules whose files were not found.
	 */
	const char *folder;
	/*
	 * Store a placeholder file: its absolute path, and `count` parts that follow each other.
	 * Returns 0, or an errno value.
	 */
	int (*place)(void *context, const char *path, const struct cairn_bytes *parts,
	             size_t count);
};
#define CAIRN_CORE_OPTIONS                                                \
	{                                                                 \
		sizeof(struct cairn_core_options), NULL, NULL, NULL, NULL \
	}

/* Result of cairn_core_write(). Set `size` before the call. */
struct cairn_core_summary {
	size_t size; /* sizeof(struct cairn_core_summary) */
	uint64_t threads, modules;
	uint64_t missing; /* modules whose files were not found */
	bool linked;      /* debuggers can find the libraries; always false for a static program */
	/*
	 * path of the program's file; lives as long as the stacks; empty if it was not found and no
	 * placeholder for it was passed to `place`
	 */
	struct cairn_bytes program;
	uint64_t bytes;  /* size of the core */
	uint64_t placed; /* number of placeholder files */
	/*
	 * frames that debuggers may unwind incorrectly, because other frames at the same address
	 * have another size
	 */
	uint64_t ambiguous;
};

/*
 * Write a Linux core from a minidump whose stacks are open. It contains the minidump's registers,
 * signal and memory, and the data that debuggers need to find the modules, built from the modules'
 * files. Memory that is neither in the minidump nor in a file is missing from the core, too. With
 * `folder`, all stacks are walked, which ends the walk of cairn_stacks_begin(). `summary` may be
 * NULL. Returns UNSUPPORTED if the stacks do not come from a minidump, or not from amd64 or
 * aarch64; NOT_FOUND if no thread has registers; UNREADABLE with error->system if a write failed;
 * NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_core_write(
	struct cairn_stacks *stacks, const struct cairn_core_options *options,
	struct cairn_core_summary *summary, struct cairn_error *error);

/*
 * Step through the threads in the order in which cairn_core_write() writes them and debuggers show
 * them: the crashed thread first, and threads without registers omitted. *at is 0 for the first
 * call. Fills *thread as cairn_stacks_thread() does. Returns false after the last thread.
 */
CAIRN_API bool cairn_core_next_thread(struct cairn_stacks *stacks, size_t *at,
                                      struct cairn_thread *thread);

#ifdef __cplusplus
}
#endif

#endif
