/* SPDX-License-Identifier: MIT */
/*
 * cairn: minidumps of programs. It is what `cairn minidump` does: of a core of gigabytes, or a running process, what
 * shows the stacks elsewhere is a file of some hundred kilobytes.
 */
#ifndef CAIRN_INCLUDE_MINIDUMP_H
#define CAIRN_INCLUDE_MINIDUMP_H

#include <cairn/base.h>
#include <cairn/stacks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a minidump is to be, and where its bytes go. Begin with CAIRN_MINIDUMP_OPTIONS, and set `write`. */
struct cairn_minidump_options {
	size_t size;   /* sizeof(struct cairn_minidump_options) */
	uint32_t time; /* seconds since 1970, which the file records; 0: none */
	/* Takes the next bytes of the file. It returns 0, or an errno value, which ends the call with UNREADABLE. */
	int (*write)(void *context, const void *bytes, size_t size);
	void *context;
};
#define CAIRN_MINIDUMP_OPTIONS                                       \
	{                                                            \
		sizeof(struct cairn_minidump_options), 0, NULL, NULL \
	}

/* What became of it. Set `size` before the call. */
struct cairn_minidump_summary {
	size_t size; /* sizeof(struct cairn_minidump_summary) */
	uint64_t threads, modules;
	uint64_t whole;  /* threads whose stacks are there up to their outermost frames */
	uint64_t bytes;  /* of the file */
	uint64_t memory; /* bytes of memory in it */
};

/*
 * Writes a minidump of Linux: all threads with their registers, the crashed one first, the modules with their build
 * IDs, the signal, the mappings and the auxiliary vector; of memory the vDSO and the stacks. A stack that can be walked
 * is there from below its stack pointer up to its outermost frame; of another one up to 32 KiB are there, less if there
 * are many, and of the thread that crashed up to 8 MiB; all together have at most 64 MiB. The walks end that of
 * cairn_stacks_begin(). `summary` and `error` may be NULL. Returns UNSUPPORTED if the program is not of amd64 or aarch64, or the
 * stacks are of a minidump; UNREADABLE with error->system if a write failed; NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_minidump_write(
	struct cairn_stacks *stacks, const struct cairn_minidump_options *options,
	struct cairn_minidump_summary *summary, struct cairn_error *error);

#ifdef __cplusplus
}
#endif

#endif
