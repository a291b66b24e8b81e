/* SPDX-License-Identifier: MIT */
/* Readers shared by .eh_frame and .debug_frame: the length of an entry and the fields of a CIE. */
#ifndef CAIRN_FORMATS_EHFRAME_CIE_H
#define CAIRN_FORMATS_EHFRAME_CIE_H

#include "ehframe.h"

#include "base/reader.h"

/*
 * Read the length of an entry, which does not include the length field itself. Set *wide if the
 * entry has the 64-bit DWARF format.
 */
uint64_t cie_read_length(struct reader *in, bool *wide);

/*
 * Read all fields up to the instructions into *cie, which must be zeroed. The augmentation is
 * ignored after an unknown letter that follows 'R'. `debug` selects the form of .debug_frame.
 * `word` is the size of a target address in bytes, and `address` is the address of the reader's
 * first byte.
 */
void cie_read_fields(struct reader *in, bool debug, uint8_t word, uint64_t address,
                     struct ehframe_cie *cie);

#endif
