/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: opens a program's stacks at one moment, from a core file, a minidump or a
 * running process, as `cairn bt` does. stacks.h walks them, process.h describes the program. Names
 * from DWARF need libcairn-dwarf (cairn/dwarf.h).
 */
#ifndef CAIRN_INCLUDE_STACK_SOURCE_H
#define CAIRN_INCLUDE_STACK_SOURCE_H

#include <cairn/base.h>
#include <cairn/symbolizer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A program at one moment:
 *
 *	struct cairn_stacks *stacks;
 *	struct cairn_stack_frame frame = CAIRN_SIZED(struct cairn_stack_frame);
 *	struct cairn_error error;
 *
 *	if (cairn_stacks_open_process(1234, &stacks, &error) == CAIRN_OK) {
 *		for (size_t i = 0; i < cairn_stacks_threads(stacks); i++) {
 *			bool more = cairn_stacks_begin(stacks, i);
 *			for (; more; more = cairn_stacks_next(stacks)) {
 *				cairn_stacks_frame(stacks, &frame);
 *				...
 *			}
 *		}
 *		cairn_stacks_close(stacks);
 *	}
 *
 * Memory that is missing from the source is read from the files of the program's modules. cairn
 * searches for these files at the paths that the program used (for a process, in the process's
 * mount namespace) and in /usr/lib/debug/.build-id. A file is used only if its build ID matches the
 * module's, or, without a build ID, its headers do.
 */
struct cairn_stacks;

/*
 * Open a Linux core file or a minidump. A core is read as a stream, which takes at most 32 MB of
 * memory plus 64 MB for stacks and 64 MB for a Swift program's heap, whatever the size of the core;
 * a minidump is copied. Returns UNREADABLE if the file cannot be opened; MALFORMED or UNSUPPORTED
 * if it has neither format or is compressed; NO_MEMORY. *error has the details; `error` may be NULL
 * in all functions in this header. The caller closes *stacks. From a truncated or damaged core,
 * everything readable is used: see cairn_stacks_problems().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_file(const char *path,
                                                                  struct cairn_stacks **stacks,
                                                                  struct cairn_error *error);

/*
 * Open a core file or minidump from a file descriptor, starting at its current position. The
 * descriptor may be a pipe, which is read as data arrives. The caller closes the descriptor. For a
 * compressed core, pass a pipe from a program or thread that decompresses it (`zstd -dc core.zst`),
 * so that the library does not need a decompression library.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_descriptor(
	int fd, struct cairn_stacks **stacks, struct cairn_error *error);

/*
 * Open a running process. Stops all threads of the process, copies their registers and stacks (at
 * most 8 MiB per stack and 512 MiB in total), and resumes them; with 500 threads this takes about
 * 10 ms. The caller must be allowed to ptrace the process. A process cannot trace itself, so the
 * calling process has no threads here. The library starts a thread for this, which has ended when
 * the function returns. Returns NOT_FOUND if there is no such process; UNREADABLE if the process
 * may not be traced; UNSUPPORTED on machines other than amd64 (with its 32-bit programs), aarch64
 * and s390x; NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_process(uint64_t pid,
                                                                     struct cairn_stacks **stacks,
                                                                     struct cairn_error *error);

/*
 * Input size for inputs whose size is unknown or does not reflect their contents. Limits on work
 * and output are proportional to the size of the input; this number is used as the size of a
 * running process, and as the maximum size of a compressed stream.
 */
enum { CAIRN_STACKS_INPUT_WORTH = 1 << 25 };

/*
 * A core file whose bytes arrive in order, such as the output of a decompressor. read() and skip()
 * return less than the requested number only at the end.
 */
struct cairn_stacks_stream {
	size_t (*read)(void *context, void *buffer, size_t size);
	uint64_t (*skip)(void *context, uint64_t size);
	/*
	 * Return the maximum number of bytes that the library may keep of the data read so far.
	 * NULL sets no limit.
	 */
	uint64_t (*allow)(void *context);
	void *context;
	/* the input is compressed, so limits treat it as at most CAIRN_STACKS_INPUT_WORTH bytes */
	bool packed;
};

/*
 * Source for cairn_stacks_open(), and the callbacks and files that it uses. Initialize with
 * CAIRN_STACKS_OPTIONS.
 */
struct cairn_stacks_options {
	size_t size;

	/* Source: the first of the following members that is set. */
	uint64_t pid;                             /* process ID of a running process */
	const struct cairn_stacks_stream *stream; /* stream that cairn_stacks_open() reads */
	/* the whole core file or minidump, borrowed until the stacks are closed */
	struct cairn_bytes bytes;
	/*
	 * path of a core file or minidump; if `stream` or `bytes` is set, the path that they come
	 * from, or NULL
	 */
	const char *path;
	/* open descriptor of a core file or minidump; used if has_fd is set */
	bool has_fd;
	int fd;

	/* path of a file that may belong to the program or another module, or NULL */
	const char *program;
	/* maximum number of frames per stack; 0 derives a limit from the size of the input */
	uint64_t frames;

	/*
	 * Search options for files and names; NULL selects CAIRN_SYMBOLIZER_OPTIONS. Only
	 * directories, sysroot, files, fetch, and CAIRN_SKIP_SYSTEM and CAIRN_SKIP_CACHE in `skip`,
	 * are used.
	 */
	const struct cairn_symbolizer_options *search;
	/* symbol sources in addition to a symbolizer's built-in ones */
	const struct cairn_symbol_source *const *sources;
	size_t source_count;

	/*
	 * Decompress a compressed section in an ELF file, or the ELF file in its .gnu_debugdata,
	 * into a buffer of *size bytes allocated with malloc(). Returns OK on success. If NULL, the
	 * tables in such sections are not used.
	 */
	enum cairn_status (*unpack)(struct cairn_bytes file, const char *section, void **memory,
	                            size_t *size);
	/*
	 * Return descriptors for files that the host opened while the process was running: the file
	 * of the module whose first byte in memory is at `low`, and the process's jitdump or perf
	 * map. Each function returns a descriptor, which the library closes, or -1. NULL if the
	 * host has no such files.
	 */
	int (*open_module)(void *context, uint64_t low, struct cairn_bytes path);
	int (*open_jit)(void *context);
	/*
	 * Return a thread's name if the host knows it (a core contains no thread names), otherwise
	 * an empty string. The string must live as long as the stacks. NULL disables the callback.
	 */
	struct cairn_bytes (*name_thread)(void *context, uint64_t tid);
	/*
	 * Called for each module whose headers are not in the core and whose file has not been
	 * found; `path` is empty if it is the program's file. NULL disables the callback.
	 */
	void (*missing)(void *context, struct cairn_bytes path);
	/* Called with the size of each file that is used, except for the source. */
	void (*opened)(void *context, uint64_t size);
	void *context;
	/*
	 * when reading a stream, also keep the registers in the form that cairn_minidump_write()
	 * needs, which takes 850 bytes per thread
	 */
	bool keep_registers;
};
#define CAIRN_STACKS_OPTIONS CAIRN_SIZED(struct cairn_stacks_options)

/*
 * Open the source that the options describe. The three functions above are shorthands for this
 * function, which fails with the same statuses. The bytes and strings in the options must live as
 * long as the stacks, unlike `stream`, `search` and `sources`. The caller closes *stacks.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open(
	const struct cairn_stacks_options *options, struct cairn_stacks **stacks,
	struct cairn_error *error);

/*
 * Check that the file in options->program belongs to the program or to another module. The build
 * IDs are compared, or the headers if there is no build ID. Call this after walking the stacks,
 * because walks find modules that the source does not list. Returns OK if the file belongs to a
 * module, and also if options->program is NULL. Otherwise the file is ignored from now on, and
 * *error has the reason: UNREADABLE with errno if the file cannot be opened, MISMATCH if no module
 * has its build ID, MALFORMED, TRUNCATED or UNSUPPORTED if it is not an ELF file that cairn reads.
 */
CAIRN_API enum cairn_status cairn_stacks_check_program(struct cairn_stacks *stacks,
                                                       struct cairn_error *error);

/* Free the stacks and all data that the functions below return. NULL is allowed. */
CAIRN_API void cairn_stacks_close(struct cairn_stacks *stacks);

#ifdef __cplusplus
}
#endif

#endif
