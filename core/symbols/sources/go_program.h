/* SPDX-License-Identifier: MIT */
/*
 * The table of functions of a Go program, found in its ELF file, with what it refers to outside of
 * itself: sections or not, at a fixed address or not.
 *
 *	struct go_program program;
 *	if (go_program_open(file, &program, &fault) == CAIRN_OK)
 *		... gopclntab_find(&program.table, va, &index)
 *	go_program_close(&program);
 *
 * Addresses are those of the file as linked.  The table is not copied; of a position-independent
 * program of Go 1.15 to 1.17 its pointers are, because they are in the relocations.
 */
#ifndef CAIRN_SYMBOLS_SOURCES_GO_PROGRAM_H
#define CAIRN_SYMBOLS_SOURCES_GO_PROGRAM_H

#include "formats/elf/elf.h"
#include "formats/gopclntab/gopclntab.h"

enum {
	GO_SEGMENTS_MAX = 32, /* that are loaded; linkers make some five */
	GO_TRIES_MAX =
		256, /* of what looks like a table or its moduledata; most programs need two */
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
	struct cairn_bytes relocations; /* with addends */
	struct go_pointer *pointer; /* ascending; NULL: they are looked for in the relocations */
	size_t pointers;
	unsigned tries;
};

/*
 * `*program` may not move until it is closed; `file` is borrowed as long.  NOT_FOUND: it is not a Go program,
 * or not an ELF file that is linked; then nothing is to be closed.  A damaged table is MALFORMED, TRUNCATED
 * or UNSUPPORTED, and fault->offset is that in the file.
 */
CAIRN_MUST_USE enum cairn_status go_program_open(struct cairn_bytes file,
                                                 struct go_program *program,
                                                 struct cairn_fault *fault);
void go_program_close(struct go_program *program);

#endif
