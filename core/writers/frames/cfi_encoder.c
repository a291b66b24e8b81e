/* SPDX-License-Identifier: MIT */
/* Encodes CIEs, FDEs and their instructions. */
#include "cfi_encoder.h"

#include "program_code.h"

#include "base/rule_places.h"
#include "base/target_memory.h"
#include "formats/ehframe/cfi.h"

#include <string.h>

enum {
	WORD = 8,
	CIE_VERSION = 4,
	DATA_ALIGNMENT = -WORD,
	KIND_SIGNAL = 1,
	KIND_KEY_B = 2,
	OP_DEREF = 0x06,
	OP_CONSTS = 0x11,
	OP_PLUS = 0x22,
	OP_BREGX = 0x92,
	/* distances and register numbers below this limit are encoded in the opcode */
	SHORT_DISTANCE = CFI_LOW_BITS + 1,
	ADVANCE_SHORT = CFI_HIGH_ADVANCE << 6,
	OFFSET_SHORT = CFI_HIGH_OFFSET << 6,
	EXPRESSION_MAX = 32,
};

struct cfi_encoder cfi_encoder_open(struct byte_buffer *out, enum cairn_machine machine)
{
	return (struct cfi_encoder){ .out = out, .machine = machine };
}

static void write_register(struct byte_buffer *out, unsigned opcode, unsigned reg)
{
	byte_buffer_u8(out, (uint8_t)opcode);
	byte_buffer_uleb(out, reg);
}

/*
 * Write an expression for base + offset, or for the memory at that address. If the base is the CFA,
 * consumers push the CFA before they evaluate the expression.
 */
static void write_expression(struct byte_buffer *out, const struct cairn_register_rule *where,
                             bool deref)
{
	struct byte_buffer operations = { .limit = EXPRESSION_MAX };

	if (where->base == CAIRN_BASE_CFA) {
		byte_buffer_u8(&operations, OP_CONSTS);
	} else {
		byte_buffer_u8(&operations, OP_BREGX);
		byte_buffer_uleb(&operations, where->base);
	}
	byte_buffer_sleb(&operations, where->offset);
	if (where->base == CAIRN_BASE_CFA)
		byte_buffer_u8(&operations, OP_PLUS);
	if (deref)
		byte_buffer_u8(&operations, OP_DEREF);
	byte_buffer_uleb(out, operations.size);
	byte_buffer_bytes(out, operations.data, operations.size);
	out->failed |= operations.failed;
	byte_buffer_finish(&operations);
}

static void write_offset(struct byte_buffer *out, unsigned reg, int64_t offset)
{
	if (offset <= 0 && reg < SHORT_DISTANCE) {
		byte_buffer_u8(out, (uint8_t)(OFFSET_SHORT | reg));
		byte_buffer_uleb(out, (uint64_t)(offset / DATA_ALIGNMENT));
		return;
	}
	write_register(out, CFI_OFFSET_EXTENDED_SF, reg);
	byte_buffer_sleb(out, offset / DATA_ALIGNMENT);
}

static void write_in_memory(struct byte_buffer *out, unsigned reg,
                            const struct cairn_register_rule *where)
{
	if (where->base == CAIRN_BASE_CFA && where->offset % WORD == 0) {
		write_offset(out, reg, where->offset);
		return;
	}
	write_register(out, CFI_EXPRESSION, reg);
	write_expression(out, where, false);
}

static void write_value(struct byte_buffer *out, unsigned reg,
                        const struct cairn_register_rule *where)
{
	if (where->base == CAIRN_BASE_CFA && where->offset % WORD == 0) {
		write_register(out, CFI_VAL_OFFSET_SF, reg);
		byte_buffer_sleb(out, where->offset / DATA_ALIGNMENT);
	} else if (where->base != CAIRN_BASE_CFA && where->offset == 0) {
		write_register(out, CFI_REGISTER, reg);
		byte_buffer_uleb(out, where->base);
	} else {
		write_register(out, CFI_VAL_EXPRESSION, reg);
		write_expression(out, where, false);
	}
}

static void write_rule(struct byte_buffer *out, unsigned reg,
                       const struct cairn_register_rule *where)
{
	switch (where->kind) {
	case CAIRN_REGISTER_UNDEFINED:
		write_register(out, CFI_UNDEFINED, reg);
		break;
	case CAIRN_REGISTER_SAME_VALUE:
		write_register(out, CFI_SAME_VALUE, reg);
		break;
	case CAIRN_REGISTER_VALUE:
		write_value(out, reg, where);
		break;
	case CAIRN_REGISTER_MEMORY:
		write_in_memory(out, reg, where);
		break;
	}
}

static bool counts_up_from_register(const struct cairn_register_rule *cfa)
{
	return cfa->kind == CAIRN_REGISTER_VALUE && cfa->base != CAIRN_BASE_CFA && cfa->offset >= 0;
}

/*
 * Write a new CFA rule. A row without a CFA, as in the outermost frame, keeps the previous rule,
 * because nothing uses it.
 */
static void write_cfa(struct byte_buffer *out, const struct cairn_register_rule *was,
                      const struct cairn_register_rule *cfa)
{
	if (cfa->kind != CAIRN_REGISTER_VALUE && cfa->kind != CAIRN_REGISTER_MEMORY)
		return;
	if (!counts_up_from_register(cfa)) {
		byte_buffer_u8(out, CFI_DEF_CFA_EXPRESSION);
		write_expression(out, cfa, cfa->kind == CAIRN_REGISTER_MEMORY);
	} else if (counts_up_from_register(was) && was->base == cfa->base) {
		byte_buffer_u8(out, CFI_DEF_CFA_OFFSET);
		byte_buffer_uleb(out, (uint64_t)cfa->offset);
	} else if (counts_up_from_register(was) && was->offset == cfa->offset) {
		write_register(out, CFI_DEF_CFA_REGISTER, cfa->base);
	} else {
		write_register(out, CFI_DEF_CFA, cfa->base);
		byte_buffer_uleb(out, (uint64_t)cfa->offset);
	}
}

static void write_saved(struct byte_buffer *out, unsigned reg, int16_t where)
{
	if (where == FLOW_UNKNOWN)
		write_register(out, CFI_UNDEFINED, reg);
	else if (where == FLOW_SAME)
		write_register(out, CFI_SAME_VALUE, reg);
	else
		write_offset(out, reg, (int64_t)where * WORD);
}

static void write_changes(struct cfi_encoder *e, const struct cfi_encoder_row *row)
{
	const struct arch *arch = arch_of(e->machine);
	const struct cairn_rule *was = &e->row.rule, *now = &row->rule;

	if (!rule_is_same_location(&was->cfa, &now->cfa))
		write_cfa(e->out, &was->cfa, &now->cfa);
	if (!rule_is_same_location(&was->ra, &now->ra))
		write_rule(e->out, arch->ra, &now->ra);
	if (!rule_is_same_location(&was->fp, &now->fp))
		write_rule(e->out, arch->fp, &now->fp);
	if (was->mangled != now->mangled)
		byte_buffer_u8(e->out, CFI_NEGATE_RA_STATE);
	for (unsigned i = 0; e->machine == CAIRN_MACHINE_AMD64 && i < FLOW_SAVED_REGISTERS; i++)
		if (e->row.saved[i] != row->saved[i])
			write_saved(e->out, saved_register_numbers[i], row->saved[i]);
	e->row = *row;
}

void cfi_encoder_finish_entry(struct byte_buffer *out, size_t at, uint8_t word)
{
	byte_buffer_align(out, word); /* pad with DW_CFA_nop, which is 0 */
	byte_buffer_overwrite(out, at, out->size - at - 4, 4);
}

static struct cfi_encoder_row initial_row(enum cairn_machine machine)
{
	const struct arch *arch = arch_of(machine);
	const struct cairn_register_rule same = { .kind = CAIRN_REGISTER_SAME_VALUE },
					 pushed = { CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA, -WORD };
	struct cfi_encoder_row row = { .rule = { .ra = arch->link ? same : pushed, .fp = same } };

	row.rule.cfa = (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, arch->sp,
		                                     arch->link ? -arch->sp_from_cfa : WORD };
	for (unsigned i = 0; i < FLOW_SAVED_REGISTERS; i++)
		row.saved[i] = FLOW_SAME;
	return row;
}

static void write_initial_instructions(struct cfi_encoder *e)
{
	static const struct cairn_register_rule none = { .kind = CAIRN_REGISTER_UNDEFINED };
	const struct arch *arch = arch_of(e->machine);
	const struct cfi_encoder_row row = initial_row(e->machine);

	write_cfa(e->out, &none, &row.rule.cfa);
	if (!arch->link)
		write_rule(e->out, arch->ra, &row.rule.ra);
	if (arch->sp_from_cfa != 0)
		write_value(e->out, arch->sp,
		            &(struct cairn_register_rule){ CAIRN_REGISTER_VALUE, CAIRN_BASE_CFA,
		                                           arch->sp_from_cfa });
	/* nothing records where other callee-saved registers are saved, so they are undefined */
	for (unsigned reg = 0; e->machine != CAIRN_MACHINE_AMD64 && reg < CAIRN_REGISTERS; reg++)
		if ((arch->saved >> reg & 1) && reg != arch->fp && reg != arch->sp)
			write_register(e->out, CFI_UNDEFINED, reg);
}

/*
 * Write the header of a CIE. The augmentation string is "z" plus one letter per property. There is
 * no augmentation data.
 */
size_t cfi_encoder_begin_cie(struct byte_buffer *out, const struct cfi_encoder_cie *cie)
{
	const size_t at = out->size;

	byte_buffer_number(out, 0, 4);
	byte_buffer_number(out, UINT32_MAX, 4);
	byte_buffer_u8(out, CIE_VERSION);
	if (cie->kind != 0)
		byte_buffer_u8(out, 'z');
	if (cie->kind & KIND_SIGNAL)
		byte_buffer_u8(out, 'S');
	if (cie->kind & KIND_KEY_B)
		byte_buffer_u8(out, 'B');
	byte_buffer_u8(out, 0);
	byte_buffer_u8(out, cie->word);
	byte_buffer_u8(out, 0);
	byte_buffer_uleb(out, 1);
	byte_buffer_sleb(out, cie->data_align);
	byte_buffer_uleb(out, cie->ra);
	if (cie->kind != 0)
		byte_buffer_uleb(out, 0);
	return at;
}

size_t cfi_encoder_begin_fde(struct byte_buffer *out, const struct cfi_encoder_cie *cie,
                             size_t cie_at, struct cairn_range range)
{
	const size_t at = out->size;

	byte_buffer_number(out, 0, 4);
	byte_buffer_number(out, cie_at, 4);
	byte_buffer_number(out, range.low, cie->word);
	byte_buffer_number(out, range.high - range.low, cie->word);
	if (cie->kind != 0)
		byte_buffer_uleb(out, 0);
	return at;
}

static struct cfi_encoder_cie describe_cie(const struct cfi_encoder *e, unsigned kind)
{
	return (struct cfi_encoder_cie){ kind, WORD, DATA_ALIGNMENT, arch_of(e->machine)->ra };
}

static void write_cie(struct cfi_encoder *e, unsigned kind)
{
	const struct cfi_encoder_cie cie = describe_cie(e, kind);

	e->has_cie[kind] = true;
	e->cie[kind] = cfi_encoder_begin_cie(e->out, &cie);
	write_initial_instructions(e);
	cfi_encoder_finish_entry(e->out, e->cie[kind], WORD);
}

static void begin_fde(struct cfi_encoder *e, uint64_t va, const struct cfi_encoder_row *row)
{
	e->open = true;
	e->kind = (row->rule.signal ? KIND_SIGNAL : 0u) | (row->rule.key_b ? KIND_KEY_B : 0u);
	if (!e->has_cie[e->kind])
		write_cie(e, e->kind);
	const struct cfi_encoder_cie cie = describe_cie(e, e->kind);
	e->fde = cfi_encoder_begin_fde(e->out, &cie, e->cie[e->kind],
	                               (struct cairn_range){ va, va });
	e->start = e->at = va;
	e->row = initial_row(e->machine);
	write_changes(e, row);
}

void cfi_encoder_advance(struct byte_buffer *out, uint64_t distance)
{
	if (distance < SHORT_DISTANCE) {
		byte_buffer_u8(out, (uint8_t)(ADVANCE_SHORT | distance));
	} else if (distance <= UINT8_MAX) {
		byte_buffer_u8(out, CFI_ADVANCE_1);
		byte_buffer_number(out, distance, 1);
	} else if (distance <= UINT16_MAX) {
		byte_buffer_u8(out, CFI_ADVANCE_2);
		byte_buffer_number(out, distance, 2);
	} else { /* no function is larger than 4 GiB */
		byte_buffer_u8(out, CFI_ADVANCE_4);
		byte_buffer_number(out, distance, 4);
	}
}

static bool changes_nothing(const struct cfi_encoder *e, const struct cfi_encoder_row *row)
{
	return rule_is_same_location(&e->row.rule.cfa, &row->rule.cfa) &&
	       rule_is_same_location(&e->row.rule.ra, &row->rule.ra) &&
	       rule_is_same_location(&e->row.rule.fp, &row->rule.fp) &&
	       e->row.rule.mangled == row->rule.mangled &&
	       memcmp(e->row.saved, row->saved, sizeof(row->saved)) == 0;
}

void cfi_encoder_row(struct cfi_encoder *e, uint64_t va, const struct cfi_encoder_row *row)
{
	if (!e->open) {
		begin_fde(e, va, row);
		return;
	}
	if (changes_nothing(e, row))
		return;
	cfi_encoder_advance(e->out, va - e->at);
	e->at = va;
	write_changes(e, row);
}

void cfi_encoder_end(struct cfi_encoder *e, uint64_t va)
{
	if (!e->open)
		return;
	e->open = false;
	byte_buffer_overwrite(e->out, e->fde + 2 * 4 + WORD, va - e->start, WORD);
	cfi_encoder_finish_entry(e->out, e->fde, WORD);
}
