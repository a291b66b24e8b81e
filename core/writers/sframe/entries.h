/* SPDX-License-Identifier: MIT */
/*
 * Lists the call frame information of a file in address order: the FDEs in .eh_frame, and the FDEs
 * in .debug_frame for code that .eh_frame does not describe.
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

/*
 * Limit on the total size of CIEs, as a base plus a factor per byte of the file. A CIE is counted
 * each time it is read or its instructions are executed for an FDE. Real files need a factor of 1.
 */
enum { FRAME_ENTRIES_WORK_BASE = 1 << 24, FRAME_ENTRIES_WORK_FACTOR = 64 };

struct frame_entry {
	uint64_t low, high;
	uint64_t at;
	bool debug;
	bool overlapped; /* another FDE in the same section describes some of the same code */
};

struct frame_entries {
	struct cairn_bytes eh_frame, debug_frame; /* borrowed; empty if the section is missing */
	uint64_t eh_address;
	bool big;
	struct frame_entry *list;
	size_t count, capacity;
	uint64_t damaged; /* number of FDEs and other entries that could not be read */
	struct cairn_fault fault;
	struct allowance work;
	/*
	 * Relocations of .eh_frame in a relocatable file, sorted by `field`, the offset of the
	 * relocated field; `va` is the code address that the field refers to.
	 */
	struct frame_relocation {
		uint64_t field, va;
	} * relocation;
	size_t relocations, relocation_capacity;
	bool relocatable;
	/* last CIE read, cached because most FDEs share a few CIEs */
	bool has_cie;
	uint64_t cie_at;
	struct ehframe_cie cie;
};

/*
 * List all FDEs. `debug_frame`, unless empty, replaces the file's own .debug_frame section. Returns
 * CAIRN_OK or NO_MEMORY.
 */
enum cairn_status frame_entries_open(const struct elf *elf, struct cairn_bytes debug_frame,
                                     struct frame_entries *all);
void frame_entries_finish(struct frame_entries *all);

/* Read an FDE. *cie is valid until the next call. */
CAIRN_MUST_USE enum cairn_status frame_entries_read(struct frame_entries *all,
                                                    const struct frame_entry *entry,
                                                    const struct ehframe_cie **cie,
                                                    struct ehframe_fde *fde,
                                                    struct cairn_fault *fault);

#endif
