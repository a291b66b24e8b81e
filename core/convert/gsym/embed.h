/* SPDX-License-Identifier: MIT */
/* Puts GSYM into a section of the program that it is about. */
#ifndef CAIRN_CONVERT_GSYM_EMBED_H
#define CAIRN_CONVERT_GSYM_EMBED_H

#include "convert/source/functions.h"

/* Writes the input, a program, with a section .gsym to the output, which may be the same file. */
CAIRN_MUST_USE enum cairn_status gsym_embed(const struct function_source *origin,
                                            struct cairn_bytes gsym,
                                            const struct functions_output *output);

#endif
