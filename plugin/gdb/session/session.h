/* SPDX-License-Identifier: MIT */
/* What the module keeps between two calls of GDB. */
#ifndef CAIRN_GDB_SESSION_SESSION_H
#define CAIRN_GDB_SESSION_SESSION_H

#include "common/symbols/sources.h"
#include "protocol/call.h"
#include "symbols/debug_file_directory.h"
#include "unwinder/other_readers.h"
#include "unwinder/unwinder.h"

#include <cairn.h>

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

/* What was loaded when GDB was last asked for all modules; loading/linker_list.h. */
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
	struct unwinder unwinder;
	uint64_t poll_at; /* a byte that GDB can read, of the module whose symbols are read */
	enum { COLOR_AUTO, COLOR_ON, COLOR_OFF } color;

	struct other_readers others;
	struct sources sources;
	struct debug_file_directory directory;
	unsigned inherited_pipes; /* to others, that GDB was started with */
	struct linker_list glance;
	struct exchange exchange;
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

	struct trace trace;          /* of the command in progress */
	struct cairn_bytes recorded; /* the backtrace that is being shown; the space's */
	uint64_t length;             /* that was asked for; 0: to its end */
	unsigned length_word;        /* the first one of its expression, while GDB is asked; 0 */
	bool has_images;             /* it came with them */
	struct text markup;          /* the text that is being shown */
	uint64_t searched;           /* bytes */
};

#endif
