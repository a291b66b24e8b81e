/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: converts minidumps to core files, as `cairn open` does. GDB cannot read
 * minidumps, and LLDB finds a minidump's files by path alone. Both can read the core.
 *
 *	struct cairn_core_options options = CAIRN_CORE_OPTIONS;
 *	struct cairn_core_summary summary = CAIRN_SIZED(struct cairn_core_summary);
 *	options.write = write_file;
 *	options.context = out;
 *	if (cairn_stacks_open_file("crash.dmp", &stacks, &error) == CAIRN_OK) {
 *		status = cairn_core_write(stacks, &options, &summary, &error);
 *		cairn_stacks_close(stacks);
 *	}
 */
#ifndef CAIRN_INCLUDE_CORE_H
#define CAIRN_INCLUDE_CORE_H

#include <cairn/base.h>
#include <cairn/stacks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Destination of a core's bytes. Initialize with CAIRN_CORE_OPTIONS, and set `write`. */
struct cairn_core_options {
	size_t size;
	/*
	 * Write the next bytes of the file. Returns 0, or an errno value, which ends the call with
	 * UNREADABLE.
	 */
	int (*write)(void *context, const void *bytes, size_t size);
	void *context;
	/*
	 * Absolute path of the directory for placeholder files that stand in for the modules'
	 * files. NULL disables them. The core refers to these files, and each is passed to
	 * `write_file` before the core is written. The unwind tables in the placeholder files let
	 * debuggers unwind frames that no call frame information describes, and frames in modules
	 * whose files have not been found.
	 */
	const char *directory;
	/*
	 * Store a placeholder file at an absolute path. The contents of the file are the
	 * concatenation of `count` parts. Returns 0, or an errno value.
	 */
	int (*write_file)(void *context, const char *path, const struct cairn_bytes *parts,
	                  size_t count);
	/*
	 * Copy a core instead of converting a minidump, and add a thread for each Swift task that
	 * no thread runs. The thread's ID is CAIRN_CORE_TASK plus the task's ID. `directory` and
	 * `write_file` are not used.
	 */
	bool tasks;
};
#define CAIRN_CORE_OPTIONS CAIRN_SIZED(struct cairn_core_options)
enum { CAIRN_CORE_TASK = 1000000000 };

/* Result of cairn_core_write(). The caller sets `size` to the size of this struct. */
struct cairn_core_summary {
	size_t size;
	uint64_t threads, modules;
	uint64_t missing; /* number of modules whose files have not been found */
	/* debuggers can find the libraries through the core; always false for a static program */
	bool linked;
	/*
	 * path of the program's file, valid as long as the stacks; empty if the file was not found
	 * and has no placeholder
	 */
	struct cairn_bytes program;
	uint64_t bytes;  /* size of the core */
	uint64_t placed; /* number of placeholder files */
	/*
	 * number of frames that debuggers may unwind incorrectly, because other frames at the same
	 * pc have a different size
	 */
	uint64_t ambiguous;
	uint64_t tasks; /* number of threads that have been added for tasks */
};

/*
 * Convert the minidump from which `stacks` were opened to a Linux core. The core contains the
 * minidump's registers, signal and memory, and the data that debuggers need to find the modules,
 * built from the modules' files. Memory that is neither in the minidump nor in a file is missing
 * from the core, too. If `directory` or `tasks` is set, this walks all stacks, which ends any walk
 * begun with cairn_stacks_begin(). `summary` may be NULL. Returns UNSUPPORTED if the stacks do not
 * come from a minidump (with `tasks`, from a core), or the machine is not amd64 or aarch64 (with
 * `tasks`, not amd64); NOT_FOUND if no thread has registers or tasks cannot be found; UNREADABLE
 * with error->system if a write fails; NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_core_write(
	struct cairn_stacks *stacks, const struct cairn_core_options *options,
	struct cairn_core_summary *summary, struct cairn_error *error);

/*
 * Get the next thread in the order in which cairn_core_write() writes threads and debuggers show
 * them: the crashed thread comes first, and threads without registers are omitted. Set *at to 0
 * before the first call. Fills *thread as cairn_stacks_thread() does. Returns false after the last
 * thread.
 */
CAIRN_API bool cairn_core_next_thread(struct cairn_stacks *stacks, size_t *at,
                                      struct cairn_thread *thread);

#ifdef __cplusplus
}
#endif

#endif
