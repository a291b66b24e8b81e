/* SPDX-License-Identifier: MIT */
/*
 * Converts rules of call frame information to SFrame rows, and determines why if that is
 * impossible. DWARF expressions are supported if they are a register plus an offset or the memory
 * there, and if they have the form that describes all entries of a PLT by the pc.
 */
#ifndef CAIRN_WRITERS_SFRAME_PLACES_H
#define CAIRN_WRITERS_SFRAME_PLACES_H

#include "formats/ehframe/cfi.h"
#include "formats/sframe/write.h"

enum { PLACES_BLOCK = 16 }; /* size in bytes of a PLT entry on amd64 */

/* Conversion result of a row of call frame information. */
struct places {
	/* With two rows, their starts are relative to a repeating block. */
	struct sframe_written_row row[2];
	unsigned rows;               /* 0 if SFrame cannot express the rule */
	enum cairn_sframe_loss loss; /* reason if `rows` is 0 */
};

/* Return the reason in reports for a refusal of the SFrame encoder. */
enum cairn_sframe_loss places_name_refusal(enum sframe_refusal refusal);

struct places places_find(const struct sframe_format *format, const struct ehframe_cie *cie,
                          const struct cfi_row *row);

#endif
