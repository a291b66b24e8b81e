/* SPDX-License-Identifier: MIT */
/*
 * Creates placeholders for the files of a minidump's modules, so that debuggers without cairn can
 * walk all of its stacks. A module without a file, or code outside of all modules, gets an ELF file
 * with symbols and call frame information for the frames in it. If a module has a file whose call
 * frame information does not cover all frames, the module gets a copy of the file with rules added.
 *
 *	struct placeholders made;
 *	if (placeholders_make(&made, stacks, "/tmp/a.core.modules"))
 *		... made.file[0 .. made.count), which the modules of the snapshot now use
 *	placeholders_finish(&made);
 */
#ifndef CAIRN_PROCESS_CAPTURE_PLACEHOLDERS_H
#define CAIRN_PROCESS_CAPTURE_PLACEHOLDERS_H

#include "base/byte_buffer.h"
#include "formats/elf/append.h"
#include "process/stacks/stacks.h"

enum { FRAME_ROWS_MAX = 1 << 16 };

/*
 * Call frame information for the frames at one address, whose callers a debugger without cairn
 * would not find: the distance from the stack pointer to the CFA, and the locations of the return
 * address and of the caller's frame pointer.
 */
struct frame_row {
	uint64_t lookup; /* exact pc, or an address inside the call, for lookups */
	/* distances from the stack pointer and the frame pointer to the CFA */
	uint64_t from_sp, from_fp;
	bool has_sp, has_fp; /* the distance is known and equal in all frames at this address */
	bool ends;
	struct cairn_rule rule;
	/* Name of the function at the address, or empty if unknown. Borrowed from the stacks. */
	struct cairn_bytes function;
	uint64_t start;
};

struct frame_rows {
	struct frame_row *row; /* sorted by address, without duplicates */
	size_t count, capacity;
	/* number of rows left out because another frame at the same address has a different one */
	uint64_t ambiguous;
	uint64_t left_out;
	bool full;
	bool scarce;
};

struct placeholder_file {
	char *path;
	/* complete file, or bytes to append to a copy of the module's file */
	struct byte_buffer made;
	uint8_t *append;
	struct cairn_bytes part[ELF_APPEND_PARTS];
	size_t parts;
};

struct placeholders {
	struct cairn_stacks *stacks;
	const char *directory;
	struct frame_rows rows;
	struct placeholder_file *file;
	size_t count, capacity;
	/* snapshot's original modules while `exchanged` is set */
	struct snapshot_module *modules;
	size_t module_count, module_capacity;
	bool exchanged;
	bool scarce;
};

/*
 * Walk all threads and create the files. Return false if allocation fails. Call
 * placeholders_finish() in either case. Until then the snapshot uses a modified copy of its
 * modules, so do not walk stacks.
 */
bool placeholders_make(struct placeholders *placeholders, struct cairn_stacks *stacks,
                       const char *directory);

void placeholders_finish(struct placeholders *placeholders);

#endif
