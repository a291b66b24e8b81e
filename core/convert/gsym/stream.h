/* SPDX-License-Identifier: MIT */
/* A GSYM file that is laid out, on its way to the output: it is never whole in memory. */
#ifndef CAIRN_CONVERT_GSYM_STREAM_H
#define CAIRN_CONVERT_GSYM_STREAM_H

#include "convert/source/functions.h"
#include "writers/gsym/writer.h"

/* With several `jobs` a file at a path is written from several places at once. */
CAIRN_MUST_USE enum cairn_status gsym_stream(const struct gsym_outline *outline,
                                             const struct functions_output *output,
                                             const char *suffix, uint64_t jobs);

#endif
