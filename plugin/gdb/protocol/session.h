/* SPDX-License-Identifier: MIT */
/* What the module keeps between two calls of GDB. */
#ifndef CAIRN_GDB_PROTOCOL_SESSION_H
#define CAIRN_GDB_PROTOCOL_SESSION_H

#include <cairn.h>

#include "channel.h"

#include "symbols/sources.h"
#include "unwinder/other_readers.h"

#include <gdb/jit-reader.h>

enum unwind_policy {
	UNWIND_POLICY_AUTO,   /* only where GDB has no call frame information */
	UNWIND_POLICY_ALWAYS, /* wherever there is SFrame */
	UNWIND_POLICY_OFF,
};

/*
 * Frames of one command, innermost or outermost: a stack of 8 MB that overflows has some 40,000, and a
 * spot takes half a kilobyte.
 */
enum { TRACE_MAX = 1 << 16 };

/* What is shown of one frame, or of one address. */
struct code_location {
	uint64_t pc;
	uint64_t lookup; /* what symbols are looked up with */
	uint64_t module_low, bias, cfa;
	enum cairn_stop stop; /* of the step to its caller */
	enum cairn_unwind_method rung;
	bool by_cfi, signal;
	bool inlined;       /* a call that was inlined into the function of the next spot */
	char function[256]; /* "name + offset", as GDB says it; empty when it does not know */
	char file[256];
	unsigned line;
	size_t same; /* the spot that has the same address: GDB is asked once */
};

struct trace {
	struct code_location *spots;
	size_t count, room;
	size_t level;   /* of the first */
	bool more;      /* it ends before the stack does */
	bool outermost; /* it was asked for from the other end */
};

/* The frame that GDB was told the caller of: it asks for its identity next. */
struct unwound_frame {
	bool valid;
	struct cairn_registers frame;
	struct gdb_frame_id id;
};

/* What was loaded when GDB was last asked for all modules; symbols/linker_list.h. */
struct linker_list {
	bool found; /* the place of the list */
	bool known; /* and what is in it */
	int inferior;
	bool big_endian;
	uint64_t program; /* where its headers are */
	uint64_t slot;    /* where the address of the dynamic linker's list stands */
	uint64_t hash;
};

struct session {
	struct cairn_space *space;
	gdb_target_read *target_read; /* of the call in progress */
	uint64_t poll_at; /* a byte that GDB can read, of the module whose symbols are read */
	enum unwind_policy policy;
	enum cairn_machine machine; /* of the frame that was recognised last */
	bool big_endian;
	uint64_t home;      /* its pc, in a module of that machine */
	unsigned strangers; /* frames since then that were not recognised */
	uint64_t asked_at;  /* when the last one of these was looked at, in ms */
	bool like_amd64;    /* it has registers as amd64 has them */
	struct unwound_frame answered;
	int gdb_major; /* 0: not told */
	enum { COLOR_AUTO, COLOR_ON, COLOR_OFF } color;

	struct other_readers others;
	struct sources sources;
	struct linker_list glance;
	struct channel channel;
	struct request kept; /* the command in progress; its words are in `words` */
	bool waiting;        /* for what a reply asked GDB to print */
	enum {
		PENDING_NOTHING,
		PENDING_FRAME_0,
		PENDING_NAME,  /* is there a symbol or a variable of this name? */
		PENDING_PLAIN, /* level and value, perhaps symbols */
		PENDING_LEVEL,
		PENDING_VALUE,
		PENDING_SYMBOLS,
		PENDING_FILES,
		PENDING_GDB_STATE, /* inferior and modules */
		PENDING_OWN,       /* does GDB have lines of its own? */
		PENDING_LOADED,
		PENDING_HOOKS,
		PENDING_FETCH /* from a symbol server */
	} asked;              /* last, in this command */

	struct text words, reply, line, expression, command;
	struct trace trace;          /* of the command in progress */
	struct cairn_bytes recorded; /* the backtrace that is being shown; the space's */
	uint64_t length;             /* that was asked for; 0: to its end */
	unsigned length_word;        /* the first one of its expression, while GDB is asked; 0 */
	bool has_images;             /* it came with them */
	struct text markup;          /* the text that is being shown */
	uint64_t searched;           /* bytes */
};

/*
 * The machine, byte order and pc of the frame that GDB asks about: certain, because code of that
 * machine lies there.  Its other registers are not read.  False: not a frame of ours.
 */
bool identify_frame(struct session *s, struct gdb_unwind_callbacks *cb,
                    struct cairn_registers *frame);

/*
 * The same for a frame without code, as a call through a null or garbage pointer leaves it, by where
 * that call returns to.  All its registers are read.  For commands: GDB knows such frames itself.
 */
bool identify_frame_after_call(struct session *s, struct gdb_unwind_callbacks *cb,
                               struct cairn_registers *frame);

/*
 * Is there nobody beyond this frame?  GDB 16 and newer stop there when the caller's pc is left
 * unset; older ones give up the whole command, and are given 0 instead.
 */
static inline bool step_ends(const struct session *s, const struct cairn_step *step)
{
	enum { STOPS_CLEANLY = 16 };
	return step->caller.pc == 0 && s->gdb_major >= STOPS_CLEANLY;
}

/* What to tell GDB of the frame; false to let it ask its other unwinders. */
bool unwind_frame_registers(struct session *s, struct gdb_unwind_callbacks *cb,
                            struct cairn_step *step);

/* The identity of the frame that was answered last; false: this is another one. */
bool unwind_frame_id(struct session *s, struct gdb_unwind_callbacks *cb, struct gdb_frame_id *id);

#endif
