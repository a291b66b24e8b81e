/* SPDX-License-Identifier: MIT */
/*
 * Files that stand in for the modules of a minidump, so that debuggers without cairn walk all of its stacks: of a module without a
 * file an ELF file with names and rules for the frames in it, likewise of code that is in no module; of a module with a file whose
 * frames no call frame information describes a copy of the file that has it.
 *
 *	struct placeholders made;
 *	if (placeholders_make(&made, stacks, "/tmp/a.core.modules"))
 *		... made.file[0 .. made.count), and the modules of the snapshot have them as their files
 *	placeholders_finish(&made);
 */
#ifndef CAIRN_PROCESS_CAPTURE_PLACEHOLDERS_H
#define CAIRN_PROCESS_CAPTURE_PLACEHOLDERS_H

#include "base/byte_buffer.h"
#include "formats/elf/append.h"
#include "process/stacks/stacks.h"

enum { FRAME_ROWS_MAX = 1 << 16 }; /* further rows are left out */

/*
 * The frames at one address, which debuggers without cairn would not lead to their callers: the distance from the stack pointer to
 * the CFA, and where the return address and the caller's frame pointer are.
 */
struct frame_row {
	uint64_t lookup;           /* pc: inside the call, or exact */
	uint64_t from_sp, from_fp; /* the CFA, counted from the frame's registers */
	bool has_sp, has_fp;       /* the distance is the same in all frames */
	bool ends;                 /* no caller is known */
	struct cairn_rule rule;
	/* what is there; empty: not known.  It lives as long as the stacks */
	struct cairn_bytes function;
	uint64_t start; /* pc where that begins */
};

struct frame_rows {
	struct frame_row *row; /* ascending by address, which no two have */
	size_t count, room;
	uint64_t ambiguous; /* addresses at which one distance does not lead on from all frames */
	uint64_t left_out;  /* frames that have no row */
	bool full;          /* nothing more is taken */
	bool scarce;        /* memory is short */
};

struct placeholder_file {
	char *path;              /* owned */
	struct byte_buffer made; /* all of the file, or what is appended to a copy */
	uint8_t *append;         /* memory of `parts`; owned */
	struct cairn_bytes part[ELF_APPEND_PARTS]; /* the file, one after the other */
	size_t parts;
};

struct placeholders {
	struct cairn_stacks *stacks;
	const char *folder;
	struct frame_rows rows;
	struct placeholder_file *file;
	size_t count, room;
	/* those of the snapshot, which has others until the end */
	struct snapshot_module *modules;
	size_t module_count, module_room;
	bool exchanged; /* it has others now */
	bool scarce;    /* memory is short */
};

/*
 * Walks all threads, and makes the files. Until placeholders_finish() the snapshot's modules are others, so that the stacks are
 * not walked. False: memory is short; it has to be finished all the same.
 */
bool placeholders_make(struct placeholders *placeholders, struct cairn_stacks *stacks,
                       const char *folder);

/* The snapshot has its own modules again. */
void placeholders_finish(struct placeholders *placeholders);

#endif
