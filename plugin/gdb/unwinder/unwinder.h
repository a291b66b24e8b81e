/* SPDX-License-Identifier: MIT */
/* The choice of frames that cairn unwinds for GDB, and the state kept between GDB's queries. */
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
 * A cache of target memory that lasts for one query of GDB.
 *
 * A remote target costs one packet for each read, whatever its size, and an unwinder reads a few
 * bytes here and there: code around a pc, words of one stack frame. So whole lines around such
 * bytes are read and kept until the next query. While GDB waits for an answer, nothing changes the
 * target.
 */
enum {
	MEMORY_LINE = 256,     /* bytes; divides every page size */
	MEMORY_LINES = 16,     /* cached lines; a step to a caller needs fewer */
	MEMORY_LINE_READ = 64, /* largest read for which a line is fetched */
	/* a search reads the start of each page once, so caching it is useless */
	MEMORY_LINE_PAGE = 4096
};

struct memory_lines {
	unsigned count, next;
	struct memory_line {
		uint64_t at;
		uint8_t bytes[MEMORY_LINE];
	} line[MEMORY_LINES];
};

/* Discard all lines at the start of a query of GDB. */
void memory_lines_forget(struct memory_lines *lines);

/* Read `size` bytes at `address`. Returns false if they cannot be read. */
bool memory_lines_read(struct memory_lines *lines, gdb_target_read *target_read, uint64_t address,
                       void *buffer, size_t size);

enum unwind_policy {
	UNWIND_POLICY_AUTO,   /* only where GDB has no call frame information */
	UNWIND_POLICY_ALWAYS, /* wherever there is SFrame */
	UNWIND_POLICY_OFF,
};

struct side_files;

/* The last frame whose caller was given to GDB, which asks for the frame's id next. */
struct unwound_frame {
	bool valid;
	struct cairn_registers frame;
	struct gdb_frame_id id;
};

struct unwinder {
	struct cairn_space *space;
	gdb_target_read *target_read; /* for the call in progress */
	/* memory read for the call in progress and the calls that it continues */
	struct memory_lines lines;
	struct frame_chain chain;
	enum unwind_policy policy;
	enum cairn_machine machine; /* machine of the last recognized frame */
	bool big_endian;
	/* lowest pc seen in a module of that machine; the program is usually lowest */
	uint64_t home;
	unsigned unrecognized_frames; /* unrecognized frames since the last recognized one */
	uint64_t asked_at;            /* time of the last check of an unrecognized frame */
	bool like_amd64;              /* the registers of that frame have the sizes of amd64 */
	struct unwound_frame answered;
	/* directories with SFrame files, "DIR:DIR"; *directories may be NULL */
	char *const *directories;
	const struct side_files *side_files; /* SFrame files given by the user */
	int gdb_major;                       /* 0 if unknown */
	/* symbols of the process's JIT code, for which GDB has rules; NULL if unknown */
	const struct cairn_symbols *made_code;
	/*
	 * Return true if the stack was made from a captured text. On such a stack only the data
	 * that leads from frame to frame is valid. Called while captures are shown.
	 */
	bool (*is_captured)(void *context, uint64_t sp);
	void *captured_context;
	const size_t *captures;
	/*
	 * made_code comes from a jitdump; for a perf map there is only the chain of frame pointers
	 */
	bool made_code_has_rules;
};

/*
 * Identify the machine, byte order and pc of the frame in GDB's query. They are certain, because
 * code of that machine is at the pc. Other registers are not read. Returns false if cairn does not
 * handle the frame.
 */
bool identify_frame(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                    struct cairn_registers *frame);

/*
 * Identify a frame without code, as a call through a null or garbage pointer leaves it, by the
 * return address of that call. Reads all registers. Used for commands only, because GDB handles
 * such frames itself.
 */
bool identify_frame_after_call(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                               struct cairn_registers *frame);

/* Return monotonic time in nanoseconds, or 0 if there is no clock. */
static inline uint64_t unwinder_clock(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Find the caller of the frame for GDB. Returns false to let GDB try its other unwinders. */
bool unwind_frame_registers(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                            struct cairn_step *step);

/* Return true if the last frame was answered just now, so that GDB is asking for its id. */
bool unwind_frame_just_answered(struct unwinder *u);

/* Get the id of the frame that was answered last. Returns false if this is another frame. */
bool unwind_frame_id(struct unwinder *u, struct gdb_unwind_callbacks *cb, struct gdb_frame_id *id);

#endif
