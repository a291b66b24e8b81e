/* SPDX-License-Identifier: MIT */
/*
 * Reads the call frame information of one address, its FDE and CIE, whole from the target. The
 * buffers belong to the space because the host may leave a read by an exception.
 */
#ifndef CAIRN_UNWIND_TABLES_FDE_READER_H
#define CAIRN_UNWIND_TABLES_FDE_READER_H

#include "cfi_coverage.h"

#include "formats/ehframe/cfi.h"

enum {
	FDE_READER_ENTRY_MAX = 1 << 16, /* largest CIE or FDE that is run, in bytes */
	FDE_READER_READ_FIRST = 256, /* size of the first read, which suffices for most entries */
};

struct fde_reader {
	uint8_t cie_bytes[FDE_READER_ENTRY_MAX], fde_bytes[FDE_READER_ENTRY_MAX];
	struct ehframe_cie cie;
	struct ehframe_fde fde;
};

/* Linked addresses of .eh_frame, of an FDE in it, and of code that the FDE covers. */
struct fde_reader_query {
	uint64_t section, fde, va;
};

/* Read both entries to entries->cie and entries->fde, with their instructions not yet run. */
CAIRN_MUST_USE enum cairn_status fde_reader_read(struct fde_reader *entries,
                                                 const struct cfi_memory *view,
                                                 const struct fde_reader_query *question,
                                                 struct cairn_fault *fault);

/*
 * Read both entries and find the row in force, which points into `entries`. Fault offsets are
 * relative to the section.
 */
CAIRN_MUST_USE enum cairn_status fde_reader_read_row(struct fde_reader *entries,
                                                     const struct cfi_memory *view,
                                                     const struct fde_reader_query *question,
                                                     struct cfi_row *row,
                                                     struct cairn_fault *fault);

#endif
