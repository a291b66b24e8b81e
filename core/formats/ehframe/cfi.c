/* SPDX-License-Identifier: MIT */
/*
 * Parses call frame instructions according to their operand types (DWARF 5, section 7.24, and the
 * GNU and AArch64 extensions), without running them.
 */
#include "cfi.h"

#include "base/error.h"

enum { INSTRUCTIONS = CFI_LOW_BITS + 1 };

/* Operand types. Each element of operands[] packs the types of an instruction's two operands. */
enum operand {
	NONE,
	LEB,   /* signed or unsigned LEB128; both are skipped the same way */
	BLOCK, /* DWARF expression: length and bytes */
	LOCATION,
	DELTA_1,
	DELTA_2,
	DELTA_4,
	DELTA_8,
	SECOND = 4, /* bit position of the second operand's type */
	FIRST_BITS = 0x0f,
};

enum {
	KNOWN = 0x80,
	LEB_LEB = KNOWN | LEB | LEB << SECOND,
	LEB_BLOCK = KNOWN | LEB | BLOCK << SECOND,
};

static const uint8_t operands[INSTRUCTIONS] = {
	[CFI_NOP] = KNOWN,
	[CFI_SET_LOC] = KNOWN | LOCATION,
	[CFI_ADVANCE_1] = KNOWN | DELTA_1,
	[CFI_ADVANCE_2] = KNOWN | DELTA_2,
	[CFI_ADVANCE_4] = KNOWN | DELTA_4,
	[CFI_OFFSET_EXTENDED] = LEB_LEB,
	[CFI_RESTORE_EXTENDED] = KNOWN | LEB,
	[CFI_UNDEFINED] = KNOWN | LEB,
	[CFI_SAME_VALUE] = KNOWN | LEB,
	[CFI_REGISTER] = LEB_LEB,
	[CFI_REMEMBER_STATE] = KNOWN,
	[CFI_RESTORE_STATE] = KNOWN,
	[CFI_DEF_CFA] = LEB_LEB,
	[CFI_DEF_CFA_REGISTER] = KNOWN | LEB,
	[CFI_DEF_CFA_OFFSET] = KNOWN | LEB,
	[CFI_DEF_CFA_EXPRESSION] = KNOWN | BLOCK,
	[CFI_EXPRESSION] = LEB_BLOCK,
	[CFI_OFFSET_EXTENDED_SF] = LEB_LEB,
	[CFI_DEF_CFA_SF] = LEB_LEB,
	[CFI_DEF_CFA_OFFSET_SF] = KNOWN | LEB,
	[CFI_VAL_OFFSET] = LEB_LEB,
	[CFI_VAL_OFFSET_SF] = LEB_LEB,
	[CFI_VAL_EXPRESSION] = LEB_BLOCK,
	[CFI_ADVANCE_8] = KNOWN | DELTA_8,
	[CFI_NEGATE_RA_STATE_WITH_PC] = KNOWN,
	[CFI_NEGATE_RA_STATE] = KNOWN,
	[CFI_ARGS_SIZE] = KNOWN | LEB,
	[CFI_NEGATIVE_OFFSET_EXTENDED] = LEB_LEB,
};

struct cfi_instructions cfi_instructions_open(const struct ehframe_cie *cie,
                                              const struct ehframe_source *source, size_t program,
                                              uint64_t start)
{
	struct cfi_instructions all = { .in = reader_open(source->bytes, source->big),
		                        .cie = cie,
		                        .source = source,
		                        .location = start };

	reader_seek(&all.in, program);
	return all;
}

static void move_location(struct cfi_instructions *all, uint64_t to)
{
	if (!reader_ok(&all->in))
		return;
	if (to < all->location)
		cfi_fail_order(&all->in);
	else
		all->location = to;
}

static void skip_delta(struct cfi_instructions *all, uint64_t delta)
{
	const uint64_t bytes = cfi_scale_delta(&all->in, all->cie, delta);

	move_location(all, all->location + bytes);
}

static void skip_leb(struct reader *in)
{
	while (reader_ok(in) && reader_u8(in) >= 0x80)
		continue;
}

static bool skip_operand(struct cfi_instructions *all, unsigned operand)
{
	switch (operand) {
	case LEB:
		skip_leb(&all->in);
		return false;
	case BLOCK:
		cfi_read_expression(&all->in);
		return false;
	case LOCATION:
		move_location(all, cfi_read_location(&all->in, all->source, all->cie));
		return true;
	case DELTA_1:
		skip_delta(all, reader_u8(&all->in));
		return true;
	case DELTA_2:
		skip_delta(all, reader_u16(&all->in));
		return true;
	case DELTA_4:
		skip_delta(all, reader_u32(&all->in));
		return true;
	case DELTA_8:
		skip_delta(all, reader_u64(&all->in));
		return true;
	default:
		return false;
	}
}

static bool read_low_instruction(struct cfi_instructions *all, size_t at, uint8_t code)
{
	const unsigned known = operands[code];

	if (!known)
		reader_fail_at(&all->in, at, CAIRN_UNSUPPORTED, "unknown call frame instruction");
	bool moves = skip_operand(all, known & FIRST_BITS);
	skip_operand(all, (known & ~(unsigned)KNOWN) >> SECOND);
	return moves;
}

bool cfi_instructions_next(struct cfi_instructions *all, struct cfi_instruction *is)
{
	struct reader *in = &all->in;
	const size_t at = in->at;

	if (!reader_ok(in) || reader_left(in) == 0)
		return false;
	const uint8_t byte = reader_u8(in);
	bool moves = byte >> 6 == CFI_HIGH_ADVANCE;
	if (moves)
		skip_delta(all, byte & CFI_LOW_BITS);
	else if (byte >> 6 == CFI_HIGH_OFFSET)
		skip_leb(in);
	else if (byte >> 6 != CFI_HIGH_RESTORE)
		moves = read_low_instruction(all, at, byte);
	if (!reader_ok(in))
		return false;
	*is = (struct cfi_instruction){ { in->in.data + at, in->at - at }, moves };
	return true;
}

/*
 * Runs call frame instructions (DWARF 5, section 6.4). A CIE's instructions create the initial row
 * of its FDEs; DW_CFA_restore resets a register to its rule in that row.
 */

/* Return the rule for a register in `row`, or NULL if the register is not tracked. */
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
 * Start the next row at `va`. If `va` is past the requested address, the current row is complete
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
		reader_fail(&r->in, CAIRN_MALFORMED,
		            "a CIE contains DW_CFA_restore, which is valid only in an FDE");
	else if (place)
		*place = r->initial->reg[place - r->row->reg];
}

static void remember_state(struct cfi_run *r)
{
	if (r->remembered == CFI_REMEMBERED)
		reader_fail(&r->in, CAIRN_UNSUPPORTED,
		            "too many nested DW_CFA_remember_state instructions");
	else
		r->memory[r->remembered++] = *r->row;
}

static void restore_state(struct cfi_run *r)
{
	uint64_t start = r->row->start, end = r->row->end;

	if (r->remembered == 0) {
		reader_fail(&r->in, CAIRN_MALFORMED,
		            "DW_CFA_restore_state without DW_CFA_remember_state");
		return;
	}
	*r->row = r->memory[--r->remembered];
	r->row->start = start;
	r->row->end = end;
}

/*
 * Run an instruction that changes the location or the whole state. Return false for any other
 * instruction.
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
		reader_fail(&r->in, CAIRN_UNSUPPORTED, "the CFA rule uses an unknown register");
	r->row->cfa.kind = CFI_RULE_REGISTER;
	r->row->cfa.reg = (uint16_t)number;
}

/*
 * Fail unless the CFA is a register plus an offset. Instructions that change only one of the two
 * require this.
 */
static bool require_cfa_register_rule(struct cfi_run *r)
{
	if (r->row->cfa.kind == CFI_RULE_REGISTER)
		return true;
	reader_fail(&r->in, CAIRN_MALFORMED, "the CFA rule is not a register plus an offset");
	return false;
}

/*
 * Set the CFA's register. RISC-V assemblers emit DW_CFA_def_cfa_register before any CFA rule
 * exists, so start with offset 0 then.
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

enum rule_operand { NO_OPERAND, UNSIGNED, SIGNED, NEGATED, NUMBER, EXPRESSION };

static void read_operand(struct cfi_run *r, enum rule_operand operand,
                         struct cfi_register_rule *place)
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
	case EXPRESSION:
		place->expression = cfi_read_expression(&r->in);
		break;
	}
}

/* Run an instruction that sets the rule of one register. Return false for any other instruction. */
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
		{ CFI_EXPRESSION, CFI_RULE_EXPRESSION, EXPRESSION },
		{ CFI_VAL_EXPRESSION, CFI_RULE_VAL_EXPRESSION, EXPRESSION },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (rules[i].code != code)
			continue;
		struct cfi_register_rule place = { .kind = (enum cfi_rule_kind)rules[i].kind };
		uint64_t number = reader_uleb(&r->in);
		read_operand(r, (enum rule_operand)rules[i].operand, &place);
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

static void cfi_run_begin(struct cfi_run *r, const struct ehframe_source *source, size_t program)
{
	r->source = source;
	r->in = reader_open(source->bytes, source->big);
	reader_seek(&r->in, program);
}

/*
 * Run until the location is past r->va or the program ends. Fault offsets are relative to the
 * section.
 */
static enum cairn_status cfi_run_on(struct cfi_run *r, struct cairn_fault *fault)
{
	const struct ehframe_source *source = r->source;

	while (!r->done && reader_ok(&r->in) && reader_left(&r->in) > 0)
		run_instruction(r);
	if (reader_ok(&r->in) && r->row->cfa.kind == CFI_RULE_UNSET && r->initial)
		reader_fail(&r->in, CAIRN_MALFORMED, "no rule defines the CFA");
	if (reader_ok(&r->in))
		return CAIRN_OK;
	*fault = r->in.fault;
	fault->offset += source->address - source->section;
	return fault->status;
}

/* Runs the instructions of an FDE, to find the row for one address or to iterate over all rows. */

enum {
	/* column of the pc at which a signal interrupted a function */
	COLUMN_RISCV_SIGNAL = 64,
	COLUMN_PPC_LINK = 65,
	/* column of the link register in gcc's .debug_frame */
	COLUMN_PPC_LINK_108 = 108,
};

/*
 * Set *place to the index in cfi_row.reg[] of the return address column. Known columns that exceed
 * CFI_REGISTERS use the last element. Return false for an unknown column.
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

/* Run the CIE's instructions to create *first, the initial row of its FDEs. */
static enum cairn_status run_cie(struct cfi_run *r, const struct ehframe_fde *fde,
                                 struct cfi_row *first, struct cairn_fault *fault)
{
	const struct ehframe_cie *cie = r->cie;

	if (fde->start + fde->size < fde->start)
		return reject_fde(fde, CAIRN_MALFORMED,
		                  "the range of an FDE extends past the end of the address space",
		                  fault);
	*first = (struct cfi_row){ .start = fde->start, .end = fde->start + fde->size };
	if (!find_return_place(cie->ra, &first->ra))
		return reject_fde(fde, CAIRN_UNSUPPORTED, "unknown return address column", fault);
	r->row = first;
	cfi_run_begin(r, &cie->source, cie->program);
	return cfi_run_on(r, fault);
}

/* Switch from the CIE's instructions to those in the FDE, which create *row. */
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
	/*
	 * leave this uninitialized, because clearing it would take longer than running the
	 * instructions of most FDEs
	 */
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
