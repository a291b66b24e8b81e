/* SPDX-License-Identifier: MIT */
/*
 * Writes and reads the line by which a worker's child tells what it has fetched since the last such line. It stands between answers, because an
 * answer depends on its request and the store alone.
 *
 *	{"fetched":{"hit":0,"miss":1,"negative":0,"error":0,"bytes":4096,"evictions":0,"cache_bytes":4096}}
 *
 * A child reads hostile bytes, so that this line is untrusted, too.
 */
#ifndef CAIRN_OS_DEBUGINFOD_FETCH_LINE_H
#define CAIRN_OS_DEBUGINFOD_FETCH_LINE_H

#include "counts.h"

#include <cairn.h>

#include <stdio.h>

/* A line with a larger number is refused. */
#define FETCH_COUNT_MAX ((uint64_t)1 << 48)

/* Writes what `now` has beyond `before`; nothing where that is nothing. */
void fetch_line_write(FILE *out, const struct debuginfod_counts *now,
                      const struct debuginfod_counts *before);

/* Adds the numbers of a line to `total`. False: the line is another one or damaged, and `total` stays. */
bool fetch_line_add(struct cairn_bytes line, struct debuginfod_counts *total);

#endif
