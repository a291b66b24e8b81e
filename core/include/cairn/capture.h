/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: converts a capture to files that a debugger can open; `cairn open` uses it for
 * GDB and LLDB. A capture is a minidump or a log with backtraces. While it is open, its core and
 * the placeholder files for its modules are in a private directory.
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

/* A candidate for a module's file. The program's file comes first. */
struct cairn_capture_file {
	const char *path;
	bool has_base;
	/* pc of the file's first byte in memory; used only if the capture is a log */
	uint64_t base;
};

/*
 * Input of cairn_capture_open(). Initialize with CAIRN_CAPTURE_OPTIONS, and set `path` or `bytes`.
 * Everything is borrowed during the call.
 */
struct cairn_capture_options {
	size_t size;
	/*
	 * A minidump, any input for cairn_captured_write(), or a backtrace in Swift's Compact
	 * Backtrace Format.
	 */
	struct cairn_bytes bytes;
	/* path of a regular file that contains the input; used if `bytes` is empty */
	const char *path;
	const struct cairn_capture_file *files;
	size_t file_count;
	/* modules sorted by address, for example those of the process that `bytes` was read from */
	const struct cairn_captured_module *modules;
	size_t module_count;
	/*
	 * Search options. Only `directories` and `sysroot` are used. NULL selects
	 * CAIRN_SYMBOLIZER_OPTIONS.
	 */
	const struct cairn_symbolizer_options *search;
	/*
	 * Absolute path of the directory in which the private directory is created. NULL selects
	 * $TMPDIR, or /tmp if that variable is not set.
	 */
	const char *parent;
};
#define CAIRN_CAPTURE_OPTIONS CAIRN_SIZED(struct cairn_capture_options)

/*
 * Create a capture's files in a private directory of mode 0700, which stays locked while the
 * capture is open. First deletes stale directories in the same parent directory, left behind by
 * processes of this user, such as `cairn open`, that were killed. Reads at most 65,536 frames from
 * a log. Returns UNREADABLE with error->system if a file cannot be read or written, NOT_FOUND if
 * there is no backtrace, UNSUPPORTED if the minidump's machine is not amd64 or aarch64, MALFORMED
 * or TRUNCATED if the minidump is damaged, or NO_MEMORY. After a failure no files remain, and
 * *capture is unchanged.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_capture_open(
	const struct cairn_capture_options *options, struct cairn_capture **capture,
	struct cairn_error *error);

/*
 * Remove the files and free the capture. In a process that has not created the files, such as a
 * forked child, only free the capture. NULL is allowed.
 */
CAIRN_API void cairn_capture_close(struct cairn_capture *capture);

/*
 * An open capture's files and contents. The caller sets `size` to the size of this struct; the
 * strings live as long as the capture.
 */
struct cairn_capture_summary {
	size_t size;
	const char *core;
	/* path of the program's file or of its placeholder; empty if neither exists */
	const char *program;
	/* the capture is a log with backtraces, where only return addresses are known */
	bool is_text;
	uint64_t threads, modules;
	uint64_t missing; /* number of modules whose files have not been found */
	/*
	 * number of files matched by path alone, because the log does not contain their build IDs
	 */
	uint64_t unchecked;
	/* number of frames that debuggers may unwind incorrectly; see struct cairn_core_summary */
	uint64_t ambiguous;
	/* numbers of incomplete threads and of missing frames; see struct cairn_captured_summary */
	uint64_t ended, left_out, lost;
	/* address range of the stacks that have been created from a log; otherwise empty */
	struct cairn_range stacks;
	/* address and value of a word in the stacks; see struct cairn_captured_summary */
	uint64_t word_at, word;
};

/* Describe the capture in *summary. */
CAIRN_API void cairn_capture_describe(const struct cairn_capture *capture,
                                      struct cairn_capture_summary *summary);

/*
 * Return a thread's name, which may be empty, or NULL if the core has fewer threads. Threads are
 * numbered from 0 in the order in which they appear in the core.
 */
CAIRN_API const char *cairn_capture_thread_name(const struct cairn_capture *capture, size_t number);

#ifdef __cplusplus
}
#endif

#endif
