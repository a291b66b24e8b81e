/* SPDX-License-Identifier: MIT */
/*
 * A row table: unwind rules as one flat, sorted array for profilers that map it as it is and bisect it, such as those in
 * eBPF.  docs/formats/rowtable.md describes it.
 *
 *	struct rowtable table;
 *	if (rowtable_open(bytes, &table, &fault) == CAIRN_OK &&
 *	    rowtable_find(&table, va, &rule) == CAIRN_OK)
 *		... rule.cfa, rule.ra, rule.fp
 *
 * The bytes stay borrowed, and nothing is allocated.  Opening checks every row once.
 */
#ifndef CAIRN_FORMATS_ROWTABLE_H
#define CAIRN_FORMATS_ROWTABLE_H

#include "base/sink.h"

#include <cairn.h>

enum {
	ROWTABLE_HEADER = 64, /* bytes */
	ROWTABLE_ROW = 16,
	ROWTABLE_ID_MAX = 64,
};

struct rowtable {
	struct cairn_bytes bytes;
	bool big;
	enum cairn_machine machine;
	uint64_t base; /* va that starts count from */
	uint64_t rows;
	size_t rows_at;              /* offset of the first row */
	struct cairn_bytes build_id; /* of the program; may be empty */
};

/* MALFORMED, TRUNCATED or UNSUPPORTED: no such table; *fault has the offset. */
enum cairn_status rowtable_open(struct cairn_bytes bytes, struct rowtable *table,
                                struct cairn_fault *fault);

/* The rule at `va`, and for which addresses it holds.  NOT_FOUND: there is none. */
enum cairn_status rowtable_find(const struct rowtable *table, uint64_t va, struct cairn_rule *rule);

/* Can a row say the rule?  `loss` is what it fails in. */
bool rowtable_can_say(const struct cairn_rule *rule, enum cairn_sframe_loss *loss);

/* What precedes the rows: ROWTABLE_HEADER bytes, the build ID and padding up to a multiple of 16. */
void rowtable_write_head(struct sink *out, const struct rowtable *table);

/* One row from `start` on, which counts from the base; `rule` NULL: nothing is known there. */
void rowtable_write_row(struct sink *out, bool big, uint32_t start, const struct cairn_rule *rule);

#endif
