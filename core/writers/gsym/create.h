/* SPDX-License-Identifier: MIT */
/* GSYM of an input, in memory; cairn_functions_write_gsym() writes it to a file. */
#ifndef CAIRN_WRITERS_GSYM_CREATE_H
#define CAIRN_WRITERS_GSYM_CREATE_H

#include "debuginfo/source/function_source.h"
#include "writer.h"

/*
 * Make a whole file, which the caller frees; with `merged` it has all functions of the same code.  *error says why another
 * status than OK is returned.  Damage in the input is left to the caller: see origin->damaged.
 */
CAIRN_MUST_USE enum cairn_status gsym_build_image(struct cairn_functions *origin, bool merged,
                                                  struct gsym_output *output,
                                                  struct cairn_error *error);

#endif
