/* SPDX-License-Identifier: MIT */
/*
 * A line between the answers of a worker's child: what it has fetched since the last such line. It is no part of an answer, which depends on
 * its request and the store alone.
 *
 *	{"fetched":{"hit":0,"miss":1,"negative":0,"error":0,"bytes":4096,"evictions":0,"cache_bytes":4096}}
 *
 * A child reads hostile bytes, so that such a line is untrusted as well.
 */
#ifndef CAIRN_OS_DEBUGINFOD_FETCH_LINE_H
#define CAIRN_OS_DEBUGINFOD_FETCH_LINE_H

#include "counts.h"

#include <cairn.h>

#include <stdio.h>

/* A larger number in a line is no count. */
#define FETCH_COUNT_MAX ((uint64_t)1 << 48)

/* Writes what `now` has beyond `before`; nothing where that is nothing. */
void fetch_line_write(FILE *out, const struct debuginfod_counts *now,
                      const struct debuginfod_counts *before);

/* Adds what the line says to `total`. False: it is no such line, and `total` is what it was. */
bool fetch_line_add(struct cairn_bytes line, struct debuginfod_counts *total);

#endif
