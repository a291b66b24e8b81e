/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: backtraces in text as files that debuggers can open. `cairn open` uses it for
 * logs: it builds stacks that lead from frame to frame and contain nothing else.
 */
#ifndef CAIRN_INCLUDE_CAPTURED_H
#define CAIRN_INCLUDE_CAPTURED_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The file of a module. */
struct cairn_captured_file {
	const char *path;         /* path as a debugger opens it; borrowed during the call */
	struct cairn_bytes bytes; /* contents of the file; borrowed during the call */
	bool has_base;
	uint64_t base; /* pc of the file's first byte in memory, if the host knows it */
};

/* A module of the program whose addresses occur in the text. */
struct cairn_captured_module {
	struct cairn_range pcs; /* from the first byte to just past the last */
	uint64_t bias;          /* pc = va + bias */
	struct cairn_bytes path, build_id;
};

/*
 * Input and output of cairn_captured_write(). Begin with CAIRN_CAPTURED_OPTIONS, and set `text` and
 * `write`.
 */
struct cairn_captured_options {
	size_t size; /* sizeof(struct cairn_captured_options) */
	/*
	 * A log with backtraces (docs/formats/captured_text.md) or markup, the output of `cairn bt
	 * --json` or `cairn crash`, or the bytes of one backtrace in Swift's Compact Backtrace
	 * Format.
	 */
	struct cairn_bytes text;
	const struct cairn_captured_file *files; /* files of modules, the program first */
	size_t file_count;
	/*
	 * Find the file of a module that the text names and `files` does not contain. `build_id` is
	 * empty if the text does not have it. The result must live until the call returns. Returns
	 * false if there is no such file. NULL restricts the search to `files`.
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
	 * Modules by address, for frames of the text that do not name their module; NULL if they
	 * are unknown.
	 */
	const struct cairn_captured_module *modules;
	size_t module_count;
};
#define CAIRN_CAPTURED_OPTIONS                                                                    \
	{                                                                                         \
		sizeof(struct cairn_captured_options), CAIRN_NO_BYTES, NULL, 0, NULL, NULL, NULL, \
			NULL, 0                                                                   \
	}

/* Result of cairn_captured_write(). Set `size` before the call. */
struct cairn_captured_summary {
	size_t size; /* sizeof(struct cairn_captured_summary) */
	uint64_t threads, frames, modules;
	/*
	 * threads whose stacks end before their last frames, because no stack can lead from one
	 * frame to the next
	 */
	uint64_t ended;
	/* frames after the first 65,536, and frames of threads after the first 4,096 */
	uint64_t left_out;
	/*
	 * frames without an address, outside of any module, or in a module whose load address is
	 * unknown
	 */
	uint64_t lost;
	struct cairn_range stacks; /* addresses of the stacks */
	/* address and value of a word that identifies the stacks; both 0 if there are no stacks */
	uint64_t word_at, word;
};

/*
 * Write an amd64 minidump with one thread for each backtrace of the text, for cairn_stacks_open()
 * and cairn_core_write(). A thread's stack holds the return addresses and the words by which the
 * call frame information of the files leads to them; in modules without a file, a chain of frame
 * pointers does. Inlined calls do not get frames of their own. Only the program counter comes from
 * the text; stack pointers are invented, and other registers are unknown. Returns NOT_FOUND if the
 * text does not contain a backtrace, UNREADABLE with error->system if a write failed, or NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_captured_write(
	const struct cairn_captured_options *options, struct cairn_captured_summary *summary,
	struct cairn_error *error);

#ifdef __cplusplus
}
#endif

#endif
