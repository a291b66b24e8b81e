/* SPDX-License-Identifier: MIT */
/* Runs a program of call frame instructions until it has made the row that holds an address. */
#ifndef CAIRN_FORMATS_CFI_RUN_H
#define CAIRN_FORMATS_CFI_RUN_H

#include "cfi_rules.h"

#include "base/reader.h"

struct cfi_run {
	struct reader in;
	const struct ehframe_cie *cie;
	const struct ehframe_source *source;
	const struct cfi_row *initial; /* NULL: the CIE's own program runs */
	struct cfi_row *row;
	struct cfi_register_rule unkept; /* stands for columns that are not kept */
	uint64_t va;
	bool done;     /* the row ends after va */
	uint64_t next; /* where the next one begins then, which may be past the FDE */
	unsigned remembered;
	struct cfi_row *memory; /* room for CFI_REMEMBERED; only those remembered are set */
};

/* Goes to the first instruction of a program. */
void cfi_run_begin(struct cfi_run *r, const struct ehframe_source *source, size_t program);

/* Runs until a location past r->va, or the end.  Faults count from the section. */
CAIRN_MUST_USE enum cairn_status cfi_run_on(struct cfi_run *r, struct cairn_fault *fault);

#endif
