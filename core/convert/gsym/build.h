/* SPDX-License-Identifier: MIT */
/* From an input to a GSYM writer: what all share who make GSYM of one. */
#ifndef CAIRN_CONVERT_GSYM_BUILD_H
#define CAIRN_CONVERT_GSYM_BUILD_H

#include "convert/source/functions.h"
#include "writers/gsym/writer.h"

/* The options that an input asks for; those left out are 0. */
struct gsym_writer_options gsym_build_options(const struct function_source *origin);

/*
 * Reads the input into the writer and puts its functions in order; *error says why it returns another status than OK.
 * Damage in the input is left to the caller, see origin->damaged.
 */
CAIRN_MUST_USE enum cairn_status gsym_build(struct function_source *origin,
                                            struct gsym_writer *writer, struct cairn_error *error);

/* The same, to a whole file in memory, to be freed by the caller; with `merged`, all functions of the same code. */
CAIRN_MUST_USE enum cairn_status gsym_build_image(struct function_source *origin, bool merged,
                                                  struct gsym_output *output,
                                                  struct cairn_error *error);

/* Writes the input, a program, with a section .gsym to the output, which may be the same file. */
CAIRN_MUST_USE enum cairn_status gsym_embed(const struct function_source *origin,
                                            struct cairn_bytes gsym,
                                            const struct functions_output *output);

/* With several `jobs` a file at a path is written from several places at once. */
CAIRN_MUST_USE enum cairn_status gsym_stream(const struct gsym_outline *outline,
                                             const struct functions_output *output,
                                             const char *suffix, uint64_t jobs);

#endif
