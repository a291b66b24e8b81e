/* SPDX-License-Identifier: MIT */
/*
 * The call frame information of a file, entry by entry in ascending order of the code that they
 * describe: those of .eh_frame, and of .debug_frame those for other code.
 *
 *	struct frame_entries all;
 *	status = frame_entries_open(&elf, debug_frame, &all);
 *	for (size_t i = 0; status == CAIRN_OK && i < all.count; i++)
 *		if (frame_entries_read(&all, &all.list[i], &cie, &fde, &fault) == CAIRN_OK)
 *			...
 *	frame_entries_finish(&all);
 */
#ifndef CAIRN_WRITERS_SFRAME_ENTRIES_H
#define CAIRN_WRITERS_SFRAME_ENTRIES_H

#include "base/allowance.h"
#include "formats/ehframe/ehframe.h"
#include "formats/elf/elf.h"

/* Bytes of CIEs that are read, or whose instructions are run, for their FDEs.  Real files need 1 a byte. */
enum { FRAME_ENTRIES_WORK_BASE = 1 << 24, FRAME_ENTRIES_WORK_FACTOR = 64 };

/* An FDE, by the va of its code. */
struct frame_entry {
	uint64_t low, high;
	uint64_t at;     /* of the FDE in its section */
	bool debug;      /* it is in .debug_frame */
	bool overlapped; /* another entry of the same section describes some of the code, too */
};

struct frame_entries {
	struct cairn_bytes eh_frame, debug_frame; /* borrowed; empty: there is none */
	uint64_t eh_address;                      /* va of .eh_frame */
	bool big;
	struct frame_entry *list; /* ascending by low */
	size_t count, room;
	uint64_t damaged;         /* entries whose code is not known, */
	struct cairn_fault fault; /* and what is wrong with the first */
	struct allowance work;    /* what may still be done */
	/* the CIE that was read last: most entries share a few */
	/* of a relocatable file: where code is that a field of .eh_frame leads to, ascending by field */
	struct frame_relocation {
		uint64_t field, va;
	} * relocation;
	size_t relocations, relocation_room;
	bool relocatable;
	bool has_cie;
	uint64_t cie_at;
	struct ehframe_cie cie;
};

/* `debug_frame`: in place of the file's own, unless it is empty.  NO_MEMORY is the only failure. */
enum cairn_status frame_entries_open(const struct elf *elf, struct cairn_bytes debug_frame,
                                     struct frame_entries *all);
void frame_entries_finish(struct frame_entries *all);

/* *cie is good until the next call. */
CAIRN_MUST_USE enum cairn_status frame_entries_read(struct frame_entries *all,
                                                    const struct frame_entry *entry,
                                                    const struct ehframe_cie **cie,
                                                    struct ehframe_fde *fde,
                                                    struct cairn_fault *fault);

#endif
