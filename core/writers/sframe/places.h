/* SPDX-License-Identifier: MIT */
/*
 * The rules of call frame information as SFrame has them: which row says the same, and where no row
 * does.  Expressions are recognized where they are a register and an offset, or memory there; and one
 * that tells the entries of a PLT by the pc.
 */
#ifndef CAIRN_WRITERS_SFRAME_PLACES_H
#define CAIRN_WRITERS_SFRAME_PLACES_H

#include "formats/ehframe/cfi_rules.h"
#include "formats/sframe/write.h"

enum { PLACES_BLOCK = 16 }; /* bytes of an entry of such a PLT (amd64) */

/* What a row of call frame information becomes. */
struct places {
	struct sframe_written_row
		row[2]; /* their starts count in a block that repeats, if there are two */
	unsigned rows;  /* 0: none says it */
	enum cairn_sframe_loss loss; /* why not */
};

/* The reason that a report has for a refusal. */
enum cairn_sframe_loss places_name_refusal(enum sframe_refusal refusal);

struct places places_find(const struct sframe_format *format, const struct ehframe_cie *cie,
                          const struct cfi_row *row);

#endif
