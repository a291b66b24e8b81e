/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: a capture as files that a debugger can open, as `cairn open` shows it in GDB
 * and LLDB. A capture is a minidump or a text with backtraces. Its core and the placeholder files
 * for modules lie in a private directory as long as the capture is open.
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
 * An open capture. To show a minidump in a debugger:
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
 *	...                    after the debugger has closed the core:
 *	cairn_capture_close(capture);
 */
struct cairn_capture;

/* A candidate for the file of a module; the program's file comes first. */
struct cairn_capture_file {
	const char *path;
	bool has_base;
	/* pc of the file's first byte in memory; used only if the capture is a text */
	uint64_t base;
};

/*
 * Input of cairn_capture_open(). Begin with CAIRN_CAPTURE_OPTIONS, and set `path` or `bytes`.
 * Everything is borrowed during the call.
 */
struct cairn_capture_options {
	size_t size; /* sizeof(struct cairn_capture_options) */
	/*
	 * A minidump, any input of cairn_captured_write(), or a backtrace in Swift's Compact
	 * Backtrace Format.
	 */
	struct cairn_bytes bytes;
	const char *path; /* regular file with the input; used if `bytes` is empty */
	const struct cairn_capture_file *files;
	size_t file_count;
	/* Modules by address, such as the modules of the process that `bytes` came from. */
	const struct cairn_captured_module *modules;
	size_t module_count;
	/*
	 * Search options, of which `folders` and `sysroot` are used. NULL selects
	 * CAIRN_SYMBOLIZER_OPTIONS.
	 */
	const struct cairn_symbolizer_options *search;
	/*
	 * Absolute path of the directory in which the private directory is created. NULL selects
	 * $TMPDIR, or /tmp if that is not set.
	 */
	const char *parent;
};
#define CAIRN_CAPTURE_OPTIONS                                                                 \
	{                                                                                     \
		sizeof(struct cairn_capture_options), CAIRN_NO_BYTES, NULL, NULL, 0, NULL, 0, \
			NULL, NULL                                                            \
	}

/*
 * Make the files of a capture in a directory of mode 0700, which stays locked as long as this
 * process has it open. First removes the directories that killed processes of this user, including
 * `cairn open`, left in the same parent. At most 65,536 frames of a text are read. Returns
 * UNREADABLE with error->system if a file cannot be read or written, NOT_FOUND if there is no
 * backtrace, UNSUPPORTED if the machine of the minidump is not amd64 or aarch64, MALFORMED or
 * TRUNCATED if the minidump is damaged, or NO_MEMORY. After a failure no file is left, and *capture
 * is unchanged.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_capture_open(
	const struct cairn_capture_options *options, struct cairn_capture **capture,
	struct cairn_error *error);

/*
 * Remove the files and free the capture. A process other than the one that made the files, such as
 * a forked child, only frees the capture. NULL is allowed.
 */
CAIRN_API void cairn_capture_close(struct cairn_capture *capture);

/*
 * Description of an open capture. Set `size` before the call; the strings live as long as the
 * capture.
 */
struct cairn_capture_summary {
	size_t size;      /* sizeof(struct cairn_capture_summary) */
	const char *core; /* path of the core */
	/* path of the program's file or of its placeholder; empty if there is neither */
	const char *program;
	bool is_text; /* a text with backtraces: only return addresses are known */
	uint64_t threads, modules;
	uint64_t missing; /* modules whose files were not found */
	/* files found by path alone, because the text does not contain their build IDs */
	uint64_t unchecked;
	uint64_t ambiguous;             /* see struct cairn_core_summary */
	uint64_t ended, left_out, lost; /* see struct cairn_captured_summary */
	struct cairn_range stacks;      /* addresses of the stacks of a text; otherwise empty */
	uint64_t word_at, word;         /* see struct cairn_captured_summary */
};

/* Describe an open capture in *summary. */
CAIRN_API void cairn_capture_describe(const struct cairn_capture *capture,
                                      struct cairn_capture_summary *summary);

/*
 * Return the name of a thread, which may be empty, or NULL if the core has fewer threads. Threads
 * are numbered from 0 in the order of the core.
 */
CAIRN_API const char *cairn_capture_thread_name(const struct cairn_capture *capture, size_t number);

#ifdef __cplusplus
}
#endif

#endif
