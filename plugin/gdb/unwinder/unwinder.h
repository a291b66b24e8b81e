/* SPDX-License-Identifier: MIT */
/* Chooses the frames that cairn unwinds for GDB, and keeps state between GDB's queries. */
#ifndef CAIRN_GDB_UNWINDER_UNWINDER_H
#define CAIRN_GDB_UNWINDER_UNWINDER_H

#include "unwinder/frame_chain.h"

#include <cairn.h>
#include <gdb/jit-reader.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/*
 * A cache of target memory that is valid during one query from GDB, because the target cannot
 * change while GDB waits for an answer.
 *
 * Each read from a remote target costs one packet of any size, and an unwinder reads a few bytes at
 * a time: code around a pc, words in a stack frame. Therefore reads fetch whole lines.
 */
enum {
	MEMORY_LINE = 256,     /* size of a line in bytes; divides every page size */
	MEMORY_LINES = 16,     /* number of cached lines; unwinding one frame needs fewer */
	MEMORY_LINE_READ = 64, /* maximum size of a read that goes through the cache */
	/*
	 * reads at the start of a page are not cached, because a search for module headers reads
	 * each page once
	 */
	MEMORY_LINE_PAGE = 4096
};

struct memory_lines {
	unsigned count, next;
	struct memory_line {
		uint64_t at;
		uint8_t bytes[MEMORY_LINE];
	} line[MEMORY_LINES];
};

/* Discard all lines. Called at the start of each query from GDB. */
void memory_lines_forget(struct memory_lines *lines);

bool memory_lines_read(struct memory_lines *lines, gdb_target_read *target_read, uint64_t address,
                       void *buffer, size_t size);

enum unwind_policy {
	UNWIND_POLICY_AUTO,   /* unwind frames for which GDB has no call frame information */
	UNWIND_POLICY_ALWAYS, /* unwind all frames that have SFrame data */
	UNWIND_POLICY_OFF,
};

struct side_files;

/* The last frame for which GDB has received a caller. GDB asks for this frame's id next. */
struct unwound_frame {
	bool valid;
	struct cairn_registers frame;
	struct gdb_frame_id id;
};

struct unwinder {
	struct cairn_space *space;
	gdb_target_read *target_read; /* valid during the current call */
	/*
	 * memory that has been read during the current call, and the backtrace that the call
	 * continues
	 */
	struct memory_lines lines;
	struct frame_chain chain;
	enum unwind_policy policy;
	enum cairn_machine machine; /* machine of the last recognized frame */
	bool big_endian;
	/* lowest pc that has been seen in a module for `machine`; usually in the program */
	uint64_t home;
	unsigned unrecognized_frames;
	uint64_t asked_at; /* time of the last check of an unrecognized target */
	bool like_amd64;   /* the unrecognized target's registers have the same sizes as amd64's */
	struct unwound_frame answered;
	/* directories with SFrame files, as "DIR:DIR"; *directories may be NULL */
	char *const *directories;
	const struct side_files *side_files;
	int gdb_major; /* major version of GDB, or 0 if unknown */
	/* symbols of JIT code, or NULL */
	const struct cairn_symbols *jit_code;
	/*
	 * Return true if the stack belongs to a capture that was converted from a textual
	 * backtrace. On such a stack only the data that links the frames is valid. Called only
	 * while captures are shown.
	 */
	bool (*is_captured)(void *context, uint64_t sp);
	void *captured_context;
	const size_t *captures;
	/* `jit_code` comes from a jitdump; a perf map contains no unwind rules */
	bool jit_code_has_rules;
};

/*
 * Identify the machine, byte order and pc of the frame that GDB asks about. The result is certain,
 * because the pc points to code for that machine. Reads no other registers. Returns false if cairn
 * does not handle the frame.
 */
bool identify_frame(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                    struct cairn_registers *frame);

/*
 * Identify the frame of a call through a null or garbage pointer by the call's return address.
 * Reads all registers. Used only by commands, because GDB unwinds such frames itself.
 */
bool identify_frame_after_call(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                               struct cairn_registers *frame);

/* Return monotonic time in nanoseconds, or 0 if no clock is available. */
static inline uint64_t unwinder_clock(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Find the frame's caller for GDB. Returns false if GDB must try its other unwinders. */
bool unwind_frame_registers(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                            struct cairn_step *step);

/* Return true if cairn has just unwound a frame, so that GDB now asks for its id. */
bool unwind_frame_just_answered(struct unwinder *u);

/*
 * Get the id of the frame that cairn unwound last. Returns false if GDB asks about a different
 * frame.
 */
bool unwind_frame_id(struct unwinder *u, struct gdb_unwind_callbacks *cb, struct gdb_frame_id *id);

#endif
