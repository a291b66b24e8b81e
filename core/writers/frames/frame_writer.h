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
 * SFrame contains the CFA, the return address and the frame pointer. On amd64 the other
 * callee-saved registers are added where data flow analysis of the function (unwind/methods) proves
 * where they are. Otherwise they are marked as undefined, because debuggers assume that a register
 * without a rule is unchanged.
 *
 * Code that the program's .eh_frame describes is skipped, because .eh_frame is more complete. If
 * debuggers cannot find the .eh_frame because its section is missing its contents
 * are copied.
 */
#ifndef CAIRN_WRITERS_FRAMES_FRAME_WRITER_H
#define CAIRN_WRITERS_FRAMES_FRAME_WRITER_H

#include "base/byte_buffer.h"
#include "formats/elf/elf.h"

enum {
	FRAME_WRITER_STUBS = 1 << 20, /* limit of PLT entries; each needs an FDE of 40 bytes */
	FRAME_WRITER_STEPS = 64, /* limit of data flow steps per byte of code; real code needs 3 */
	EH_FRAMES_TIMES = 8,     /* limit of the output per byte of the file; programs need 0.2 */
	/* Maximum size of an FDE that is duplicated for each stub, in bytes. */
	EH_FRAMES_STUB_PROGRAM = 64,
	EH_FRAMES_POLL = 1 << 8,
};

enum frame_function_kind {
	FRAME_FUNCTION,
	FRAME_FUNCTION_STUB,
	FRAME_FUNCTION_ENTRY, /* the entry point, which the tables do not contain */
};

struct frame_function {
	struct cairn_range range; /* addresses as linked (va) */
	enum frame_function_kind kind;
	/*
	 * Name from the file's symbol tables, borrowed from the file. May be empty. For a stub: the
	 * name of the called function.
	 */
	struct cairn_bytes name;
};

struct frame_writer_options {
	size_t limit;
	/* Called before each function; may leave by an exception; may be NULL. */
	void (*poll)(void *context);
	void *poll_context;
	/* Frames of JIT code only: functions that begin in one of these ranges are skipped. */
	const struct cairn_range *excluded;
	size_t excluded_count;
	/*
	 * A table generated for the program (cairn/sframe_file.h), used if the program does not
	 * have one. May be empty.
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
	struct frame_function *function; /* sorted and disjoint */
	size_t functions, room;
	uint64_t damaged; /* number of functions that could not be read completely */
	/* The first error; its offset refers to the table it was found in. */
	struct cairn_fault fault;
};

/*
 * Convert the tables of `file`, a complete ELF program or library. Return NOT_FOUND if debuggers
 * find the .eh_frame and there is no .sframe that adds anything, NO_MEMORY also if the limit is
 * reached, and MALFORMED or UNSUPPORTED if it is not an ELF file. *table may be finished in any
 * case.
 */
CAIRN_MUST_USE enum cairn_status frame_table_make(struct cairn_bytes file,
                                                  const struct frame_writer_options *options,
                                                  struct frame_table *table);
/*
 * Like frame_table_make(), but use the frame sizes in the function table of an amd64 Go program. Go
 * functions preserve no registers but the frame pointer, which that table does not describe. Return
 * NOT_FOUND for other programs.
 */
CAIRN_MUST_USE enum cairn_status frame_table_make_go(struct cairn_bytes file,
                                                     const struct frame_writer_options *options,
                                                     struct frame_table *table);

/*
 * Like frame_table_make(), but for JIT code on amd64. `file` is a jitdump or a perf map, and
 * addresses are run-time addresses. Return NOT_FOUND if no frames are described.
 */
CAIRN_MUST_USE enum cairn_status frame_table_make_jit(struct cairn_bytes file,
                                                      const struct frame_writer_options *options,
                                                      struct frame_table *table);

void frame_table_finish(struct frame_table *table);

#endif
