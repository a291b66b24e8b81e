/* SPDX-License-Identifier: MIT */
/* The row of call frame information that a step goes by. */
#ifndef CAIRN_UNWIND_METHODS_CFI_ROW_H
#define CAIRN_UNWIND_METHODS_CFI_ROW_H

#include "formats/ehframe/cfi_rules.h"
#include "unwind/step/step.h"

/* The row for the step's pc, in u->space->entries; false: there is none, and the step has stopped. */
bool unwind_find_cfi_row(struct unwind_context *u, struct cfi_row *row);

/* Sets the step's rule, method and function by the row that was found. */
void unwind_describe_cfi_row(struct unwind_context *u, const struct cfi_row *row);

#endif
