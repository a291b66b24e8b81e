/* SPDX-License-Identifier: MIT */
/*
 * The call frame information of one address: its FDE and CIE, read whole from the target.  The
 * memory they are read into belongs to the space, so that a read may be left by an exception.
 */
#ifndef CAIRN_UNWIND_CFI_FDE_READER_H
#define CAIRN_UNWIND_CFI_FDE_READER_H

#include "coverage.h"

#include "formats/ehframe/cfi_rules.h"

enum {
	FDE_READER_ENTRY_MAX = 1 << 16, /* bytes of one CIE or FDE that is run */
	FDE_READER_READ_FIRST = 256,    /* read at once, which is enough for most */
};

struct fde_reader {
	uint8_t cie_bytes[FDE_READER_ENTRY_MAX], fde_bytes[FDE_READER_ENTRY_MAX];
	struct ehframe_cie cie;
	struct ehframe_fde fde;
};

/* Addresses as linked: of .eh_frame, of an FDE in it, and one that the FDE covers, for its row. */
struct fde_reader_query {
	uint64_t section, fde, va;
};

/* Both entries, to entries->cie and entries->fde, with their instructions still to run. */
CAIRN_MUST_USE enum cairn_status fde_reader_read(struct fde_reader *entries,
                                                 const struct cfi_memory *view,
                                                 const struct fde_reader_query *question,
                                                 struct cairn_fault *fault);

/* The row in force; it points into `entries`.  Faults count from the section. */
CAIRN_MUST_USE enum cairn_status fde_reader_read_row(struct fde_reader *entries,
                                                     const struct cfi_memory *view,
                                                     const struct fde_reader_query *question,
                                                     struct cfi_row *row,
                                                     struct cairn_fault *fault);

#endif
