/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: writes minidumps of cores and processes, as `cairn minidump` does. A minidump
 * of a few hundred kilobytes is enough to show the stacks of a multi-gigabyte core, or of a running
 * process, on another machine.
 *
 *	struct cairn_minidump_options options = CAIRN_MINIDUMP_OPTIONS;
 *	options.write = write_file;
 *	options.context = out;
 *	if (cairn_stacks_open_process(1234, &stacks, &error) == CAIRN_OK) {
 *		status = cairn_minidump_write(stacks, &options, NULL, &error);
 *		cairn_stacks_close(stacks);
 *	}
 */
#ifndef CAIRN_INCLUDE_MINIDUMP_H
#define CAIRN_INCLUDE_MINIDUMP_H

#include <cairn/base.h>
#include <cairn/stacks.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Contents and destination of a minidump. Initialize with CAIRN_MINIDUMP_OPTIONS, and set `write`.
 */
struct cairn_minidump_options {
	size_t size;
	uint32_t time; /* time to record in the file, in seconds since 1970; 0 if unknown */
	/*
	 * Write the next bytes of the file. Returns 0, or an errno value, which ends the call with
	 * UNREADABLE.
	 */
	int (*write)(void *context, const void *bytes, size_t size);
	void *context;
};
#define CAIRN_MINIDUMP_OPTIONS CAIRN_SIZED(struct cairn_minidump_options)

/* Result of cairn_minidump_write(). The caller sets `size` to the size of this struct. */
struct cairn_minidump_summary {
	size_t size;
	uint64_t threads, modules;
	/* number of threads whose stacks have been saved up to their outermost frames */
	uint64_t whole;
	uint64_t bytes;  /* size of the file */
	uint64_t memory; /* number of bytes of the program's memory in the file */
};

/*
 * Write a Linux minidump. It contains all threads with their registers, the crashed one first; the
 * modules with their build IDs; the signal, the mappings and the auxiliary vector; and the contents
 * of the vDSO and the stacks. A stack that can be walked is saved from below its stack pointer up
 * to its outermost frame. At most 32 KiB of any other stack are saved, or less if there are many
 * such stacks, but up to 8 MiB if it belongs to the crashed thread. All stacks together take at
 * most 64 MiB. The call ends a walk begun by cairn_stacks_begin(). `summary` and `error` may be
 * NULL. Returns UNSUPPORTED if the program does not run on amd64 or aarch64, or the stacks come
 * from a minidump; UNREADABLE with error->system if a write fails; NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_minidump_write(
	struct cairn_stacks *stacks, const struct cairn_minidump_options *options,
	struct cairn_minidump_summary *summary, struct cairn_error *error);

#ifdef __cplusplus
}
#endif

#endif
