/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: converts backtraces in a log to a minidump that debuggers can open, as `cairn
 * open` does. The stacks in it are synthetic: they contain only the words that unwinders read to
 * get from frame to frame.
 *
 *	struct cairn_captured_options options = CAIRN_CAPTURED_OPTIONS;
 *	struct cairn_captured_summary summary = CAIRN_SIZED(struct cairn_captured_summary);
 *	options.text = text;
 *	options.write = write_file;
 *	options.context = out;
 *	if (cairn_captured_write(&options, &summary, &error) == CAIRN_OK)
 *		printf("%u threads\n", (unsigned)summary.threads);
 */
#ifndef CAIRN_INCLUDE_CAPTURED_H
#define CAIRN_INCLUDE_CAPTURED_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_captured_file {
	/* path at which the debugger will open the file; borrowed during the call */
	const char *path;
	struct cairn_bytes bytes; /* contents of the file; borrowed during the call */
	bool has_base;
	uint64_t base; /* pc of the file's first byte in memory, if the host knows it */
};

/* A module in the program from which the addresses in the log come. */
struct cairn_captured_module {
	struct cairn_range pcs; /* pc range from the module's first byte to just past its last */
	uint64_t bias;          /* pc = va + bias */
	struct cairn_bytes path, build_id;
};

/*
 * Input and output of cairn_captured_write(). Initialize with CAIRN_CAPTURED_OPTIONS, and set
 * `text` and `write`.
 */
struct cairn_captured_options {
	size_t size;
	/*
	 * A log with backtraces (docs/formats/captured_text.md) or markup, the output of `cairn bt
	 * --json` or `cairn crash`, or the bytes of one backtrace in Swift's Compact Backtrace
	 * Format.
	 */
	struct cairn_bytes text;
	const struct cairn_captured_file *files; /* module files; the program's file comes first */
	size_t file_count;
	/*
	 * Find the file of a module that occurs in the log but not in `files`. `build_id` is empty
	 * if the log does not contain it. The result must stay valid until the call returns.
	 * Returns false if the file does not exist. NULL restricts the search to `files`.
	 */
	bool (*find)(void *context, struct cairn_bytes path, struct cairn_bytes build_id,
	             struct cairn_captured_file *file);
	/*
	 * Write the next bytes of the minidump. Returns 0, or an errno value, which ends the call
	 * with UNREADABLE.
	 */
	int (*write)(void *context, const void *bytes, size_t size);
	void *context;
	/*
	 * Modules sorted by address, for frames whose module the log does not mention; NULL if the
	 * modules are unknown.
	 */
	const struct cairn_captured_module *modules;
	size_t module_count;
};
#define CAIRN_CAPTURED_OPTIONS CAIRN_SIZED(struct cairn_captured_options)

/* Result of cairn_captured_write(). The caller sets `size` to the size of this struct. */
struct cairn_captured_summary {
	size_t size;
	uint64_t threads, frames, modules;
	/*
	 * number of threads whose outer frames are missing from the minidump, because no stack
	 * contents could make an unwinder step from one of their frames to the next
	 */
	uint64_t ended;
	/*
	 * number of skipped frames: those after the first 65,536, and those in threads after the
	 * first 4,096
	 */
	uint64_t left_out;
	/*
	 * number of frames dropped because they have no address, are outside all modules, or are in
	 * a module whose load address is unknown
	 */
	uint64_t lost;
	struct cairn_range stacks; /* address range that contains all stacks */
	/*
	 * address and value of one word in the stacks, by which a host can recognize them in
	 * memory; both 0 if there are no stacks
	 */
	uint64_t word_at, word;
};

/*
 * Write an amd64 minidump with one thread for each backtrace in the log, for cairn_stacks_open()
 * and cairn_core_write(). A thread's stack contains the return addresses and the words that the
 * files' call frame information needs to find them; in modules without a file, frames are linked by
 * frame pointers. Inlined calls get no frames of their own. Program counters come from the log,
 * stack pointers are invented, and all other registers are unknown. Returns NOT_FOUND if the log
 * contains no backtrace, UNREADABLE with error->system if a write fails, or NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_captured_write(
	const struct cairn_captured_options *options, struct cairn_captured_summary *summary,
	struct cairn_error *error);

#ifdef __cplusplus
}
#endif

#endif
