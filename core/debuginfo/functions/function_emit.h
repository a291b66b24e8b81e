/* SPDX-License-Identifier: MIT */
/* The part of function_builder.h that hands a function over. */
#ifndef CAIRN_DEBUGINFO_FUNCTIONS_FUNCTION_EMIT_H
#define CAIRN_DEBUGINFO_FUNCTIONS_FUNCTION_EMIT_H

#include "function_builder.h"

/* All functions of an entry whose end was reached, one for each range. */
bool function_builder_emit(struct function_builder *builder,
                           const struct function_builder_open *open);

/* Draws what a function costs to keep; false when the budget is used up. */
bool function_builder_charge(struct function_builder *builder, const struct function *function);

#endif
