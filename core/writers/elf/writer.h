/* SPDX-License-Identifier: MIT */
/*
 * Functions in, one ELF object with symbol table and DWARF out: what any
 * debugger reads as if the program had been compiled with line tables.
 * docs/formats/symbol-object.md describes it.
 *
 *	struct elf_writer *writer = elf_writer_new(&options, NULL, 0);
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

/* GDB counts in 32 bits here and there, and DWARF of this form does everywhere.
 */
#define ELF_WRITER_LIMIT ((size_t)1 << 30)

struct elf_writer;

/*
 * Options are copied; what they point to is borrowed.  Of them `jit`, `sframe_file` and `excluded` are the caller's
 * affair, and `program` is looked at with for_lldb alone.  The frames of the program are borrowed; NULL: none.  No
 * section has more than `limit` bytes; 0: ELF_WRITER_LIMIT.  NULL when memory is short.
 */
struct elf_writer *elf_writer_new(const struct cairn_object_options *options,
                                  const struct frame_table *frames, size_t limit);
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
