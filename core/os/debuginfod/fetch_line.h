/* SPDX-License-Identifier: MIT */
/*
 * Writes and reads the line in which a worker's child reports its downloads since the last such
 * line. It is sent between answers, because an answer depends on its request and the store alone.
 *
 *	{"fetched":{"hit":0,"miss":1,"negative":0,"error":0,"bytes":4096,"evictions":0,"cache_bytes":4096}}
 *
 * A child reads hostile bytes, so its lines are untrusted too.
 */
#ifndef CAIRN_OS_DEBUGINFOD_FETCH_LINE_H
#define CAIRN_OS_DEBUGINFOD_FETCH_LINE_H

#include "counts.h"

#include <cairn.h>

#include <stdio.h>

/* Lines with a larger number are rejected. */
#define FETCH_COUNT_MAX ((uint64_t)1 << 48)

/* Write the counts by which `now` exceeds `before`, or nothing if they are equal. */
void fetch_line_write(FILE *out, const struct debuginfod_counts *now,
                      const struct debuginfod_counts *before);

/*
 * Add the counts of a line to `total`. Returns false, and leaves `total` unchanged, if the line is
 * of another kind or damaged.
 */
bool fetch_line_add(struct cairn_bytes line, struct debuginfod_counts *total);

#endif
