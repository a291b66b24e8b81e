/* SPDX-License-Identifier: MIT */
/* Finds the row of .eh_frame or .debug_frame for a step and translates it into a cairn_rule. */
#include "cfi_row.h"

#include "base/error.h"

#include "formats/ehframe/ehframe.h"
#include "unwind/tables/cfi_row_cache.h"
#include "unwind/tables/unwind_tables.h"

#include <stdlib.h>

/*
 * Return the space's CIE and FDE buffers, allocated on first use and owned by the space. Return
 * NULL if memory is short.
 */
static struct fde_reader *entries_of(struct unwind_context *u)
{
	struct cairn_space *space = u->space;

	if (!space->entries)
		space->entries = malloc(sizeof(*space->entries));
	if (!space->entries)
		u->step->fault = (struct cairn_fault){ CAIRN_NO_MEMORY, 0, "out of memory" };
	return space->entries;
}

static bool find_debug_row(struct unwind_context *u, uint64_t va, struct cfi_row *row)
{
	const struct debug_frame_index *index = u->module->debug_frame;
	uint64_t fde;

	if (!index || !debug_frame_index_find(index, va, &fde))
		return unwind_stop(u, CAIRN_STOP_NO_ROW);
	struct fde_reader *entries = entries_of(u);
	struct cairn_fault *fault = &u->step->fault;
	if (!entries ||
	    debug_frame_read(index->section, index->big, index->word, fde, &entries->cie,
	                     &entries->fde, fault) != CAIRN_OK ||
	    cfi_rules_find(&entries->cie, &entries->fde, va, row, fault) != CAIRN_OK)
		return unwind_stop(u, CAIRN_STOP_BAD_TABLE);
	return true;
}

/*
 * Return the row cache of a target that cannot change. Return NULL for other targets, or if memory
 * is short.
 */
static struct row_cache *rows_of(struct cairn_space *space)
{
	if (space->still && !space->rows)
		space->rows = calloc(1, sizeof(*space->rows));
	return space->rows;
}

bool unwind_find_cfi_row(struct unwind_context *u, struct cfi_row *row)
{
	struct row_cache *rows = rows_of(u->space);
	struct fde_reader_query question;

	if (!unwind_find_module(u))
		return false;
	question.va = u->va;
	if (rows && u->space->entries &&
	    row_cache_find(rows, u->module->number, question.va, u->space->entries, row))
		return true;
	const struct cfi_range *range = module_find_cfi(u->space, u->module, question.va);
	if (!range)
		return find_debug_row(u, question.va, row);
	const struct cfi_memory view = module_cfi_memory(u->space, u->module);
	question.section = u->module->cfi.frames;
	question.fde = range->fde;
	struct fde_reader *entries = entries_of(u);
	if (!entries ||
	    fde_reader_read_row(entries, &view, &question, row, &u->step->fault) != CAIRN_OK)
		return unwind_stop(u, CAIRN_STOP_BAD_TABLE);
	if (row->mangled && u->frame->machine != CAIRN_MACHINE_AARCH64) {
		fault_set_at(&u->step->fault, CAIRN_UNSUPPORTED, question.fde - question.section,
		             "an instruction of another machine");
		return unwind_stop(u, CAIRN_STOP_BAD_TABLE);
	}
	if (rows)
		row_cache_keep(rows, u->module->number, question.va, entries, row);
	return true;
}

/* Translate a rule kind. cairn_rule cannot express DWARF expressions, so they become UNDEFINED. */
static enum cairn_register_rule_kind translate_cfi_kind(enum cfi_rule_kind kind, bool kept)
{
	switch (kind) {
	case CFI_RULE_UNSET:
		return kept ? CAIRN_REGISTER_SAME_VALUE : CAIRN_REGISTER_UNDEFINED;
	case CFI_RULE_SAME:
		return CAIRN_REGISTER_SAME_VALUE;
	case CFI_RULE_OFFSET:
		return CAIRN_REGISTER_MEMORY;
	case CFI_RULE_VAL_OFFSET:
	case CFI_RULE_REGISTER:
		return CAIRN_REGISTER_VALUE;
	case CFI_RULE_UNDEFINED:
	case CFI_RULE_EXPRESSION:
	case CFI_RULE_VAL_EXPRESSION:
		break;
	}
	return CAIRN_REGISTER_UNDEFINED;
}

static struct cairn_register_rule translate_cfi_place(const struct cfi_register_rule *place,
                                                      bool kept)
{
	const uint16_t base = place->kind == CFI_RULE_REGISTER ? place->reg : CAIRN_BASE_CFA;

	return (struct cairn_register_rule){ translate_cfi_kind(place->kind, kept), base,
		                             place->offset };
}

void unwind_describe_cfi_row(struct unwind_context *u, const struct cfi_row *row)
{
	const struct fde_reader *entries = u->space->entries;
	const struct ehframe_fde *fde = &entries->fde;
	struct cairn_step *step = u->step;

	step->rule =
		(struct cairn_rule){ .cfa = translate_cfi_place(&row->cfa, false),
		                     .ra = translate_cfi_place(&row->reg[row->ra], u->arch->link),
		                     .fp = translate_cfi_place(&row->reg[u->arch->fp], true),
		                     .start = row->start,
		                     .end = row->end,
		                     .function = fde->start,
		                     .function_end = fde->start + fde->size,
		                     .machine = u->frame->machine,
		                     .signal = entries->cie.signal,
		                     .mangled = row->mangled,
		                     .key_b = entries->cie.key_b };
	step->rule.outermost = row->reg[row->ra].kind == CFI_RULE_UNDEFINED;
	step->method = entries->cie.signal ? CAIRN_UNWIND_METHOD_SIGNAL : CAIRN_UNWIND_METHOD_CFI;
	step->signal = entries->cie.signal;
	step->function = fde->start + u->module->bias;
	step->at_entry = u->module->entry && u->module->entry == fde->start;
	step->caller_kind = entries->cie.signal ? CAIRN_FRAME_PC : CAIRN_FRAME_RETURN;
}

enum cairn_status cairn_space_cfi_rule(struct cairn_space *space, uint64_t pc,
                                       struct cairn_rule *rule, struct cairn_fault *fault)
{
	struct cairn_registers frame = { .pc = pc };
	struct cairn_step step = { .fault = { CAIRN_OK, 0, NULL } };
	struct unwind_context u = {
		.space = space, .frame = &frame, .kind = CAIRN_FRAME_PC, .step = &step
	};
	struct cfi_row row;

	*fault = (struct cairn_fault){ CAIRN_NOT_FOUND, 0,
		                       "no call frame information covers the address" };
	struct module *module = space_query(space, pc);
	if (!module)
		return CAIRN_NOT_FOUND;
	frame.machine = module->machine;
	frame.big_endian = module->big;
	u.arch = arch_of(module->machine);
	if (!u.arch)
		return fault_set(fault, CAIRN_UNSUPPORTED, "the machine is not known");
	if (!unwind_find_cfi_row(&u, &row)) {
		if (step.fault.status != CAIRN_OK)
			*fault = step.fault;
		return fault->status;
	}
	unwind_describe_cfi_row(&u, &row);
	*rule = step.rule;
	return CAIRN_OK;
}
