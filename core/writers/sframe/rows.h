/* SPDX-License-Identifier: MIT */
/* A table of SFrame as a row table. */
#ifndef CAIRN_WRITERS_SFRAME_ROWS_H
#define CAIRN_WRITERS_SFRAME_ROWS_H

#include <cairn.h>

/*
 * Replaces the file with an SFrame table in *made by a row table with its rules.  What a row cannot say moves from
 * `written` to `left_out`.  When it fails, the file is as it was.
 */
enum cairn_status rows_make(struct cairn_sframe_file *made,
                            const struct cairn_sframe_options *options, struct cairn_fault *fault);

#endif
