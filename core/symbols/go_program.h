/* SPDX-License-Identifier: MIT */
/*
 * Finds the function table (pclntab) of a Go program in its ELF file, and the data outside the
 * table to which it refers. Works with and without section headers, and for position-independent
 * programs.
 *
 *	struct go_program program;
 *	if (go_program_open(file, &program, &fault) == CAIRN_OK)
 *		... gopclntab_find(&program.table, va, &index)
 *	go_program_close(&program);
 *
 * All addresses are link-time addresses. The table is not copied. However, position-independent
 * programs of Go 1.15 to 1.17 store the table's pointers as relocations, so these are copied to an
 * array.
 */
#ifndef CAIRN_SYMBOLS_GO_PROGRAM_H
#define CAIRN_SYMBOLS_GO_PROGRAM_H

#include "formats/elf/elf.h"
#include "formats/gopclntab.h"

enum {
	GO_SEGMENTS_MAX = 32, /* maximum number of loadable segments; linkers create about five */
	/* maximum number of candidates for the table and its moduledata; most programs need two */
	GO_TRIES_MAX = 256,
};

struct go_pointer {
	uint64_t va, value;
};

struct go_program {
	struct elf elf;
	struct gopclntab table;
	struct gopclntab_memory memory;
	struct elf_segment segment[GO_SEGMENTS_MAX];
	unsigned segments;
	struct cairn_bytes relocations;
	/* relocated pointers in ascending order; NULL to search `relocations` instead */
	struct go_pointer *pointer;
	size_t pointers;
	unsigned tries;
};

/*
 * Find the table. `*program` must not move until it is closed, and `file` is borrowed until then.
 * Returns NOT_FOUND if the file is not a Go program or not a linked ELF file; in this case the
 * program need not be closed. Returns MALFORMED, TRUNCATED or UNSUPPORTED for a damaged table;
 * fault->offset is a file offset.
 */
CAIRN_MUST_USE enum cairn_status go_program_open(struct cairn_bytes file,
                                                 struct go_program *program,
                                                 struct cairn_fault *fault);
void go_program_close(struct go_program *program);

#endif
