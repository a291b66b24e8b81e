/* SPDX-License-Identifier: MIT */
/*
 * Runs call frame instructions (cfi_operands.h) as described in DWARF 5, section 6.4. A CIE's
 * program creates the initial row of its FDEs; DW_CFA_restore returns a register to its rule in
 * that row.
 */
#include "cfi_run.h"

#include "cfi_operands.h"

/* Return the rule of a column in `row`, or NULL if the row does not track it. */
static struct cfi_register_rule *find_kept_rule(struct cfi_row *row, const struct ehframe_cie *cie,
                                                uint64_t number)
{
	if (number == cie->ra)
		return &row->reg[row->ra];
	return number < CFI_REGISTERS && number != row->ra ? &row->reg[number] : NULL;
}

static struct cfi_register_rule *find_register_rule(struct cfi_run *r, uint64_t number)
{
	struct cfi_register_rule *place = find_kept_rule(r->row, r->cie, number);

	return place ? place : &r->unkept;
}

static int64_t scale_factored_offset(const struct cfi_run *r, uint64_t value)
{
	return (int64_t)(value * (uint64_t)r->cie->data_align);
}

/*
 * Start the next row at `va`. If that is past the address searched for, the current row is complete
 * and ends there.
 */
static void move_row_start(struct cfi_run *r, uint64_t va)
{
	if (!r->initial || va < r->row->start) {
		cfi_fail_order(&r->in);
		return;
	}
	if (va > r->va) {
		r->done = true;
		r->next = va;
		r->row->end = va < r->row->end ? va : r->row->end;
	} else {
		r->row->start = va;
	}
}

static void advance_location(struct cfi_run *r, uint64_t delta)
{
	const uint64_t bytes = cfi_scale_delta(&r->in, r->cie, delta);

	if (reader_ok(&r->in))
		move_row_start(r, r->row->start + bytes);
}

static void set_location(struct cfi_run *r)
{
	const uint64_t address = cfi_read_location(&r->in, r->source, r->cie);

	if (reader_ok(&r->in))
		move_row_start(r, address);
}

static void restore_register(struct cfi_run *r, uint64_t number)
{
	struct cfi_register_rule *place = find_kept_rule(r->row, r->cie, number);

	if (!r->initial)
		reader_fail(&r->in, CAIRN_MALFORMED, "a CIE restores a register");
	else if (place)
		*place = r->initial->reg[place - r->row->reg];
}

static void remember_state(struct cfi_run *r)
{
	if (r->remembered == CFI_REMEMBERED)
		reader_fail(&r->in, CAIRN_UNSUPPORTED, "too many states are remembered");
	else
		r->memory[r->remembered++] = *r->row;
}

static void restore_state(struct cfi_run *r)
{
	uint64_t start = r->row->start, end = r->row->end;

	if (r->remembered == 0) {
		reader_fail(&r->in, CAIRN_MALFORMED, "no state is remembered");
		return;
	}
	*r->row = r->memory[--r->remembered];
	r->row->start = start;
	r->row->end = end;
}

/*
 * Run an instruction that changes the location or the whole state. Return false if `code` is
 * another instruction.
 */
static bool run_state(struct cfi_run *r, uint8_t code)
{
	switch (code) {
	case CFI_NOP:
		return true;
	case CFI_SET_LOC:
		set_location(r);
		return true;
	case CFI_ADVANCE_1:
		advance_location(r, reader_u8(&r->in));
		return true;
	case CFI_ADVANCE_2:
		advance_location(r, reader_u16(&r->in));
		return true;
	case CFI_ADVANCE_4:
		advance_location(r, reader_u32(&r->in));
		return true;
	case CFI_ADVANCE_8:
		advance_location(r, reader_u64(&r->in));
		return true;
	case CFI_REMEMBER_STATE:
		remember_state(r);
		return true;
	case CFI_RESTORE_STATE:
		restore_state(r);
		return true;
	case CFI_NEGATE_RA_STATE:
	case CFI_NEGATE_RA_STATE_WITH_PC:
		r->row->mangled = !r->row->mangled;
		return true;
	case CFI_ARGS_SIZE:
		reader_uleb(&r->in);
		return true;
	default:
		return false;
	}
}

static void set_cfa_register(struct cfi_run *r, uint64_t number)
{
	if (number >= CFI_REGISTERS)
		reader_fail(&r->in, CAIRN_UNSUPPORTED, "the CFA counts from an unknown register");
	r->row->cfa.kind = CFI_RULE_REGISTER;
	r->row->cfa.reg = (uint16_t)number;
}

/*
 * Fail unless the CFA is a register plus an offset. Instructions that change only one of the two
 * need that.
 */
static bool require_cfa_register_rule(struct cfi_run *r)
{
	if (r->row->cfa.kind == CFI_RULE_REGISTER)
		return true;
	reader_fail(&r->in, CAIRN_MALFORMED, "the CFA is not a register and an offset");
	return false;
}

/*
 * Set the CFA's register. Assemblers for riscv64 emit DW_CFA_def_cfa_register before there is a
 * rule; the offset is then 0.
 */
static void change_cfa_register(struct cfi_run *r)
{
	struct cfi_register_rule *cfa = &r->row->cfa;

	if (cfa->kind == CFI_RULE_UNSET)
		*cfa = (struct cfi_register_rule){ .kind = CFI_RULE_REGISTER };
	if (require_cfa_register_rule(r))
		set_cfa_register(r, reader_uleb(&r->in));
}

static bool run_cfa(struct cfi_run *r, uint8_t code)
{
	struct cfi_register_rule *cfa = &r->row->cfa;

	switch (code) {
	case CFI_DEF_CFA:
		set_cfa_register(r, reader_uleb(&r->in));
		cfa->offset = (int64_t)reader_uleb(&r->in);
		return true;
	case CFI_DEF_CFA_SF:
		set_cfa_register(r, reader_uleb(&r->in));
		cfa->offset = scale_factored_offset(r, (uint64_t)reader_sleb(&r->in));
		return true;
	case CFI_DEF_CFA_REGISTER:
		change_cfa_register(r);
		return true;
	case CFI_DEF_CFA_OFFSET:
		if (require_cfa_register_rule(r))
			cfa->offset = (int64_t)reader_uleb(&r->in);
		return true;
	case CFI_DEF_CFA_OFFSET_SF:
		if (require_cfa_register_rule(r))
			cfa->offset = scale_factored_offset(r, (uint64_t)reader_sleb(&r->in));
		return true;
	case CFI_DEF_CFA_EXPRESSION:
		*cfa = (struct cfi_register_rule){ .kind = CFI_RULE_VAL_EXPRESSION };
		cfa->expression = cfi_read_expression(&r->in);
		return true;
	default:
		return false;
	}
}

enum operand { NO_OPERAND, UNSIGNED, SIGNED, NEGATED, NUMBER, BLOCK };

static void read_operand(struct cfi_run *r, enum operand operand, struct cfi_register_rule *place)
{
	uint64_t number;

	switch (operand) {
	case NO_OPERAND:
		break;
	case UNSIGNED:
		place->offset = scale_factored_offset(r, reader_uleb(&r->in));
		break;
	case SIGNED:
		place->offset = scale_factored_offset(r, (uint64_t)reader_sleb(&r->in));
		break;
	case NEGATED:
		place->offset = scale_factored_offset(r, 0 - reader_uleb(&r->in));
		break;
	case NUMBER:
		number = reader_uleb(&r->in);
		place->reg = number < UINT16_MAX ? (uint16_t)number : UINT16_MAX;
		break;
	case BLOCK:
		place->expression = cfi_read_expression(&r->in);
		break;
	}
}

/*
 * Run an instruction that sets the rule of one register. Return false if `code` is another
 * instruction.
 */
static bool run_register(struct cfi_run *r, uint8_t code)
{
	static const struct {
		uint8_t code, kind, operand;
	} rules[] = {
		{ CFI_OFFSET_EXTENDED, CFI_RULE_OFFSET, UNSIGNED },
		{ CFI_OFFSET_EXTENDED_SF, CFI_RULE_OFFSET, SIGNED },
		{ CFI_NEGATIVE_OFFSET_EXTENDED, CFI_RULE_OFFSET, NEGATED },
		{ CFI_VAL_OFFSET, CFI_RULE_VAL_OFFSET, UNSIGNED },
		{ CFI_VAL_OFFSET_SF, CFI_RULE_VAL_OFFSET, SIGNED },
		{ CFI_UNDEFINED, CFI_RULE_UNDEFINED, NO_OPERAND },
		{ CFI_SAME_VALUE, CFI_RULE_SAME, NO_OPERAND },
		{ CFI_REGISTER, CFI_RULE_REGISTER, NUMBER },
		{ CFI_EXPRESSION, CFI_RULE_EXPRESSION, BLOCK },
		{ CFI_VAL_EXPRESSION, CFI_RULE_VAL_EXPRESSION, BLOCK },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (rules[i].code != code)
			continue;
		struct cfi_register_rule place = { .kind = (enum cfi_rule_kind)rules[i].kind };
		uint64_t number = reader_uleb(&r->in);
		read_operand(r, (enum operand)rules[i].operand, &place);
		*find_register_rule(r, number) = place;
		return true;
	}
	if (code == CFI_RESTORE_EXTENDED)
		restore_register(r, reader_uleb(&r->in));
	return code == CFI_RESTORE_EXTENDED;
}

static void run_instruction(struct cfi_run *r)
{
	size_t at = r->in.at;
	uint8_t byte = reader_u8(&r->in), low = byte & CFI_LOW_BITS;

	switch (byte >> 6) {
	case CFI_HIGH_ADVANCE:
		advance_location(r, low);
		return;
	case CFI_HIGH_OFFSET:
		*find_register_rule(r, low) = (struct cfi_register_rule){ .kind = CFI_RULE_OFFSET };
		find_register_rule(r, low)->offset = scale_factored_offset(r, reader_uleb(&r->in));
		return;
	case CFI_HIGH_RESTORE:
		restore_register(r, low);
		return;
	default:
		break;
	}
	if (!run_state(r, low) && !run_cfa(r, low) && !run_register(r, low))
		reader_fail_at(&r->in, at, CAIRN_UNSUPPORTED, "unknown call frame instruction");
}

void cfi_run_begin(struct cfi_run *r, const struct ehframe_source *source, size_t program)
{
	r->source = source;
	r->in = reader_open(source->bytes, source->big);
	reader_seek(&r->in, program);
}

enum cairn_status cfi_run_on(struct cfi_run *r, struct cairn_fault *fault)
{
	const struct ehframe_source *source = r->source;

	while (!r->done && reader_ok(&r->in) && reader_left(&r->in) > 0)
		run_instruction(r);
	if (reader_ok(&r->in) && r->row->cfa.kind == CFI_RULE_UNSET && r->initial)
		reader_fail(&r->in, CAIRN_MALFORMED, "the CFA has no rule");
	if (reader_ok(&r->in))
		return CAIRN_OK;
	*fault = r->in.fault;
	fault->offset += source->address - source->section;
	return fault->status;
}
