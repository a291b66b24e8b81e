/* SPDX-License-Identifier: MIT */
/* The part of function_builder.h that hands a function over. */
#ifndef CAIRN_DEBUGINFO_FUNCTIONS_FUNCTION_EMIT_H
#define CAIRN_DEBUGINFO_FUNCTIONS_FUNCTION_EMIT_H

#include "function_builder.h"

/* All functions of an entry whose end was reached, one for each range. */
bool harvest_give(struct harvest *harvest, const struct harvest_open *open);

/* Takes steps from the budget; false when it is used up. */
bool harvest_spend(struct harvest *harvest, uint64_t steps);

/* Draws what a function costs to keep; false when the budget is used up. */
bool harvest_draw(struct harvest *harvest, const struct function *function);

/* Memory is short: false. */
bool harvest_short(struct harvest *harvest);

#endif
