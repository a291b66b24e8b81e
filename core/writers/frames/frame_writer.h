/* SPDX-License-Identifier: MIT */
/*
 * Converts the unwind tables of a program to a .debug_frame section, for debuggers that only read
 * DWARF.
 *
 *	struct frame_table table;
 *	status = frame_table_make(file, &options, &table);
 *	... table.section, table.function[0 .. table.functions)
 *	frame_table_finish(&table);
 *
 * SFrame contains the CFA, the return address and the frame pointer. On amd64, we add rules for the
 * other callee-saved registers if data flow analysis of the function (unwind/step/flow.h) proves
 * where they are saved. Otherwise their rule is `undefined`, because debuggers assume that a
 * register without a rule is unchanged.
 *
 * Code that the program's .eh_frame describes is skipped, because .eh_frame is more complete. If
 * the section header of .eh_frame is missing, debuggers cannot find the table, so its contents are
 * copied.
 */
#ifndef CAIRN_WRITERS_FRAMES_FRAME_WRITER_H
#define CAIRN_WRITERS_FRAMES_FRAME_WRITER_H

#include "base/byte_buffer.h"
#include "formats/elf/elf.h"

enum {
	/* maximum number of PLT stubs, each of which needs an FDE of 40 bytes */
	FRAME_WRITER_STUBS = 1 << 20,
	FRAME_WRITER_STEPS = 64, /* maximum data flow steps per code byte; real code needs 3 */
	/* maximum size of CIEs and FDEs read or written per byte of the file; programs need 0.2 */
	EH_FRAMES_TIMES = 8,
	/* maximum size in bytes of FDE instructions to duplicate for each PLT stub */
	EH_FRAMES_STUB_PROGRAM = 64,
	EH_FRAMES_POLL = 1 << 8,
};

enum frame_function_kind {
	FRAME_FUNCTION,
	FRAME_FUNCTION_STUB,
	FRAME_FUNCTION_ENTRY, /* code at the program's entry point, if no unwind table covers it */
};

struct frame_function {
	struct cairn_range range;
	enum frame_function_kind kind;
	/*
	 * Name from the symbol tables, borrowed from the file; may be empty. For a PLT stub, the
	 * name of the called function.
	 */
	struct cairn_bytes name;
};

struct frame_writer_options {
	size_t limit;
	/* called at regular intervals; may throw an exception; may be NULL */
	void (*poll)(void *context);
	void *poll_context;
	/* functions of JIT code that begin in one of these ranges are skipped */
	const struct cairn_range *excluded;
	size_t excluded_count;
	/*
	 * SFrame table generated for the program (cairn/sframe_file.h), used if the program lacks
	 * one; may be empty.
	 */
	struct cairn_bytes sframe_file;
};

static inline bool frame_writer_excludes(const struct frame_writer_options *options, uint64_t va)
{
	for (size_t i = 0; i < options->excluded_count; i++)
		if (va - options->excluded[i].low <
		    options->excluded[i].high - options->excluded[i].low)
			return true;
	return false;
}

struct frame_table {
	struct byte_buffer section;
	struct frame_function *function;
	size_t functions, capacity;
	uint64_t damaged; /* number of functions that could not be read completely */
	/* first error; its offset is relative to the table that contains it */
	struct cairn_fault fault;
};

/*
 * Convert the tables of `file`, a complete ELF program or library. Returns NOT_FOUND if debuggers
 * can find the .eh_frame section and an SFrame table would add nothing to it, NO_MEMORY if
 * allocation fails or the output exceeds options->limit, and MALFORMED or UNSUPPORTED if the file
 * is not an ELF file. frame_table_finish() may be called after any status.
 */
CAIRN_MUST_USE enum cairn_status frame_table_make(struct cairn_bytes file,
                                                  const struct frame_writer_options *options,
                                                  struct frame_table *table);
/*
 * Create a frame table like frame_table_make(), but from the frame sizes in the function table of
 * an amd64 Go program. Go functions preserve no registers but the frame pointer, which that table
 * does not describe. Returns NOT_FOUND for other programs.
 */
CAIRN_MUST_USE enum cairn_status frame_table_make_go(struct cairn_bytes file,
                                                     const struct frame_writer_options *options,
                                                     struct frame_table *table);

/*
 * Create a frame table like frame_table_make(), but for JIT code on amd64. `file` is a jitdump or a
 * perf map, and addresses are run-time addresses. Returns NOT_FOUND if the file describes no
 * frames.
 */
CAIRN_MUST_USE enum cairn_status frame_table_make_jit(struct cairn_bytes file,
                                                      const struct frame_writer_options *options,
                                                      struct frame_table *table);

void frame_table_finish(struct frame_table *table);

#endif
