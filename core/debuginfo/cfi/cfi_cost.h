/* SPDX-License-Identifier: MIT */
/*
 * Returns an upper bound of the bytes of call frame information that libdw executes for an address.
 * libdw finds an entry of .eh_frame through the table in .eh_frame_hdr, which may point to bytes
 * that are not an entry, or by reading the entries in sequence, and runs it from its start.
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
	bool eh_frame; /* the entries are in .eh_frame rather than .debug_frame */
	/*
	 * Ascending and disjoint. Empty if it is unknown which entry an address leads to; an
	 * address then costs `most`.
	 */
	struct cfi_cost_entry {
		uint64_t low, high;
		uint64_t at, bytes;
	} * list;
	size_t count, room;
	uint64_t most; /* maximum cost of any address */
};

/* List the entries. If memory is short, every address gets the maximum cost. */
void cfi_cost_open(struct cfi_cost *cost, struct cairn_bytes file);
void cfi_cost_close(struct cfi_cost *cost);

uint64_t cfi_cost_at(const struct cfi_cost *cost, uint64_t va);

#endif
