/* SPDX-License-Identifier: MIT */
/* What entries of .eh_frame and .debug_frame have in common: the length, and the fields of a CIE. */
#ifndef CAIRN_FORMATS_EHFRAME_CIE_H
#define CAIRN_FORMATS_EHFRAME_CIE_H

#include "ehframe.h"

#include "base/reader.h"

/* The length of an entry, not counting its own bytes; *wide: it has 64 bits (DWARF's 64-bit form). */
uint64_t cie_read_length(struct reader *in, bool *wide);

/*
 * All fields up to the instructions, into *cie, which is zeroed.  What follows a letter that is not
 * known is not for us.  `debug`: as .debug_frame has them. `word`: bytes of an address of the program. `address`: of the
 * reader's first byte.
 */
void cie_read_fields(struct reader *in, bool debug, uint8_t word, uint64_t address,
                     struct ehframe_cie *cie);

#endif
