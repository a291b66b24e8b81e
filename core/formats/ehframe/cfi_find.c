/* SPDX-License-Identifier: MIT */
/* Runs the instructions of an FDE, for the row of one address or for all rows in turn. */
#include "cfi_walk.h"

#include "base/fault.h"

enum {
	COLUMN_RISCV_SIGNAL = 64,  /* return address column: the pc of an interrupted function */
	COLUMN_PPC_LINK = 65,      /* return address column: the link register */
	COLUMN_PPC_LINK_108 = 108, /* the link register as gcc numbers it in .debug_frame */
};

/*
 * Find the element of cfi_row.reg[] for the return address. A known column beyond CFI_REGISTERS
 * uses the last element. Return false for an unknown column.
 */
static bool find_return_place(uint64_t column, unsigned *place)
{
	const bool kept = column < CFI_REGISTERS;

	*place = kept ? (unsigned)column : CFI_REGISTERS - 1;
	return kept || column == COLUMN_PPC_LINK || column == COLUMN_PPC_LINK_108 ||
	       column == COLUMN_RISCV_SIGNAL;
}

static enum cairn_status reject_fde(const struct ehframe_fde *fde, enum cairn_status status,
                                    const char *what, struct cairn_fault *fault)
{
	*fault = (struct cairn_fault){ status, fde->source.address - fde->source.section, what };
	return status;
}

/* Run the CIE's program, which creates *first, the initial row of its FDEs. */
static enum cairn_status run_cie(struct cfi_run *r, const struct ehframe_fde *fde,
                                 struct cfi_row *first, struct cairn_fault *fault)
{
	const struct ehframe_cie *cie = r->cie;

	if (fde->start + fde->size < fde->start)
		return reject_fde(fde, CAIRN_MALFORMED, "the range of an FDE wraps", fault);
	*first = (struct cfi_row){ .start = fde->start, .end = fde->start + fde->size };
	if (!find_return_place(cie->ra, &first->ra))
		return reject_fde(fde, CAIRN_UNSUPPORTED,
		                  "the return address is in an unknown column", fault);
	r->row = first;
	cfi_run_begin(r, &cie->source, cie->program);
	return cfi_run_on(r, fault);
}

/* Switch from the CIE's program to the FDE's. The row is built in *row. */
static void turn_to_fde(struct cfi_run *r, const struct ehframe_fde *fde,
                        const struct cfi_row *first, struct cfi_row *row)
{
	*row = *first;
	r->initial = first;
	r->row = row;
	r->remembered = 0;
	cfi_run_begin(r, &fde->source, fde->program);
}

enum cairn_status cfi_rules_find(const struct ehframe_cie *cie, const struct ehframe_fde *fde,
                                 uint64_t va, struct cfi_row *row, struct cairn_fault *fault)
{
	struct cfi_row first;
	/* uninitialized because clearing it would take longer than running most programs */
	struct cfi_row memory[CFI_REMEMBERED];
	struct cfi_run r = { .cie = cie, .va = va, .memory = memory };

	if (fde->start + fde->size >= fde->start && va - fde->start >= fde->size)
		return reject_fde(fde, CAIRN_NOT_FOUND, "the FDE does not cover the address",
		                  fault);
	enum cairn_status status = run_cie(&r, fde, &first, fault);
	if (status != CAIRN_OK)
		return status;
	turn_to_fde(&r, fde, &first, row);
	return cfi_run_on(&r, fault);
}

enum cairn_status cfi_walk_open(struct cfi_walk *walk, const struct ehframe_cie *cie,
                                const struct ehframe_fde *fde, struct cairn_fault *fault)
{
	walk->run = (struct cfi_run){ .cie = cie, .va = fde->start, .memory = walk->memory };
	walk->end = fde->start + fde->size;
	walk->over = true;
	enum cairn_status status = run_cie(&walk->run, fde, &walk->first, fault);
	if (status != CAIRN_OK)
		return status;
	turn_to_fde(&walk->run, fde, &walk->first, &walk->row);
	walk->run.next = fde->start;
	walk->over = fde->size == 0;
	return CAIRN_OK;
}

enum cairn_status cfi_walk_next(struct cfi_walk *walk, struct cairn_fault *fault)
{
	struct cfi_run *r = &walk->run;

	if (walk->over) {
		return fault_set(fault, CAIRN_NOT_FOUND, "the last row was read");
	}
	walk->row.start = r->va = r->next;
	walk->row.end = walk->end;
	r->done = false;
	enum cairn_status status = cfi_run_on(r, fault);
	walk->over = status != CAIRN_OK || !r->done || r->next >= walk->end;
	return status;
}
