/* SPDX-License-Identifier: MIT */
/*
 * Iterates over call frame instructions without running them, and reports their bytes and the
 * location that they move to. Code that copies programs uses it; cfi_rules.h runs a program.
 *
 *	struct cfi_instructions all = cfi_instructions_open(&cie, &fde.source, fde.program, fde.start);
 *	struct cfi_instruction is;
 *	while (cfi_instructions_next(&all, &is))
 *		use(is.bytes, is.moves, all.location);
 */
#ifndef CAIRN_FORMATS_CFI_INSTRUCTIONS_H
#define CAIRN_FORMATS_CFI_INSTRUCTIONS_H

#include "ehframe.h"

#include "base/reader.h"

struct cfi_instructions {
	struct reader in;
	const struct ehframe_cie *cie;
	const struct ehframe_source *source;
	uint64_t location; /* location of the next instruction */
};

struct cfi_instruction {
	struct cairn_bytes bytes; /* opcode and operands */
	bool moves;               /* only changes the location */
};

struct cfi_instructions cfi_instructions_open(const struct ehframe_cie *cie,
                                              const struct ehframe_source *source, size_t program,
                                              uint64_t start);

/*
 * Read the next instruction into *is. Return false at the end or on failure. all->in has the fault:
 * CAIRN_MALFORMED if locations do not ascend, CAIRN_UNSUPPORTED if the length of an instruction is
 * unknown.
 */
bool cfi_instructions_next(struct cfi_instructions *all, struct cfi_instruction *is);

#endif
