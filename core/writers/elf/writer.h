/* SPDX-License-Identifier: MIT */
/*
 * Functions in, one ELF object with symbol table and DWARF out: what any
 * debugger reads as if the program had been compiled with line tables.
 * docs/formats/symbol-object.md describes it.
 *
 *	struct elf_writer *writer = elf_writer_new(&options);
 *	struct function_sink sink = elf_writer_sink(writer);
 *	status = gsym_functions(&gsym, &sink, false, NULL);
 *	if (status == CAIRN_OK)
 *		status = elf_writer_finish(writer, &object, &size);
 *	... free(object)
 *	elf_writer_free(writer);
 *
 * Whatever functions come in, overlapping ones and twins among them, the object
 * is sound: no range of code is written twice.  The later start wins, of equal
 * starts the shorter function, of equal ranges the one with lines; the others
 * are cut, and stay as symbols.
 *
 * It knows nothing of types and variables, and reads nothing.
 */
#ifndef CAIRN_WRITERS_ELF_WRITER_H
#define CAIRN_WRITERS_ELF_WRITER_H

#include "model/function.h"
#include "writers/frames/frame_writer.h"

struct elf_writer_options {
	uint16_t machine;            /* e_machine */
	bool big, narrow;            /* byte order; class 32 */
	uint64_t shift;              /* added to every address; the sum may wrap */
	struct cairn_range keep;     /* va; functions that begin elsewhere are left out,
	                                and none reaches past it; empty: all are kept */
	struct cairn_bytes build_id; /* of the module; may be empty */
	bool by_clang; /* how statements are guessed for functions that do not record them */
	bool unwinds;  /* tables describe the frames of its code */
	size_t limit;  /* bytes of any one section; 0: ELF_WRITER_LIMIT */
	/* the module's own, borrowed; at most CAIRN_SECTIONS; 0: made up around the code */
	const struct cairn_section *section;
	size_t sections;
	uint64_t entry; /* va, by which readers see that sections are the same */
	bool for_lldb; /* names, sections and functions are as LLDB wants them, otherwise as GDB does */
	struct cairn_bytes program; /* with for_lldb: the whole ELF file, borrowed; may be empty */
	const struct frame_table *frames; /* of the program, borrowed; NULL: none */
	void (*poll)(void *context);      /* before each unit; may leave by an exception; or NULL */
	void *poll_context;
};

/* GDB counts in 32 bits here and there, and DWARF of this form does everywhere.
 */
#define ELF_WRITER_LIMIT ((size_t)1 << 30)

struct elf_writer;

/* NULL when memory is short.  Options are copied, the build ID is borrowed. */
struct elf_writer *elf_writer_new(const struct elf_writer_options *options);
void elf_writer_free(struct elf_writer *writer);

/*
 * One reader for each writer.  Texts must live until elf_writer_finish();
 * the sink fails with NO_MEMORY, also when the limit is reached.
 */
struct function_sink elf_writer_sink(struct elf_writer *writer);

/*
 * The object, in memory that the caller frees.  Call it once.  NOT_FOUND: there
 * was no function to write.
 */
CAIRN_MUST_USE enum cairn_status elf_writer_finish(struct elf_writer *writer, uint8_t **bytes,
                                                   size_t *size);

#endif
