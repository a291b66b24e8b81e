/* SPDX-License-Identifier: MIT */
/*
 * cairn: backtraces in text as files that debuggers open. It is what `cairn open` does with a log: stacks are made that lead
 * from frame to frame and hold nothing else.
 */
#ifndef CAIRN_INCLUDE_CAPTURED_H
#define CAIRN_INCLUDE_CAPTURED_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The file of a module. */
struct cairn_captured_file {
	const char *path; /* of the file, as a debugger opens it; borrowed during the call */
	struct cairn_bytes bytes; /* of the file; borrowed during the call */
	bool has_base;
	uint64_t base; /* pc of its first byte in memory, where the host knows it */
};

/* A module of the program whose addresses a text has. */
struct cairn_captured_module {
	struct cairn_range pcs; /* from its first byte to just past its last */
	uint64_t bias;          /* pc = va + bias */
	struct cairn_bytes path, build_id;
};

/* What is read, and where the bytes go. Begin with CAIRN_CAPTURED_OPTIONS, and set `text` and `write`. */
struct cairn_captured_options {
	size_t size; /* sizeof(struct cairn_captured_options) */
	/*
	 * A log with backtraces (docs/formats/captured_text.md) or markup, or what `cairn bt --json` and `cairn crash` write; or the bytes
	 * of one backtrace in Swift's Compact Backtrace Format.
	 */
	struct cairn_bytes text;
	const struct cairn_captured_file *files; /* modules of the program, the program first */
	size_t file_count;
	/*
	 * Finds the file of a module that the text names and that is none of `files`; `build_id` is empty if the text has none. What it
	 * gives lives until the call returns. False: there is none. NULL: only `files` are used.
	 */
	bool (*find)(void *context, struct cairn_bytes path, struct cairn_bytes build_id,
	             struct cairn_captured_file *file);
	/* Takes the next bytes of the minidump. It returns 0, or an errno value, which ends the call with UNREADABLE. */
	int (*write)(void *context, const void *bytes, size_t size);
	void *context;
	/* What a frame of the text without a module is in, by its address; NULL: nothing is known of that. */
	const struct cairn_captured_module *modules;
	size_t module_count;
};
#define CAIRN_CAPTURED_OPTIONS                                                                    \
	{                                                                                         \
		sizeof(struct cairn_captured_options), CAIRN_NO_BYTES, NULL, 0, NULL, NULL, NULL, \
			NULL, 0                                                                   \
	}

/* What became of it. Set `size` before the call. */
struct cairn_captured_summary {
	size_t size; /* sizeof(struct cairn_captured_summary) */
	uint64_t threads, frames, modules;
	uint64_t
		ended; /* threads whose stacks end before their last frames: no stack leads from one to the next */
	uint64_t
		left_out; /* frames after the first 65,536, and frames of threads after the first 4,096 */
	uint64_t
		lost; /* frames without an address, of no module or of one whose place nothing tells */
	struct cairn_range stacks; /* the addresses that the stacks are in */
	uint64_t word_at,
		word; /* address and value of a word of the stacks, by which they are recognized; 0: none */
};

/*
 * Writes a minidump of amd64 with a thread for each backtrace of the text, which cairn_stacks_open() and cairn_core_write() take: its
 * stack holds return addresses, and what leads to them by the call frame information of the files; of a module without a file, by a chain of frame pointers. Inlined calls get
 * no frames of their own. Of the registers only the program counter is from the text; stack pointers are made up, and others are unknown. Returns NOT_FOUND if no
 * backtrace is in the text, UNREADABLE with error->system if a write failed, or NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_captured_write(
	const struct cairn_captured_options *options, struct cairn_captured_summary *summary,
	struct cairn_error *error);

#ifdef __cplusplus
}
#endif

#endif
