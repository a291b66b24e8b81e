/* SPDX-License-Identifier: MIT */
/*
 * State of the interpreter of call frame instructions, which stops at the row that contains an
 * address.
 */
#ifndef CAIRN_FORMATS_CFI_RUN_H
#define CAIRN_FORMATS_CFI_RUN_H

#include "cfi_rules.h"

#include "base/reader.h"

struct cfi_run {
	struct reader in;
	const struct ehframe_cie *cie;
	const struct ehframe_source *source;
	const struct cfi_row *initial; /* NULL while the CIE's own program runs */
	struct cfi_row *row;
	struct cfi_register_rule unkept; /* receives rules for untracked columns */
	uint64_t va;
	bool done;     /* the row is complete: it ends after va */
	uint64_t next; /* valid if done: start of the next row, possibly past the FDE */
	unsigned remembered;
	/* stack of CFI_REMEMBERED elements, of which `remembered` are initialized */
	struct cfi_row *memory;
};

/* Move to the first instruction, at offset `program` of the source. */
void cfi_run_begin(struct cfi_run *r, const struct ehframe_source *source, size_t program);

/*
 * Run until a location past r->va or the end of the program. The offset in *fault is relative to
 * the section.
 */
CAIRN_MUST_USE enum cairn_status cfi_run_on(struct cfi_run *r, struct cairn_fault *fault);

#endif
