/* SPDX-License-Identifier: MIT */
/*
 * Evaluates expressions on a stack of symbolic values: number, register + number, and (register +
 * number). This covers the PLT expression of linkers (see DWARF 5, section 2.5):
 *
 *	sp + 8 + ((rip & 15) >= 11) << 3
 */
#include "symbolic_expression.h"

#include <dwarf.h>

enum {
	DEPTH_MAX = 8, /* depth of the expression stack; more than any known expression needs */
	BASE_NONE = 0xfffe,
};

/* Values are of kind VALUE (a plain number if base is BASE_NONE), MEMORY, or UNDEFINED. */
struct stack {
	struct cairn_register_rule values[DEPTH_MAX];
	unsigned depth;
	bool failed;
};

static const struct cairn_register_rule unknown = { .kind = CAIRN_REGISTER_UNDEFINED };

static void push_symbolic_value(struct stack *s, uint16_t base, uint64_t number)
{
	if (s->depth == DEPTH_MAX) {
		s->failed = true;
		return;
	}
	s->values[s->depth++] =
		(struct cairn_register_rule){ CAIRN_REGISTER_VALUE, base, (int64_t)number };
}

static struct cairn_register_rule pop_symbolic_value(struct stack *s)
{
	if (s->depth == 0) {
		s->failed = true;
		return unknown;
	}
	return s->values[--s->depth];
}

static uint64_t pop_number(struct stack *s)
{
	struct cairn_register_rule value = pop_symbolic_value(s);

	s->failed |= value.kind != CAIRN_REGISTER_VALUE || value.base != BASE_NONE;
	return (uint64_t)value.offset;
}

static void push_register(struct stack *s, struct symbolic_context *context, uint64_t number,
                          uint64_t offset)
{
	if (context->pc_register >= 0 && number == (uint64_t)context->pc_register) {
		context->used_pc = true;
		push_symbolic_value(s, BASE_NONE, context->pc + offset);
	} else if (number < BASE_NONE) {
		push_symbolic_value(s, (uint16_t)number, offset);
	} else {
		s->failed = true;
	}
}

/* Add a number to the top of the stack, which must not be dereferenced yet. */
static void add_to_top(struct stack *s, uint64_t number)
{
	struct cairn_register_rule value = pop_symbolic_value(s);

	s->failed |= value.kind != CAIRN_REGISTER_VALUE;
	push_symbolic_value(s, value.base, (uint64_t)value.offset + number);
}

static void add_top_two(struct stack *s)
{
	struct cairn_register_rule right = pop_symbolic_value(s);

	if (right.kind == CAIRN_REGISTER_VALUE && right.base == BASE_NONE) {
		add_to_top(s, (uint64_t)right.offset);
		return;
	}
	uint64_t left = pop_number(s);
	s->failed |= right.kind != CAIRN_REGISTER_VALUE;
	push_symbolic_value(s, right.base, (uint64_t)right.offset + left);
}

static void dereference_top(struct stack *s)
{
	struct cairn_register_rule value = pop_symbolic_value(s);

	s->failed |= value.kind != CAIRN_REGISTER_VALUE || value.base == BASE_NONE;
	push_symbolic_value(s, value.base, (uint64_t)value.offset);
	if (!s->failed)
		s->values[s->depth - 1].kind = CAIRN_REGISTER_MEMORY;
}

/* Apply an operator to two plain numbers. Returns false if the operator is unknown. */
static bool apply_operator(struct stack *s, uint8_t atom)
{
	uint64_t right = pop_number(s), left = pop_number(s);
	int64_t r = (int64_t)right, l = (int64_t)left;
	uint64_t result;

	switch (atom) {
	case DW_OP_and:
		result = left & right;
		break;
	case DW_OP_or:
		result = left | right;
		break;
	case DW_OP_xor:
		result = left ^ right;
		break;
	case DW_OP_mul:
		result = left * right;
		break;
	case DW_OP_shl:
		result = right < 64 ? left << right : 0;
		break;
	case DW_OP_shr:
		result = right < 64 ? left >> right : 0;
		break;
	case DW_OP_eq:
		result = l == r;
		break;
	case DW_OP_ne:
		result = l != r;
		break;
	case DW_OP_ge:
		result = l >= r;
		break;
	case DW_OP_gt:
		result = l > r;
		break;
	case DW_OP_le:
		result = l <= r;
		break;
	case DW_OP_lt:
		result = l < r;
		break;
	default:
		return false;
	}
	push_symbolic_value(s, BASE_NONE, result);
	return true;
}

static bool is_number(uint8_t atom)
{
	return atom == DW_OP_addr || (atom >= DW_OP_const1u && atom <= DW_OP_consts);
}

static void run_operation(struct stack *s, struct symbolic_context *context, const Dwarf_Op *op)
{
	uint8_t atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		push_symbolic_value(s, BASE_NONE, atom - DW_OP_lit0);
	else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		push_register(s, context, atom - DW_OP_breg0, op->number);
	else if (atom == DW_OP_bregx)
		push_register(s, context, op->number, op->number2);
	else if (atom == DW_OP_call_frame_cfa)
		push_symbolic_value(s, CAIRN_BASE_CFA, 0);
	else if (is_number(atom))
		push_symbolic_value(s, BASE_NONE, op->number);
	else if (atom == DW_OP_plus_uconst)
		add_to_top(s, op->number);
	else if (atom == DW_OP_plus)
		add_top_two(s);
	else if (atom == DW_OP_minus)
		add_to_top(s, -pop_number(s));
	else if (atom == DW_OP_deref)
		dereference_top(s);
	else if (!apply_operator(s, atom))
		s->failed = true;
}

static struct cairn_register_rule run_operations(struct symbolic_context *context,
                                                 const Dwarf_Op *ops, size_t count)
{
	struct stack s = { .depth = 0 };

	for (size_t i = 0; i < count && !s.failed; i++)
		run_operation(&s, context, &ops[i]);
	struct cairn_register_rule top = pop_symbolic_value(&s);
	return s.failed || top.base == BASE_NONE ? unknown : top;
}

struct cairn_register_rule symbolic_value(struct symbolic_context *context, const Dwarf_Op *ops,
                                          size_t count)
{
	return run_operations(context, ops, count);
}

/* Return true for a plain register, i.e. a value that was moved to that register. */
static bool is_register(const Dwarf_Op *op, uint64_t *number)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		*number = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx)
		*number = op->number;
	else
		return false;
	return *number < BASE_NONE;
}

struct cairn_register_rule symbolic_location(struct symbolic_context *context, const Dwarf_Op *ops,
                                             size_t count)
{
	uint64_t number;

	if (count == 1 && is_register(ops, &number))
		return (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, (uint16_t)number, 0 };
	if (count > 0 && ops[count - 1].atom == DW_OP_stack_value)
		return run_operations(context, ops, count - 1);
	struct cairn_register_rule place = run_operations(context, ops, count);
	if (place.kind != CAIRN_REGISTER_VALUE)
		return unknown;
	place.kind = CAIRN_REGISTER_MEMORY;
	return place;
}
