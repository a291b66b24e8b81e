/* SPDX-License-Identifier: MIT */
/* Converts rules of call frame information to SFrame rows. */
#include "places.h"

#include "base/reader.h"
#include "base/rule_places.h"
#include "unwind/target/memory.h"

#include <string.h>

enum {
	AMD64_SP = 7,
	OP_DEREF = 0x06,
	OP_LIT0 = 0x30,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_PLUS_UCONST = 0x23,
};

static const struct cairn_register_rule unknown_place = { .kind = CAIRN_REGISTER_UNDEFINED };

/*
 * Read a register plus an offset, or an offset from the CFA, which consumers push before they
 * evaluate an expression.
 */
static bool read_base(struct reader *in, struct cairn_register_rule *place)
{
	const uint8_t code = reader_u8(in);

	if (code == OP_PLUS_UCONST) {
		place->base = CAIRN_BASE_CFA;
		place->offset = (int64_t)reader_uleb(in);
		return true;
	}
	place->base = (uint16_t)(code - OP_BREG0);
	place->offset = reader_sleb(in);
	return code >= OP_BREG0 && code <= OP_BREG31;
}

/*
 * Return the value of an expression. For the expression of the CFA itself (`cfa`), the CFA is not
 * on the stack. Operands are LEB128, so the byte order does not matter.
 */
static struct cairn_register_rule read_value(struct cairn_bytes expression, bool cfa)
{
	struct reader in = reader_open(expression, false);
	struct cairn_register_rule place = { .kind = CAIRN_REGISTER_VALUE };

	if (!read_base(&in, &place) || (cfa && place.base == CAIRN_BASE_CFA))
		return unknown_place;
	if (reader_left(&in) > 0) {
		place.kind = CAIRN_REGISTER_MEMORY;
		if (reader_u8(&in) != OP_DEREF)
			return unknown_place;
	}
	return reader_ok(&in) && reader_left(&in) == 0 ? place : unknown_place;
}

/* Return the rule "saved in memory" for the address that an expression computes. */
static struct cairn_register_rule read_memory_place(struct cairn_bytes expression)
{
	struct cairn_register_rule place = read_value(expression, false);

	if (place.kind != CAIRN_REGISTER_VALUE)
		return unknown_place;
	place.kind = CAIRN_REGISTER_MEMORY;
	return place;
}

static struct cairn_register_rule find_register_place(const struct cfi_register_rule *rule,
                                                      uint16_t number)
{
	switch (rule->kind) {
	case CFI_RULE_SAME:
		return (struct cairn_register_rule){ .kind = CAIRN_REGISTER_SAME_VALUE };
	case CFI_RULE_OFFSET:
		return (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA,
			                             rule->offset };
	case CFI_RULE_VAL_OFFSET:
		return (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, CAIRN_BASE_CFA,
			                             rule->offset };
	case CFI_RULE_REGISTER:
		if (rule->reg == number)
			return (struct cairn_register_rule){ .kind = CAIRN_REGISTER_SAME_VALUE };
		return (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, rule->reg, 0 };
	case CFI_RULE_EXPRESSION:
		return read_memory_place(rule->expression);
	case CFI_RULE_VAL_EXPRESSION:
		return read_value(rule->expression, false);
	case CFI_RULE_UNSET:
	case CFI_RULE_UNDEFINED:
		break;
	}
	return unknown_place;
}

/*
 * Like find_register_place(), but a register without a rule is unchanged if `kept` is true. That
 * applies to callee-saved registers and to the link register.
 */
static struct cairn_register_rule find_unset_place(const struct cfi_register_rule *rule,
                                                   uint16_t number, bool kept)
{
	if (rule->kind == CFI_RULE_UNSET && kept)
		return (struct cairn_register_rule){ .kind = CAIRN_REGISTER_SAME_VALUE };
	return find_register_place(rule, number);
}

/*
 * Return true if the caller's stack pointer is what SFrame readers assume: the CFA. On s390x it is
 * a fixed distance below the CFA, and compilers save the register instead, which has the same
 * effect.
 */
static bool has_usual_sp(enum cairn_machine machine, const struct cfi_register_rule *sp,
                         const struct sframe_written_row *row)
{
	if (sp->kind == CFI_RULE_UNSET)
		return true;
	if (machine == CAIRN_MACHINE_S390X)
		return sp->kind == CFI_RULE_OFFSET || sp->kind == CFI_RULE_SAME ||
		       sp->kind == CFI_RULE_REGISTER;
	const struct cairn_register_rule place = find_register_place(sp, UINT16_MAX);
	if (place.kind == CAIRN_REGISTER_VALUE && place.base == CAIRN_BASE_CFA)
		return place.offset == 0;
	return place.kind != CAIRN_REGISTER_UNDEFINED && rule_is_same_place(&place, &row->cfa);
}

/*
 * Recognize the expression with which GNU ld describes all entries of a PLT on amd64: rsp + 8, plus
 * another 8 from the instruction after the push on.
 *
 *	breg7 8; breg16 0; lit15; and; lit11; ge; lit3; shl; plus
 */
static bool read_plt(struct cairn_bytes expression, uint8_t *pushed, int64_t *offset)
{
	enum { OFFSET_AT = 1, PUSHED_AT = 6 };
	static const uint8_t form[] = { 0x77, 0, 0x80, 0, 0x3f, 0x1a, 0, 0x2a, 0x33, 0x24, 0x22 };
	uint8_t bytes[sizeof(form)];

	if (expression.size != sizeof(form))
		return false;
	memcpy(bytes, expression.data, sizeof(form));
	*offset = bytes[OFFSET_AT];
	*pushed = (uint8_t)(bytes[PUSHED_AT] - OP_LIT0);
	bytes[OFFSET_AT] = bytes[PUSHED_AT] = 0;
	return memcmp(bytes, form, sizeof(form)) == 0 && *offset < 0x40 && *pushed > 0 &&
	       *pushed < PLACES_BLOCK;
}

static struct places refuse_row(enum cairn_sframe_loss loss)
{
	return (struct places){ .rows = 0, .loss = loss };
}

enum cairn_sframe_loss places_name_refusal(enum sframe_refusal refusal)
{
	switch (refusal) {
	case SFRAME_REFUSAL_NONE:
	case SFRAME_REFUSAL_CFA:
		return CAIRN_SFRAME_LOSS_CFA;
	case SFRAME_REFUSAL_RA:
		return CAIRN_SFRAME_LOSS_RA;
	case SFRAME_REFUSAL_FP:
		return CAIRN_SFRAME_LOSS_FP;
	case SFRAME_REFUSAL_OFFSET:
		return CAIRN_SFRAME_LOSS_OFFSET;
	case SFRAME_REFUSAL_OUTERMOST:
		return CAIRN_SFRAME_LOSS_OUTERMOST;
	}
	return CAIRN_SFRAME_LOSS_CFA;
}

static struct places find_plt_places(const struct sframe_format *format, const struct cfi_row *row,
                                     struct sframe_written_row first)
{
	uint8_t pushed;
	int64_t offset;

	if (format->machine != CAIRN_MACHINE_AMD64 || row->cfa.kind != CFI_RULE_VAL_EXPRESSION ||
	    row->start % PLACES_BLOCK != 0 || !read_plt(row->cfa.expression, &pushed, &offset))
		return refuse_row(CAIRN_SFRAME_LOSS_CFA);
	first.cfa = (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, AMD64_SP, offset };
	struct places both = { .row = { first, first }, .rows = 2 };
	both.row[1].start = pushed;
	both.row[1].cfa.offset += 8;
	if (row->reg[AMD64_SP].kind != CFI_RULE_UNSET)
		return refuse_row(CAIRN_SFRAME_LOSS_SP);
	for (unsigned i = 0; i < 2; i++) {
		const enum sframe_refusal refusal = sframe_write_refusal(format, &both.row[i]);
		if (refusal != SFRAME_REFUSAL_NONE)
			return refuse_row(places_name_refusal(refusal));
	}
	return both;
}

struct places places_find(const struct sframe_format *format, const struct ehframe_cie *cie,
                          const struct cfi_row *row)
{
	const struct arch *arch = arch_of(format->machine);
	struct sframe_written_row out = { .mangled = row->mangled };

	if (cie->ra != arch->ra || (row->mangled && format->machine != CAIRN_MACHINE_AARCH64))
		return refuse_row(CAIRN_SFRAME_LOSS_RA);
	if (cie->signal && format->version == 2)
		return refuse_row(CAIRN_SFRAME_LOSS_SIGNAL);
	out.outermost = row->reg[row->ra].kind == CFI_RULE_UNDEFINED;
	out.ra = find_unset_place(&row->reg[row->ra], (uint16_t)arch->ra, arch->link);
	out.fp = find_unset_place(&row->reg[arch->fp], (uint16_t)arch->fp, true);
	out.cfa = row->cfa.kind == CFI_RULE_REGISTER
	                  ? (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, row->cfa.reg,
		                                          row->cfa.offset }
	                  : read_value(row->cfa.expression, true);
	if (!out.outermost && out.cfa.kind == CAIRN_REGISTER_UNDEFINED)
		return find_plt_places(format, row, out);
	if (!out.outermost && !has_usual_sp(format->machine, &row->reg[arch->sp], &out))
		return refuse_row(CAIRN_SFRAME_LOSS_SP);
	const enum sframe_refusal refusal = sframe_write_refusal(format, &out);
	if (refusal != SFRAME_REFUSAL_NONE)
		return refuse_row(places_name_refusal(refusal));
	return (struct places){ .row = { out }, .rows = 1 };
}
