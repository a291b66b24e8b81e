/* SPDX-License-Identifier: MIT */
/*
 * The entries of .debug_frame, the call frame information that only debuggers read: which addresses
 * its FDEs cover.  It is .eh_frame with other ids: a CIE has all ones, an FDE the offset of its CIE.
 *
 *	struct debug_frame frames = debug_frame_open(bytes, big, 8);
 *	while ((status = debug_frame_next(&frames, &start, &size, &fault)) == CAIRN_OK)
 *		...
 */
#ifndef CAIRN_FORMATS_DEBUG_FRAME_H
#define CAIRN_FORMATS_DEBUG_FRAME_H

#include "ehframe.h"

struct debug_frame {
	struct cairn_bytes bytes; /* the section, borrowed */
	bool big;
	uint8_t word; /* bytes of an address where a CIE does not give the size: as the ELF class has it */
	size_t at;     /* of the next entry */
	size_t fde;    /* of the FDE that debug_frame_next() gave last */
	bool has_cie;  /* the one read last, which FDEs mostly share */
	uint64_t cie;  /* its offset */
	uint8_t width; /* of an address of its FDEs, in bytes */
};

struct debug_frame debug_frame_open(struct cairn_bytes bytes, bool big, uint8_t word);

/*
 * The range of the next FDE, as linked.  NOT_FOUND: there is no further one.  TRUNCATED, MALFORMED
 * and UNSUPPORTED: *fault gives the reason, by the offset in the section; the next call goes on past that
 * entry, where its end is known (frames->at has moved then).
 */
CAIRN_MUST_USE enum cairn_status debug_frame_next(struct debug_frame *frames, uint64_t *start,
                                                  uint64_t *size, struct cairn_fault *fault);

/*
 * The FDE at an offset of the section, with its CIE, for cfi_rules_find(). Their bytes are the section's, and
 * their faults count from its first byte. Either result is untouched when it fails.
 */
CAIRN_MUST_USE enum cairn_status debug_frame_read(struct cairn_bytes section, bool big,
                                                  uint8_t word, uint64_t at,
                                                  struct ehframe_cie *cie, struct ehframe_fde *fde,
                                                  struct cairn_fault *fault);

#endif
