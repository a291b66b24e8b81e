/* SPDX-License-Identifier: MIT */
/*
 * Unwinds by call frame information from .eh_frame or a Breakpad file: computes the caller's
 * registers from a row, the frame's registers and target memory.
 */

#include "step.h"

#include "base/error.h"
#include "formats/ehframe/cfi.h"
#include "formats/ehframe/ehframe.h"
#include "unwind/tables/cfi_coverage.h"
#include "unwind/tables/cfi_expression.h"
#include "unwind/tables/stack_cfi.h"
#include "unwind/tables/unwind_tables.h"

#include <stdlib.h>

/*
 * Return the buffers for CIE and FDE, which are allocated on first use and owned by the space.
 * Return NULL if allocation fails.
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
 * Return the row cache if the target cannot change. Return NULL for other targets, or if allocation
 * fails.
 */
static struct row_cache *rows_of(struct cairn_space *space)
{
	if (space->still && !space->rows)
		space->rows = calloc(1, sizeof(*space->rows));
	return space->rows;
}

/*
 * Find the row for the step's pc. The row's CIE and FDE are in u->space->entries. Return false and
 * set the stop reason if no row is found.
 */
static bool unwind_find_cfi_row(struct unwind_context *u, struct cfi_row *row)
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

/* Convert a rule's kind. cairn_rule cannot express DWARF expressions, so they become UNDEFINED. */
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

static struct cairn_register_rule translate_cfi_location(const struct cfi_register_rule *place,
                                                         bool kept)
{
	const uint16_t base = place->kind == CFI_RULE_REGISTER ? place->reg : CAIRN_BASE_CFA;

	return (struct cairn_register_rule){ translate_cfi_kind(place->kind, kept), base,
		                             place->offset };
}

static void unwind_describe_cfi_row(struct unwind_context *u, const struct cfi_row *row)
{
	const struct fde_reader *entries = u->space->entries;
	const struct ehframe_fde *fde = &entries->fde;
	struct cairn_step *step = u->step;

	step->rule =
		(struct cairn_rule){ .cfa = translate_cfi_location(&row->cfa, false),
		                     .ra = translate_cfi_location(&row->reg[row->ra],
		                                                  u->arch->link),
		                     .fp = translate_cfi_location(&row->reg[u->arch->fp], true),
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

/* A CFA this many bytes or more below the stack pointer may be on another stack. */
enum { STACKS_APART = 1 << 16 };

/* Return an expression's offset in its section, for fault messages. */
static uint64_t offset_of(const struct fde_reader *entries, struct cairn_bytes expression)
{
	const struct ehframe_source *in = &entries->fde.source;
	uintptr_t at = (uintptr_t)expression.data;

	if (at - (uintptr_t)entries->cie.source.bytes.data < entries->cie.source.bytes.size)
		in = &entries->cie.source;
	return in->address - in->section + (at - (uintptr_t)in->bytes.data);
}

static bool evaluate_cfi_expression(struct unwind_context *u, struct cairn_bytes code,
                                    const uint64_t *cfa, uint64_t *value)
{
	const struct expression e = { &u->space->target, u->frame, code, cfa };
	struct cairn_fault fault;

	if (expression_evaluate(&e, value, &fault) == CAIRN_OK)
		return true;
	fault.offset += offset_of(u->space->entries, code);
	u->step->fault = fault;
	return false;
}

static bool read_frame_register(const struct unwind_context *u, unsigned number, uint64_t *value)
{
	if (!register_known(u->frame, number))
		return false;
	*value = u->frame->value[number];
	return true;
}

static bool recover_register(struct unwind_context *u, const struct cfi_register_rule *place,
                             unsigned number, uint64_t *value)
{
	const uint64_t *cfa = &u->step->cfa;
	uint64_t address;

	switch (place->kind) {
	case CFI_RULE_UNSET:
		return (u->arch->saved >> number & 1) && read_frame_register(u, number, value);
	case CFI_RULE_UNDEFINED:
		return false;
	case CFI_RULE_SAME:
		return read_frame_register(u, number, value);
	case CFI_RULE_REGISTER:
		return read_frame_register(u, place->reg, value);
	case CFI_RULE_OFFSET:
		return unwind_read_word(u, *cfa + (uint64_t)place->offset, value);
	case CFI_RULE_VAL_OFFSET:
		*value = *cfa + (uint64_t)place->offset;
		return true;
	case CFI_RULE_EXPRESSION:
		return evaluate_cfi_expression(u, place->expression, cfa, &address) &&
		       unwind_read_word(u, address, value);
	case CFI_RULE_VAL_EXPRESSION:
		return evaluate_cfi_expression(u, place->expression, cfa, value);
	}
	return false;
}

static bool compute_cfa(struct unwind_context *u, const struct cfi_register_rule *place,
                        uint64_t *cfa)
{
	if (place->kind == CFI_RULE_VAL_EXPRESSION)
		return evaluate_cfi_expression(u, place->expression, NULL, cfa);
	if (!read_frame_register(u, place->reg, cfa))
		return false;
	*cfa += (uint64_t)place->offset;
	return true;
}

/* Stop with BAD_TABLE if the expression itself is invalid, otherwise with `why`. */
static bool stop_by_fault(struct unwind_context *u, enum cairn_stop why)
{
	enum cairn_status status = u->step->fault.status;
	bool damaged = status == CAIRN_MALFORMED || status == CAIRN_UNSUPPORTED ||
	               status == CAIRN_TRUNCATED;

	return unwind_stop(u, damaged ? CAIRN_STOP_BAD_TABLE : why);
}

/*
 * Return true if the CFA moves up the stack. If the stack pointer is unknown, at least the frame
 * pointer must move up.
 */
static bool moves_up(const struct unwind_context *u, uint64_t cfa)
{
	const struct cairn_registers *frame = u->frame;
	unsigned fp = u->arch->fp;

	if (register_known(frame, u->arch->sp))
		return unwind_is_plausible_cfa(u, cfa);
	return register_known(frame, fp) && cfa > frame->value[fp] && cfa % u->arch->word == 0;
}

/*
 * Return true if the frame may leave the stack pointer unchanged. If the return address is not
 * stored relative to the CFA, the code may have been reached by a jump and have no frame of its
 * own, like the lock functions in the C library. leads_up() then checks that the stack continues
 * upwards.
 */
static bool may_stay(const struct unwind_context *u, const struct cfi_row *row, uint64_t cfa)
{
	const enum cfi_rule_kind kind = row->reg[row->ra].kind;

	return (kind == CFI_RULE_REGISTER || kind == CFI_RULE_EXPRESSION ||
	        kind == CFI_RULE_VAL_EXPRESSION) &&
	       register_known(u->frame, u->arch->sp) && cfa % u->arch->word == 0;
}

/*
 * Return true if the row leads to another stack, which may be anywhere. Code that maintains its own
 * stack has either a rule for the stack pointer (GHC does not touch that register and bases its CFA
 * on another one) or an expression for the return address (Wine's system call dispatcher). A
 * function that calls another one on a new stack (gcc's __morestack, coroutines) finds its own
 * stack through the frame pointer, or through an address that it saved on the new stack. Functions
 * that realign their stack look the same, and their frame pointer may be damaged, so such a row
 * must lead far away, and to an address after a call.
 */
static bool is_on_other_stack(const struct unwind_context *u, const struct cfi_row *row,
                              uint64_t cfa)
{
	const struct arch *arch = u->arch;
	const enum cfi_rule_kind ra = row->reg[row->ra].kind;
	const uint64_t sp = u->frame->value[arch->sp];
	uint64_t pc;

	if (!register_known(u->frame, arch->sp) || cfa % arch->word != 0)
		return false;
	if (row->reg[arch->sp].kind != CFI_RULE_UNSET || ra == CFI_RULE_EXPRESSION ||
	    ra == CFI_RULE_VAL_EXPRESSION)
		return row->cfa.kind == CFI_RULE_VAL_EXPRESSION || row->cfa.reg != arch->sp;
	return u->kind == CAIRN_FRAME_RETURN && !arch->link &&
	       (row->cfa.kind == CFI_RULE_VAL_EXPRESSION || row->cfa.reg == arch->fp) && cfa < sp &&
	       sp - cfa >= STACKS_APART && unwind_read_word(u, cfa - arch->word, &pc) &&
	       unwind_leads_back(u, pc);
}

/*
 * Return true if the walk makes progress on the other stack, so that it cannot loop. If the stack
 * pointer stays the same, the base register of the CFA must move up. If the stack pointer moves
 * down, stack_walk.h limits the number of stack changes.
 */
static bool goes_on_there(const struct unwind_context *u, const struct cfi_row *row)
{
	const struct cairn_registers *frame = u->frame, *caller = &u->step->caller;
	const unsigned sp = u->arch->sp, base = row->cfa.reg;

	if (!is_on_other_stack(u, row, u->step->cfa) || !register_known(caller, sp))
		return false;
	return caller->value[sp] != frame->value[sp] ||
	       (row->cfa.kind != CFI_RULE_VAL_EXPRESSION && register_known(frame, base) &&
	        register_known(caller, base) && caller->value[base] > frame->value[base]);
}

static bool find_cfa(struct unwind_context *u, const struct cfi_row *row)
{
	uint64_t cfa;

	u->step->cfa = unwind_substitute_cfa(u);
	bool known = compute_cfa(u, &row->cfa, &cfa);
	if (known)
		u->step->cfa = cfa;
	if (u->step->rule.outermost)
		return unwind_stop(u, CAIRN_STOP_OUTERMOST);
	if (!known)
		return stop_by_fault(u, CAIRN_STOP_CFA_UNKNOWN);
	/* do not check the CFA of a signal frame, because a signal may arrive on any stack */
	if (!u->step->signal && !moves_up(u, cfa) && !may_stay(u, row, cfa) &&
	    !is_on_other_stack(u, row, cfa))
		return unwind_stop(u, CAIRN_STOP_CFA_IMPLAUSIBLE);
	return true;
}

static bool find_return_address(struct unwind_context *u, const struct cfi_row *row, uint64_t *pc)
{
	struct cfi_register_rule place = row->reg[row->ra];

	if (place.kind == CFI_RULE_UNSET && u->arch->link)
		place.kind = CFI_RULE_SAME;
	/*
	 * in a caller, the link register is unknown, because the caller's own call has overwritten
	 * it
	 */
	if (place.kind == CFI_RULE_SAME && u->kind != CAIRN_FRAME_PC)
		return unwind_stop(u, CAIRN_STOP_LINK_UNKNOWN);
	if (!recover_register(u, &place, row->ra, pc))
		return stop_by_fault(u, place.kind == CFI_RULE_OFFSET ||
		                                        place.kind == CFI_RULE_EXPRESSION
		                                ? CAIRN_STOP_RA_UNREADABLE
		                                : CAIRN_STOP_LINK_UNKNOWN);
	*pc = arch_strip(u->arch, *pc, u->space->signature_bits);
	return true;
}

/*
 * Copy callee-saved registers without a rule from the frame to the caller. Most registers have no
 * rule.
 */
static void pass_registers(struct unwind_context *u, uint64_t which)
{
	const struct cairn_registers *frame = u->frame;

	which &= frame->known;
	for (unsigned i = 0; which >> i; i++)
		if (which >> i & 1)
			register_set(&u->step->caller, i, frame->value[i]);
}

static void fill_caller(struct unwind_context *u, const struct cfi_row *row, uint64_t pc)
{
	struct cairn_registers *caller = &u->step->caller;
	const struct arch *arch = u->arch;
	uint64_t value;

	*caller = (struct cairn_registers){ .machine = u->frame->machine,
		                            .big_endian = u->frame->big_endian,
		                            .pc = pc };
	uint64_t ours = arch->link ? UINT64_MAX : ~((uint64_t)1 << arch->ra), unset = 0;
	for (unsigned i = 0; i < CFI_REGISTERS; i++) {
		const struct cfi_register_rule *place = &row->reg[i];
		if (place->kind == CFI_RULE_UNSET)
			unset |= (uint64_t)1 << i;
		else if ((ours >> i & 1) && recover_register(u, place, i, &value))
			register_set(caller, i, value);
	}
	pass_registers(u, unset & ours & arch->saved);
	if (row->reg[arch->sp].kind == CFI_RULE_UNSET ||
	    (!u->step->signal && !register_known(caller, arch->sp)))
		register_set(caller, arch->sp, u->step->cfa + (uint64_t)(int64_t)arch->sp_from_cfa);
	if (arch->link && row->ra == arch->ra)
		register_set(caller, arch->ra, pc);
}

static bool step_by_row(struct unwind_context *u, struct cfi_row *row)
{
	uint64_t pc;

	if (!unwind_find_cfi_row(u, row))
		return false;
	unwind_describe_cfi_row(u, row);
	if (!find_cfa(u, row) || !find_return_address(u, row, &pc))
		return false;
	fill_caller(u, row, pc);
	u->step->fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	return true;
}

/*
 * Return true unless a rule for the stack pointer itself leads down the stack, because then the
 * walk might not terminate.
 */
static bool caller_is_above(const struct unwind_context *u)
{
	uint64_t sp = u->step->caller.value[u->arch->sp];

	return u->step->signal || moves_up(u, sp - (uint64_t)(int64_t)u->arch->sp_from_cfa);
}

/*
 * Return true if the caller is not above the frame, but call frame information alone leads to a
 * higher frame within UNWIND_STAYS_MAX steps.
 */
static bool leads_up(const struct unwind_context *u)
{
	const unsigned sp = u->arch->sp;
	struct cairn_step step = *u->step;
	struct cairn_registers frame;
	struct unwind_context next = *u;
	struct cfi_row row;

	if (!register_known(u->frame, sp))
		return false;
	next.frame = &frame;
	next.step = &step;
	for (unsigned i = 0; i < UNWIND_STAYS_MAX; i++) {
		frame = step.caller;
		next.kind = step.caller_kind;
		step = (struct cairn_step){ .stop = CAIRN_STOP_NONE };
		if (!step_by_row(&next, &row))
			return step.stop == CAIRN_STOP_OUTERMOST;
		if (!register_known(&step.caller, sp))
			return false;
		if (step.caller.value[sp] > u->frame->value[sp])
			return true;
	}
	return false;
}

bool unwind_step_cfi(struct unwind_context *u)
{
	struct cfi_row row;

	if (!step_by_row(u, &row))
		return false;
	if (!caller_is_above(u) && !leads_up(u) && !goes_on_there(u, &row))
		return unwind_stop(u, CAIRN_STOP_CFA_IMPLAUSIBLE);
	return unwind_check_caller(u);
}

/* Unwinds by the STACK CFI records of a Breakpad file that the host supplies for the module. */

static bool find_stack_row(struct unwind_context *u, struct stack_cfi_row *row, uint64_t *low)
{
	const struct stack_cfi_files *files = &u->space->breakpad;
	const uint64_t pc = unwind_lookup_address(u);
	const struct stack_cfi *rules = files->find ? files->find(files->context, pc, low) : NULL;

	if (!rules)
		return unwind_stop(u, CAIRN_STOP_NO_TABLE);
	const enum cairn_status found = stack_cfi_find(rules, pc - *low, row, &u->step->fault);
	if (found == CAIRN_NOT_FOUND)
		u->step->fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	return found == CAIRN_OK || unwind_stop_without_rule(u, found);
}

/*
 * Return the frame's registers. In a caller, omit the link register, because the caller's own calls
 * have overwritten it.
 */
static struct cairn_registers frame_registers(const struct unwind_context *u)
{
	struct cairn_registers frame = *u->frame;

	if (u->arch->link && u->kind == CAIRN_FRAME_RETURN)
		frame.known &= ~((uint64_t)1 << u->arch->ra);
	return frame;
}

static bool stop_by_status(struct unwind_context *u, enum cairn_status status, bool has_cfa)
{
	if (status == CAIRN_NOT_FOUND)
		return unwind_stop(u, has_cfa ? CAIRN_STOP_LINK_UNKNOWN : CAIRN_STOP_CFA_UNKNOWN);
	if (status == CAIRN_UNREADABLE)
		return unwind_stop(u, has_cfa ? CAIRN_STOP_RA_UNREADABLE : CAIRN_STOP_CFA_UNKNOWN);
	return unwind_stop(u, CAIRN_STOP_BAD_TABLE);
}

static void describe_step(struct unwind_context *u, const struct stack_cfi_row *row, uint64_t low)
{
	u->step->method = CAIRN_UNWIND_METHOD_STACK_CFI;
	u->step->function = row->function + low;
	u->step->rule.start = row->start;
	u->step->rule.end = row->end;
	u->step->rule.function = row->function;
	u->step->rule.machine = u->frame->machine;
	u->step->caller_kind = CAIRN_FRAME_RETURN;
}

static bool caller_moves_up(const struct unwind_context *u, const struct cairn_registers *caller)
{
	unsigned sp = u->arch->sp;

	return register_known(caller, sp) && unwind_is_plausible_cfa(u, caller->value[sp]) &&
	       unwind_is_plausible_cfa(u, u->step->cfa);
}

bool unwind_step_stack_cfi(struct unwind_context *u)
{
	struct cairn_registers frame = frame_registers(u);
	struct stack_cfi_caller caller;
	struct stack_cfi_row row;
	uint64_t low = 0;

	if (!find_stack_row(u, &row, &low))
		return false;
	describe_step(u, &row, low);
	enum cairn_status status =
		stack_cfi_caller(&row, &u->space->target, &frame, &caller, &u->step->fault);
	u->step->cfa = caller.has_cfa ? caller.cfa : unwind_substitute_cfa(u);
	if (caller.outermost)
		return unwind_stop(u, CAIRN_STOP_OUTERMOST);
	if (status != CAIRN_OK)
		return stop_by_status(u, status, caller.has_cfa);
	u->step->caller = caller.registers;
	u->step->caller.pc = arch_strip(u->arch, caller.registers.pc, u->space->signature_bits);
	if (!register_known(&frame, u->arch->sp))
		return unwind_stop(u, CAIRN_STOP_CFA_UNKNOWN);
	if (!caller_moves_up(u, &caller.registers))
		return unwind_stop(u, CAIRN_STOP_CFA_IMPLAUSIBLE);
	return unwind_check_caller(u);
}
