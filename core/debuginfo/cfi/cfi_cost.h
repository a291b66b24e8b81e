/* SPDX-License-Identifier: MIT */
/*
 * How many bytes of call frame information libdw runs for an address, at the most.  It finds an entry of .eh_frame by the table of
 * .eh_frame_hdr, which may lead to bytes that are not an entry, or by reading one entry after the other, and runs it from its start.
 *
 *	struct cfi_cost cost;
 *	cfi_cost_open(&cost, file);
 *	... cfi_cost_at(&cost, va)
 *	cfi_cost_close(&cost);
 */
#ifndef CAIRN_DEBUGINFO_CFI_CFI_COST_H
#define CAIRN_DEBUGINFO_CFI_CFI_COST_H

#include <cairn.h>

struct cfi_cost {
	bool eh_frame; /* the entries are in .eh_frame, else in .debug_frame */
	/* ascending, without overlaps; empty where it is not known which entry an address leads to: it costs `most` then */
	struct cfi_cost_entry {
		uint64_t low, high; /* va of the code */
		uint64_t at, bytes; /* offset in the section, and size */
	} * list;
	size_t count, room;
	uint64_t most; /* what any address costs at the most */
};

/* When memory is short each address costs what the dearest one does. */
void cfi_cost_open(struct cfi_cost *cost, struct cairn_bytes file);
void cfi_cost_close(struct cfi_cost *cost);

uint64_t cfi_cost_at(const struct cfi_cost *cost, uint64_t va);

#endif
