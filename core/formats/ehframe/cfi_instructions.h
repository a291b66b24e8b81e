/* SPDX-License-Identifier: MIT */
/*
 * Call frame instructions one after the other, without running them: where each ends, and where it moves
 * the location to.  For copies of a program; cfi_rules.h runs one.
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
	uint64_t location; /* that the next instruction is for */
};

struct cfi_instruction {
	struct cairn_bytes bytes; /* with its operands */
	bool moves;               /* it changes the location, and nothing else */
};

struct cfi_instructions cfi_instructions_open(const struct ehframe_cie *cie,
                                              const struct ehframe_source *source, size_t program,
                                              uint64_t start);

/* False at the end, and where an instruction cannot be read: MALFORMED when locations do not ascend, UNSUPPORTED
 * when its length is not known. */
bool cfi_instructions_next(struct cfi_instructions *all, struct cfi_instruction *is);

#endif
