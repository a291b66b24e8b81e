/* SPDX-License-Identifier: MIT */
/*
 * Reads the entries of .debug_frame, call frame information that only debuggers use, and the
 * addresses that its FDEs cover. The format is .eh_frame with different ids: all ones for a CIE,
 * the offset of the CIE for an FDE.
 *
 *	struct debug_frame frames = debug_frame_open(bytes, big, 8);
 *	while ((status = debug_frame_next(&frames, &start, &size, &fault)) == CAIRN_OK)
 *		...
 */
#ifndef CAIRN_FORMATS_DEBUG_FRAME_H
#define CAIRN_FORMATS_DEBUG_FRAME_H

#include "ehframe.h"

struct debug_frame {
	struct cairn_bytes bytes; /* borrowed contents of the section */
	bool big;
	/* address size in bytes from the ELF class, used if a CIE does not contain it */
	uint8_t word;
	size_t at;  /* offset of the next entry */
	size_t fde; /* offset of the FDE that debug_frame_next() returned last */
	/* `cie` and `width` are valid; they cache the last CIE, because most FDEs share one */
	bool has_cie;
	uint64_t cie;  /* offset of the last CIE */
	uint8_t width; /* address size in the FDEs of that CIE, in bytes */
};

struct debug_frame debug_frame_open(struct cairn_bytes bytes, bool big, uint8_t word);

/*
 * Read the range of the next FDE, as linked. Return CAIRN_NOT_FOUND after the last one. For other
 * failures, *fault has the reason and the offset in the section. If the end of the failed entry is
 * known, frames->at has moved and the next call continues after it.
 */
CAIRN_MUST_USE enum cairn_status debug_frame_next(struct debug_frame *frames, uint64_t *start,
                                                  uint64_t *size, struct cairn_fault *fault);

/*
 * Read the FDE at offset `at` of the section, and its CIE, for cfi_rules_find(). Their bytes are
 * borrowed from the section and their faults have section offsets. On failure neither *cie nor *fde
 * changes.
 */
CAIRN_MUST_USE enum cairn_status debug_frame_read(struct cairn_bytes section, bool big,
                                                  uint8_t word, uint64_t at,
                                                  struct ehframe_cie *cie, struct ehframe_fde *fde,
                                                  struct cairn_fault *fault);

#endif
