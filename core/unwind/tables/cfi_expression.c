/* SPDX-License-Identifier: MIT */
/* Evaluates DWARF expressions as defined in DWARF 5, section 2.5. */
#include "cfi_expression.h"

#include "base/bytes.h"
#include "base/reader.h"
#include "base/target_memory.h"

enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08, /* the opcodes up to const8s alternate between unsigned and signed */
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_PICK = 0x15,
	OP_SWAP = 0x16,
	OP_ROT = 0x17,
	OP_ABS = 0x19,
	OP_AND = 0x1a,
	OP_DIV = 0x1b,
	OP_MINUS = 0x1c,
	OP_MOD = 0x1d,
	OP_MUL = 0x1e,
	OP_NEG = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_BRA = 0x28,
	OP_EQ = 0x29,
	OP_GE = 0x2a,
	OP_GT = 0x2b,
	OP_LE = 0x2c,
	OP_LT = 0x2d,
	OP_NE = 0x2e,
	OP_SKIP = 0x2f,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,

	WORD = 8,
	WORD_BITS = 64,
};

struct run {
	struct reader in;
	const struct expression *e;
	unsigned depth;
	uint64_t stack[EXPRESSION_STACK];
};

static void push_value(struct run *r, uint64_t value)
{
	if (r->depth == EXPRESSION_STACK)
		reader_fail(&r->in, CAIRN_UNSUPPORTED, "an expression exceeds the stack limit");
	else
		r->stack[r->depth++] = value;
}

/* Return the value `down` entries below the top of the stack, or 0 after a failure. */
static uint64_t peek_value(struct run *r, unsigned down)
{
	if (down < r->depth)
		return r->stack[r->depth - 1 - down];
	reader_fail(&r->in, CAIRN_MALFORMED, "an expression pops from an empty stack");
	return 0;
}

static uint64_t pop_value(struct run *r)
{
	uint64_t value = peek_value(r, 0);

	r->depth -= r->depth > 0;
	return value;
}

static size_t word_size(const struct expression *e)
{
	const struct arch *arch = arch_of(e->frame->machine);

	return arch ? arch->address : WORD;
}

static void push_register(struct run *r, uint64_t number, int64_t offset)
{
	const struct cairn_registers *frame = r->e->frame;
	const struct arch *arch = arch_of(frame->machine);
	bool is_pc = arch && !arch->link && number == arch->ra;

	if (is_pc)
		push_value(r, frame->pc + (uint64_t)offset);
	else if (number < CAIRN_REGISTERS && register_known(frame, (unsigned)number))
		push_value(r, frame->value[number] + (uint64_t)offset);
	else
		reader_fail(&r->in, CAIRN_NOT_FOUND,
		            "an expression uses a register whose value is unknown");
}

static void push_dereferenced(struct run *r, size_t size)
{
	uint8_t bytes[WORD];
	uint64_t address = pop_value(r);

	if (size != 1 && size != 2 && size != 4 && size != WORD)
		reader_fail(&r->in, CAIRN_MALFORMED, "an expression reads a value of invalid size");
	if (!reader_ok(&r->in))
		return;
	if (!memory_read(r->e->target, address, bytes, size))
		reader_fail(&r->in, CAIRN_UNREADABLE, "an expression reads unreadable memory");
	else
		push_value(r, bytes_unsigned(bytes, size, r->in.big));
}

/* Push a constant of 1, 2, 4 or 8 bytes. The opcodes alternate between unsigned and signed. */
static void push_constant(struct run *r, uint8_t code)
{
	size_t size = (size_t)1 << (code - OP_CONST1U) / 2;
	struct cairn_bytes bytes = reader_bytes(&r->in, size);

	if (!reader_ok(&r->in))
		return;
	if ((code - OP_CONST1U) % 2)
		push_value(r, (uint64_t)bytes_signed(bytes.data, size, r->in.big));
	else
		push_value(r, bytes_unsigned(bytes.data, size, r->in.big));
}

static bool run_push(struct run *r, uint8_t code)
{
	uint64_t number;

	if (code >= OP_LIT0 && code <= OP_LIT31) {
		push_value(r, code - (uint64_t)OP_LIT0);
	} else if (code >= OP_BREG0 && code <= OP_BREG31) {
		push_register(r, code - (uint64_t)OP_BREG0, reader_sleb(&r->in));
	} else if (code >= OP_CONST1U && code <= OP_CONST8S) {
		push_constant(r, code);
	} else if (code == OP_CONSTU) {
		push_value(r, reader_uleb(&r->in));
	} else if (code == OP_CONSTS) {
		push_value(r, (uint64_t)reader_sleb(&r->in));
	} else if (code == OP_ADDR) {
		push_value(r, reader_word(&r->in, word_size(r->e) == WORD));
	} else if (code == OP_BREGX) {
		number = reader_uleb(&r->in);
		push_register(r, number, reader_sleb(&r->in));
	} else {
		return false;
	}
	return true;
}

static void rotate_stack(struct run *r, unsigned count)
{
	uint64_t top = peek_value(r, 0);

	peek_value(r, count - 1);
	if (!reader_ok(&r->in))
		return;
	for (unsigned i = r->depth - 1; i > r->depth - count; i--)
		r->stack[i] = r->stack[i - 1];
	r->stack[r->depth - count] = top;
}

static void run_branch(struct run *r, bool taken)
{
	size_t distance = (size_t)(int16_t)reader_u16(&r->in);
	/* huge, and therefore rejected, if the target is before the start */
	size_t to = r->in.at + distance;

	if (taken && to > r->in.in.size)
		reader_fail(&r->in, CAIRN_MALFORMED, "an expression branches out of bounds");
	else if (taken && reader_ok(&r->in))
		reader_seek(&r->in, to);
}

static bool run_stack(struct run *r, uint8_t code)
{
	switch (code) {
	case OP_NOP:
		return true;
	case OP_DUP:
		push_value(r, peek_value(r, 0));
		return true;
	case OP_DROP:
		pop_value(r);
		return true;
	case OP_OVER:
		push_value(r, peek_value(r, 1));
		return true;
	case OP_PICK:
		push_value(r, peek_value(r, reader_u8(&r->in)));
		return true;
	case OP_SWAP:
		rotate_stack(r, 2);
		return true;
	case OP_ROT:
		rotate_stack(r, 3);
		return true;
	case OP_DEREF:
		push_dereferenced(r, word_size(r->e));
		return true;
	case OP_DEREF_SIZE:
		push_dereferenced(r, reader_u8(&r->in));
		return true;
	case OP_BRA:
		run_branch(r, pop_value(r) != 0);
		return true;
	case OP_SKIP:
		run_branch(r, true);
		return true;
	default:
		return false;
	}
}

static bool run_unary(struct run *r, uint8_t code)
{
	uint64_t value;

	switch (code) {
	case OP_ABS:
		value = pop_value(r);
		push_value(r, (int64_t)value < 0 ? 0 - value : value);
		return true;
	case OP_NEG:
		push_value(r, 0 - pop_value(r));
		return true;
	case OP_NOT:
		push_value(r, ~pop_value(r));
		return true;
	case OP_PLUS_UCONST:
		value = pop_value(r);
		push_value(r, value + reader_uleb(&r->in));
		return true;
	default:
		return false;
	}
}

/*
 * Divide, or compute the remainder. DWARF defines division as signed; a quotient that does not fit
 * wraps. The remainder is unsigned.
 */
static uint64_t divide_values(struct run *r, uint8_t code, uint64_t left, uint64_t right)
{
	if (right == 0) {
		reader_fail(&r->in, CAIRN_MALFORMED, "an expression divides by zero");
		return 0;
	}
	if (code == OP_MOD)
		return left % right;
	return right == UINT64_MAX ? 0 - left : (uint64_t)((int64_t)left / (int64_t)right);
}

static uint64_t shift_value(uint8_t code, uint64_t value, uint64_t count)
{
	uint64_t sign = (int64_t)value < 0 ? UINT64_MAX : 0;

	if (count >= WORD_BITS)
		return code == OP_SHRA ? sign : 0;
	if (code == OP_SHL)
		return value << count;
	uint64_t filled = code == OP_SHRA && count > 0 ? sign << (WORD_BITS - count) : 0;
	return value >> count | filled;
}

static bool evaluate_comparison(uint8_t code, int64_t left, int64_t right)
{
	switch (code) {
	case OP_EQ:
		return left == right;
	case OP_GE:
		return left >= right;
	case OP_GT:
		return left > right;
	case OP_LE:
		return left <= right;
	case OP_LT:
		return left < right;
	default:
		return left != right;
	}
}

static uint64_t evaluate_binary(struct run *r, uint8_t code, uint64_t left, uint64_t right)
{
	switch (code) {
	case OP_AND:
		return left & right;
	case OP_DIV:
	case OP_MOD:
		return divide_values(r, code, left, right);
	case OP_MINUS:
		return left - right;
	case OP_MUL:
		return left * right;
	case OP_OR:
		return left | right;
	case OP_PLUS:
		return left + right;
	case OP_SHL:
	case OP_SHR:
	case OP_SHRA:
		return shift_value(code, left, right);
	case OP_XOR:
		return left ^ right;
	default:
		return evaluate_comparison(code, (int64_t)left, (int64_t)right);
	}
}

static bool run_binary(struct run *r, uint8_t code)
{
	if (code < OP_AND || code > OP_NE)
		return false;
	uint64_t right = pop_value(r), left = pop_value(r);
	push_value(r, evaluate_binary(r, code, left, right));
	return true;
}

static void run_operation(struct run *r)
{
	size_t at = r->in.at;
	uint8_t code = reader_u8(&r->in);

	/* run_binary() comes last because it accepts all remaining opcodes in its range */
	if (!run_push(r, code) && !run_stack(r, code) && !run_unary(r, code) &&
	    !run_binary(r, code))
		reader_fail_at(&r->in, at, CAIRN_UNSUPPORTED, "unknown operation in an expression");
}

enum cairn_status expression_evaluate(const struct expression *e, uint64_t *value,
                                      struct cairn_fault *fault)
{
	struct run r = { .in = reader_open(e->code, e->frame->big_endian), .e = e };
	unsigned steps = 0;

	if (e->cfa)
		push_value(&r, *e->cfa);
	while (reader_ok(&r.in) && reader_left(&r.in) > 0) {
		if (steps++ == EXPRESSION_STEPS)
			reader_fail(&r.in, CAIRN_UNSUPPORTED,
			            "an expression exceeds the step limit");
		else
			run_operation(&r);
	}
	uint64_t result = pop_value(&r);
	if (!reader_ok(&r.in)) {
		*fault = r.in.fault;
		return fault->status;
	}
	*value = word_size(e) == WORD ? result : (uint32_t)result;
	return CAIRN_OK;
}
