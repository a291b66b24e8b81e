/* SPDX-License-Identifier: MIT */
/*
 * Files that stand in for the modules of a minidump, so that debuggers without cairn can walk all
 * of its stacks. A module without a file, or code outside of all modules, gets an ELF file with
 * names and rules for the frames in it. A module with a file whose frames are not covered by its
 * call frame information gets a copy of the file with rules added.
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

enum { FRAME_ROWS_MAX = 1 << 16 }; /* maximum number of rows; further rows are dropped */

/*
 * The frames at one address from which debuggers without cairn would not find the callers: the
 * distance from the stack pointer to the CFA, and the location of the return address and of the
 * caller's frame pointer.
 */
struct frame_row {
	uint64_t lookup;           /* address to look up: inside the call, or exact */
	uint64_t from_sp, from_fp; /* distance of the CFA from the registers of the frame */
	bool has_sp, has_fp;       /* the distance is equal in all frames at this address */
	bool ends;                 /* the caller is unknown */
	struct cairn_rule rule;
	/* Function at the address; empty if unknown. Borrowed from the stacks. */
	struct cairn_bytes function;
	uint64_t start;
};

struct frame_rows {
	struct frame_row *row; /* sorted by unique addresses */
	size_t count, room;
	/* Addresses for which no single distance leads to the callers of all frames. */
	uint64_t ambiguous;
	uint64_t left_out;
	bool full; /* no more rows are accepted */
	bool scarce;
};

struct placeholder_file {
	char *path;              /* owned */
	struct byte_buffer made; /* the complete file, or the bytes to append to a copy */
	uint8_t *append;
	struct cairn_bytes part[ELF_APPEND_PARTS]; /* consecutive parts of the file */
	size_t parts;
};

struct placeholders {
	struct cairn_stacks *stacks;
	const char *folder;
	struct frame_rows rows;
	struct placeholder_file *file;
	size_t count, room;
	/* the snapshot's own modules while `exchanged` */
	struct snapshot_module *modules;
	size_t module_count, module_room;
	bool exchanged; /* the snapshot has a modified copy of its modules */
	bool scarce;
};

/*
 * Walk all threads and create the files. Until placeholders_finish() the snapshot has a modified
 * copy of its modules, so stacks must not be walked in between. Return false if memory is short;
 * placeholders_finish() must be called in either case.
 */
bool placeholders_make(struct placeholders *placeholders, struct cairn_stacks *stacks,
                       const char *folder);

/* Restore the modules of the snapshot and free the files. */
void placeholders_finish(struct placeholders *placeholders);

#endif
