/* SPDX-License-Identifier: MIT */
/*
 * cairn: core files of minidumps. It is what `cairn open` does: GDB reads no minidumps, and LLDB finds files for them by path
 * alone; a core that is made of one is read by both.
 */
#ifndef CAIRN_INCLUDE_CORE_H
#define CAIRN_INCLUDE_CORE_H

#include <cairn/base.h>
#include <cairn/stacks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the bytes of a core go. Begin with CAIRN_CORE_OPTIONS, and set `write`. */
struct cairn_core_options {
	size_t size; /* sizeof(struct cairn_core_options) */
	/* Takes the next bytes of the file. It returns 0, or an errno value, which ends the call with UNREADABLE. */
	int (*write)(void *context, const void *bytes, size_t size);
	void *context;
	/*
	 * The folder, by its whole path, of files that stand in for those of modules: the core names them, and `place` is given each before
	 * the core is written. They lead debuggers along frames that no call frame information describes, and behind modules
	 * whose files are not here. NULL: there are none.
	 */
	const char *folder;
	/* Takes a file, with its whole path and its parts, one after the other. It returns 0, or an errno value. */
	int (*place)(void *context, const char *path, const struct cairn_bytes *parts,
	             size_t count);
};
#define CAIRN_CORE_OPTIONS                                                \
	{                                                                 \
		sizeof(struct cairn_core_options), NULL, NULL, NULL, NULL \
	}

/* What became of it. Set `size` before the call. */
struct cairn_core_summary {
	size_t size; /* sizeof(struct cairn_core_summary) */
	uint64_t threads, modules;
	uint64_t missing; /* modules whose files were not found */
	bool linked;      /* debuggers find the libraries; false also for a static program */
	struct cairn_bytes
		program; /* path of the program's file, which lives as long as the stacks; empty: not found, or `place` was given one */
	uint64_t bytes;  /* of the file */
	uint64_t placed; /* files that stand in for those of modules */
	uint64_t
		ambiguous; /* frames behind which debuggers may lose the way, because others at their address have another size */
};

/*
 * Writes a core of Linux of a minidump whose stacks are open: its registers, signal and memory as they are, with what debuggers need to
 * find the modules, made of the modules' files. Memory that the minidump does not have, and no file, is not
 * in the core either. With `folder` all stacks are walked, which ends the walk of cairn_stacks_begin(). `summary` may be NULL. Returns UNSUPPORTED if the stacks are of no minidump, or not of amd64 or
 * aarch64; NOT_FOUND if no thread has registers; UNREADABLE with error->system if a write failed; NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_core_write(
	struct cairn_stacks *stacks, const struct cairn_core_options *options,
	struct cairn_core_summary *summary, struct cairn_error *error);

/*
 * Steps through the threads of such a core in its order, which is that of debuggers: first the one that crashed, and none without
 * registers.  *at is 0 at first.  Fills *thread as cairn_stacks_thread() does; returns false after the last.
 */
CAIRN_API bool cairn_core_next_thread(struct cairn_stacks *stacks, size_t *at,
                                      struct cairn_thread *thread);

#ifdef __cplusplus
}
#endif

#endif
