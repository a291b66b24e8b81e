/* SPDX-License-Identifier: MIT */
/*
 * Writes functions to an ELF object with a symbol table and DWARF, which any debugger reads as if
 * the program had been compiled with line tables. docs/formats/symbol-object.md describes the
 * object.
 *
 *	struct elf_writer *writer = elf_writer_new(&options, NULL, 0);
 *	struct function_sink sink = elf_writer_sink(writer);
 *	status = gsym_functions(&gsym, &sink, false, NULL);
 *	if (status == CAIRN_OK)
 *		status = elf_writer_finish(writer, &object, &size);
 *	... free(object)
 *	elf_writer_free(writer);
 *
 * The object is valid for any input, including overlapping and identical functions: no range of
 * code is written twice. Where functions overlap, the code belongs to the one that starts last;
 * among equal starts, to the shortest; among equal ranges, to one with lines. The other functions
 * lose that code, but keep their symbols.
 *
 * Types and variables are not described. The writer does no I/O.
 */
#ifndef CAIRN_WRITERS_ELF_OBJECT_WRITER_H
#define CAIRN_WRITERS_ELF_OBJECT_WRITER_H

#include "base/function.h"
#include "writers/frames/frame_writer.h"

/* Maximum size of a section. GDB stores some sizes in 32 bits, and so does 32-bit DWARF. */
#define ELF_WRITER_LIMIT ((size_t)1 << 30)

struct elf_writer;

/*
 * Create a writer. Options are copied, but their pointers are borrowed. The caller handles `jit`,
 * `sframe_file` and `excluded`; `program` is used only with `for_lldb`. `frames` is borrowed and
 * may be NULL. No section becomes larger than `limit` bytes; 0 selects ELF_WRITER_LIMIT. Returns
 * NULL if allocation fails.
 */
struct elf_writer *elf_writer_new(const struct cairn_object_options *options,
                                  const struct frame_table *frames, size_t limit);
void elf_writer_free(struct elf_writer *writer);

/*
 * Return a sink that receives the functions of a single reader. Strings must be valid until
 * elf_writer_finish(). The sink returns NO_MEMORY, or LIMIT if a section would exceed the limit.
 */
struct function_sink elf_writer_sink(struct elf_writer *writer);

/*
 * Write the object to memory that the caller frees. Must be called only once. Returns NOT_FOUND if
 * there is no function to write.
 */
CAIRN_MUST_USE enum cairn_status elf_writer_finish(struct elf_writer *writer, uint8_t **bytes,
                                                   size_t *size);

#endif
