/* SPDX-License-Identifier: MIT */
/*
 * The frames of a program's file as a .debug_frame section, for debuggers that read only DWARF.
 *
 *	struct frame_table table;
 *	status = frame_table_make(file, &options, &table);
 *	... table.section, table.function[0 .. table.functions)
 *	frame_table_finish(&table);
 *
 * SFrame has the CFA, the return address and the frame pointer.  On amd64 the other registers that
 * calls preserve are added where the function's code proves where they are (unwind/methods), and are
 * undefined where it does not: a register without a rule would pass for unchanged.
 *
 * Code that the program's .eh_frame describes is left out, because that knows more; but where no section of that name
 * shows a debugger the .eh_frame (eh_frames.h), what that has is copied.
 */
#ifndef CAIRN_WRITERS_FRAMES_FRAME_WRITER_H
#define CAIRN_WRITERS_FRAMES_FRAME_WRITER_H

#include "base/byte_buffer.h"
#include "formats/elf/elf.h"

enum {
	FRAME_WRITER_STUBS = 1 << 20, /* blocks of PLTs; each costs an FDE of 40 bytes */
	FRAME_WRITER_STEPS = 64, /* of the data flow for each byte of code; real code needs 3 */
};

enum frame_function_kind {
	FRAME_FUNCTION,
	FRAME_FUNCTION_STUB,  /* one block of a PLT */
	FRAME_FUNCTION_ENTRY, /* the entry point, which is in no table */
};

/* Code with an FDE. */
struct frame_function {
	struct cairn_range range; /* va */
	enum frame_function_kind kind;
	/* in the symbol tables of the file, borrowed from it; may be empty.  Of a stub: what it calls */
	struct cairn_bytes name;
};

struct frame_writer_options {
	size_t limit;                /* bytes of the section */
	void (*poll)(void *context); /* before each function; may leave by an exception; or NULL */
	void *poll_context;
	/* of code that a process has made: functions that begin in one of these are left out */
	const struct cairn_range *excluded;
	size_t excluded_count;
	/* made for the program (cairn/sframe_file.h), whose table counts if the program has none; may be empty */
	struct cairn_bytes sframe_file;
};

static inline bool frame_writer_leaves_out(const struct frame_writer_options *options, uint64_t va)
{
	for (size_t i = 0; i < options->excluded_count; i++)
		if (va - options->excluded[i].low <
		    options->excluded[i].high - options->excluded[i].low)
			return true;
	return false;
}

struct frame_table {
	struct byte_buffer section;
	struct frame_function *function; /* ascending, apart from each other */
	size_t functions, room;
	uint64_t damaged;         /* functions that could not be read whole, */
	struct cairn_fault fault; /* and what is wrong with the first, by the offset in its table */
};

/*
 * `file` is the whole ELF file of a program or library.  NOT_FOUND: debuggers find the
 * .eh_frame, and there is no .sframe, or one that has nothing beyond that.  NO_MEMORY: also when the limit is reached.  MALFORMED and
 * UNSUPPORTED: it is not an ELF file.  Whatever the outcome, *table may be finished.
 */
CAIRN_MUST_USE enum cairn_status frame_table_make(struct cairn_bytes file,
                                                  const struct frame_writer_options *options,
                                                  struct frame_table *table);
/*
 * The same of the sizes of frames in a Go program's table, on amd64.  Go's functions keep no registers but the frame
 * pointer, about which the table has nothing.  NOT_FOUND: it is not such a program.
 */
CAIRN_MUST_USE enum cairn_status frame_table_make_go(struct cairn_bytes file,
                                                     const struct frame_writer_options *options,
                                                     struct frame_table *table);

/*
 * The same of code that a process has made, on amd64: `file` is a jitdump or a perf map, and addresses are those of the
 * process.  NOT_FOUND: nothing is known of any frame.
 */
CAIRN_MUST_USE enum cairn_status frame_table_make_jit(struct cairn_bytes file,
                                                      const struct frame_writer_options *options,
                                                      struct frame_table *table);

/* Adds a function; false when memory is short. */
bool frame_table_add(struct frame_table *table, struct cairn_range range,
                     enum frame_function_kind kind);

/* Puts names of the file's own symbol tables to the functions that begin where a symbol of code does. */
void frame_table_name_functions(const struct elf *elf, struct frame_table *table);

void frame_table_finish(struct frame_table *table);

#endif
