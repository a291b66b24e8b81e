/* SPDX-License-Identifier: MIT */
/* Which frames cairn answers GDB for, and what of them is kept until GDB's next question. */
#ifndef CAIRN_GDB_UNWINDER_UNWINDER_H
#define CAIRN_GDB_UNWINDER_UNWINDER_H

#include "frame_chain.h"
#include "memory_lines.h"

#include <cairn.h>

#include <gdb/jit-reader.h>

#include <time.h>

enum unwind_policy {
	UNWIND_POLICY_AUTO,   /* only where GDB has no call frame information */
	UNWIND_POLICY_ALWAYS, /* wherever there is SFrame */
	UNWIND_POLICY_OFF,
};

struct side_files; /* common/symbols/side_files.h */

/* The frame whose caller GDB was given: it asks for its identity next. */
struct unwound_frame {
	bool valid;
	struct cairn_registers frame;
	struct gdb_frame_id id;
};

struct unwinder {
	struct cairn_space *space;
	gdb_target_read *target_read; /* of the call in progress */
	struct memory_lines lines;    /* likewise, and of the ones that it follows */
	struct frame_chain chain;
	enum unwind_policy policy;
	enum cairn_machine machine; /* of the frame that was recognised last */
	bool big_endian;
	uint64_t home; /* a pc in a module of that machine: the lowest, where programs are */
	unsigned unrecognized_frames; /* frames since then that were not recognised */
	uint64_t asked_at;            /* when the last one of these was looked at */
	bool like_amd64;              /* it has registers as amd64 has them */
	struct unwound_frame answered;
	char *const
		*directories; /* of files made for modules, "DIR:DIR"; *directories may be NULL */
	const struct side_files *side_files; /* those that the user named */
	int gdb_major;                       /* 0: not known */
	/* of the process's JIT code, which GDB has with rules; NULL: it makes none that we know of */
	const struct cairn_symbols *made_code;
	/*
	 * Is it a stack that was made of a captured text?  In it nothing is known but what leads from frame to frame.  It is asked
	 * while captures are shown.
	 */
	bool (*is_captured)(void *context, uint64_t sp);
	void *captured_context;
	const size_t *captures;
	bool made_code_has_rules; /* those of a jitdump; of a perf map they are the chain of frame pointers */
};

/*
 * The machine, byte order and pc of the frame that GDB asks about: certain, because code of that
 * machine is there.  Its other registers are not read.  False: not a frame of ours.
 */
bool identify_frame(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                    struct cairn_registers *frame);

/*
 * The same for a frame without code, as a call through a null or garbage pointer leaves it, by where
 * that call returns to.  All its registers are read.  For commands: GDB knows such frames itself.
 */
bool identify_frame_after_call(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                               struct cairn_registers *frame);

/* Nanoseconds since some moment; 0: there is no clock. */
static inline uint64_t unwinder_clock(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What to give GDB for the frame; false to let it ask its other unwinders. */
bool unwind_frame_registers(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                            struct cairn_step *step);

/* Was the last frame answered a moment ago?  Then GDB asks for its identity. */
bool unwind_frame_just_answered(struct unwinder *u);

/* The identity of the frame that was answered last; false: this is another one. */
bool unwind_frame_id(struct unwinder *u, struct gdb_unwind_callbacks *cb, struct gdb_frame_id *id);

#endif
