/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: a capture as files that a debugger opens. A capture is a minidump, or a text with backtraces; its core and the
 * files that stand in for modules lie in a private folder as long as it is open. It is what `cairn open` shows in GDB and LLDB.
 */
#ifndef CAIRN_INCLUDE_CAPTURE_H
#define CAIRN_INCLUDE_CAPTURE_H

#include <cairn/base.h>
#include <cairn/captured.h>
#include <cairn/symbolizer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A minidump in a debugger:
 *
 *	struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS;
 *	struct cairn_capture_summary summary = { sizeof(summary) };
 *	struct cairn_capture *capture;
 *	struct cairn_error error;
 *
 *	options.path = "crash.dmp";
 *	if (cairn_capture_open(&options, &capture, &error) != CAIRN_OK)
 *		...            error.text has the reason
 *	cairn_capture_describe(capture, &summary);
 *	printf("gdb %s %s\n", summary.program, summary.core);
 *	...                    once the debugger has let go of it:
 *	cairn_capture_close(capture);
 */
struct cairn_capture;

/* A file that may be that of a module, the program's first. */
struct cairn_capture_file {
	const char *path;
	bool has_base;
	uint64_t base; /* pc of its first byte in memory; it counts for texts */
};

/* What is opened.  Begin with CAIRN_CAPTURE_OPTIONS, and set `path` or `bytes`.  All is borrowed during the call. */
struct cairn_capture_options {
	size_t size; /* sizeof(struct cairn_capture_options) */
	/* A minidump, what cairn_captured_write() reads, or a backtrace in Swift's Compact Backtrace Format. */
	struct cairn_bytes bytes;
	const char *path; /* of a regular file with it, if there are no `bytes` */
	const struct cairn_capture_file *files;
	size_t file_count;
	/* Modules whose addresses are in `bytes`, such as those of the process that they are from. */
	const struct cairn_captured_module *modules;
	size_t module_count;
	/* Where files are looked for: `folders` and `sysroot` count.  NULL: as CAIRN_SYMBOLIZER_OPTIONS has it. */
	const struct cairn_symbolizer_options *search;
	/* The folder in which the private one is made, by its whole path; NULL: $TMPDIR, or else /tmp. */
	const char *parent;
};
#define CAIRN_CAPTURE_OPTIONS                                                                 \
	{                                                                                     \
		sizeof(struct cairn_capture_options), CAIRN_NO_BYTES, NULL, NULL, 0, NULL, 0, \
			NULL, NULL                                                            \
	}

/*
 * Makes the files of a capture, in a folder of mode 0700, which stays locked as long as this process has it open.  Folders that killed processes of
 * this user have left in the same place are removed first, those of `cairn open` too.  At most 65,536 frames of a text are read.
 * Returns UNREADABLE with error->system if a file cannot be read or written, NOT_FOUND if there is no
 * backtrace, UNSUPPORTED if the machine of the minidump is not amd64 or aarch64, MALFORMED or TRUNCATED if the minidump is damaged, or
 * NO_MEMORY; then no file is left, and *capture is as it was.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_capture_open(
	const struct cairn_capture_options *options, struct cairn_capture **capture,
	struct cairn_error *error);

/* Removes the files, unless another process than the one that made them calls it, and frees the capture.  NULL is allowed. */
CAIRN_API void cairn_capture_close(struct cairn_capture *capture);

/* What was made.  Set `size` before the call; texts live as long as the capture. */
struct cairn_capture_summary {
	size_t size;      /* sizeof(struct cairn_capture_summary) */
	const char *core; /* path of the core */
	const char *
		program; /* path of the program's file or of what stands in for it; empty: there is none */
	bool is_text; /* return addresses are all that is known */
	uint64_t threads, modules;
	uint64_t missing; /* modules whose files were not found */
	uint64_t
		unchecked; /* files at the paths that a text has, which does not tell their builds */
	uint64_t ambiguous;             /* as struct cairn_core_summary has it */
	uint64_t ended, left_out, lost; /* as struct cairn_captured_summary has them */
	struct cairn_range stacks; /* of a text: the addresses that its stacks are in; else empty */
	uint64_t word_at, word;    /* as struct cairn_captured_summary has them */
};

/* Fills *summary. */
CAIRN_API void cairn_capture_describe(const struct cairn_capture *capture,
                                      struct cairn_capture_summary *summary);

/*
 * Returns the name of a thread, which may be empty, by its number in the core, from 0 on; NULL if the core has fewer threads.
 */
CAIRN_API const char *cairn_capture_thread_name(const struct cairn_capture *capture, size_t number);

#ifdef __cplusplus
}
#endif

#endif
