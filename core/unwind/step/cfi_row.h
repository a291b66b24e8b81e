/* SPDX-License-Identifier: MIT */
/* The row of call frame information for a step. */
#ifndef CAIRN_UNWIND_STEP_CFI_ROW_H
#define CAIRN_UNWIND_STEP_CFI_ROW_H

#include "formats/ehframe/cfi.h"
#include "step.h"

/*
 * Find the row for the step's pc; its entries are in u->space->entries. Return false and set the
 * stop reason if no row is found.
 */
bool unwind_find_cfi_row(struct unwind_context *u, struct cfi_row *row);

void unwind_describe_cfi_row(struct unwind_context *u, const struct cfi_row *row);

#endif
