/* SPDX-License-Identifier: MIT */
/* Converts an input to GSYM in memory. cairn_functions_write_gsym() writes a file. */
#ifndef CAIRN_WRITERS_GSYM_CREATE_H
#define CAIRN_WRITERS_GSYM_CREATE_H

#include "debuginfo/function_source.h"
#include "writer.h"

/*
 * Build a complete GSYM file, which the caller frees. With `merged`, functions that share a range
 * are merged into one entry, so that all of them are kept. *error is set unless CAIRN_OK is
 * returned. Damage in the input is not an error; the caller checks origin->damaged.
 */
CAIRN_MUST_USE enum cairn_status gsym_build_image(struct cairn_functions *origin, bool merged,
                                                  struct gsym_output *output,
                                                  struct cairn_error *error);

#endif
