/* SPDX-License-Identifier: MIT */
/*
 * Finds the function table of a Go program in its ELF file, and the data outside the table that it
 * refers to. Works with and without sections, and for position-independent programs.
 *
 *	struct go_program program;
 *	if (go_program_open(file, &program, &fault) == CAIRN_OK)
 *		... gopclntab_find(&program.table, va, &index)
 *	go_program_close(&program);
 *
 * Addresses are as linked. The table is not copied. In a position-independent program of Go 1.15 to
 * 1.17 the table's pointers are stored as relocations, so these are copied.
 */
#ifndef CAIRN_SYMBOLS_SOURCES_GO_PROGRAM_H
#define CAIRN_SYMBOLS_SOURCES_GO_PROGRAM_H

#include "formats/elf/elf.h"
#include "formats/gopclntab.h"

enum {
	GO_SEGMENTS_MAX = 32, /* loaded segments; linkers produce about five */
	GO_TRIES_MAX = 256, /* candidates for the table or its moduledata; most programs need two */
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
	/* ascending; NULL to look pointers up in `relocations` */
	struct go_pointer *pointer;
	size_t pointers;
	unsigned tries;
};

/*
 * Find the table. `*program` must not move until it is closed, and `file` must remain valid as
 * long. Returns NOT_FOUND if the file is not a Go program or not a linked ELF file; nothing has to
 * be closed then. For a damaged table returns MALFORMED, TRUNCATED or UNSUPPORTED, with
 * fault->offset in the file.
 */
CAIRN_MUST_USE enum cairn_status go_program_open(struct cairn_bytes file,
                                                 struct go_program *program,
                                                 struct cairn_fault *fault);
void go_program_close(struct go_program *program);

#endif
