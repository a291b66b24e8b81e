/* SPDX-License-Identifier: MIT */
/*
 * Evaluates the postfix expressions of STACK CFI records:
 *
 *	a b +  -  *  /  %       unsigned integers of the word size
 *	a b @                   a rounded down to a multiple of b, a power of two
 *	a ^                     the word in memory at a
 *	number                  decimal, optionally with a minus
 *	.cfa                    the address of the frame
 *	anything else           a register of the frame itself
 */
#include "stack_cfi.h"

#include "base/bytes_compare.h"

#include "tokens.h"

struct evaluation {
	const struct breakpad_values *values;
	uint64_t mask;
	uint64_t stack[BREAKPAD_EXPRESSION_STACK];
	size_t depth;
	enum cairn_status status;
	const char *what;
};

static void fail_evaluation(struct evaluation *e, enum cairn_status status, const char *what)
{
	e->status = status;
	e->what = what;
}

static void push_value(struct evaluation *e, uint64_t value)
{
	if (e->depth == BREAKPAD_EXPRESSION_STACK)
		fail_evaluation(e, CAIRN_MALFORMED, "an expression with too many values at once");
	else
		e->stack[e->depth++] = value & e->mask;
}

static uint64_t pop_value(struct evaluation *e)
{
	if (e->depth > 0)
		return e->stack[--e->depth];
	fail_evaluation(e, CAIRN_MALFORMED, "an operator without its operands");
	return 0;
}

static void apply_division(struct evaluation *e, uint8_t symbol, uint64_t left, uint64_t right)
{
	if (right == 0)
		fail_evaluation(e, CAIRN_MALFORMED, "a division by zero");
	else
		push_value(e, symbol == '/' ? left / right : left % right);
}

static void apply_alignment(struct evaluation *e, uint64_t left, uint64_t right)
{
	if (right == 0 || (right & (right - 1)))
		fail_evaluation(e, CAIRN_MALFORMED, "an alignment that is not a power of two");
	else
		push_value(e, left & ~(right - 1));
}

static void apply_operator(struct evaluation *e, uint8_t symbol)
{
	uint64_t right = pop_value(e), left = pop_value(e);

	if (e->status != CAIRN_OK)
		return;
	if (symbol == '+')
		push_value(e, left + right);
	else if (symbol == '-')
		push_value(e, left - right);
	else if (symbol == '*')
		push_value(e, left * right);
	else if (symbol == '@')
		apply_alignment(e, left, right);
	else
		apply_division(e, symbol, left, right);
}

static void read_memory_word(struct evaluation *e)
{
	uint64_t address = pop_value(e), value;

	if (e->status != CAIRN_OK)
		return;
	if (e->values->read_word(e->values->context, address, &value))
		push_value(e, value);
	else
		fail_evaluation(e, CAIRN_UNREADABLE, "memory cannot be read");
}

static bool is_number(struct cairn_bytes token)
{
	size_t first = token.size > 1 && token.data[0] == '-';

	return token.data[first] >= '0' && token.data[first] <= '9';
}

static void push_number(struct evaluation *e, struct cairn_bytes token)
{
	bool negative = token.data[0] == '-';
	uint64_t sum = 0;

	for (size_t i = negative; i < token.size; i++) {
		unsigned digit = token.data[i] - (unsigned)'0';
		if (digit > 9 || sum > (UINT64_MAX - digit) / 10) {
			fail_evaluation(e, CAIRN_MALFORMED,
			                "a number that is not decimal, or too large");
			return;
		}
		sum = sum * 10 + digit;
	}
	push_value(e, negative ? -sum : sum);
}

static void push_named(struct evaluation *e, struct cairn_bytes token)
{
	uint64_t value;

	if (bytes_are(token, ".cfa") && e->values->cfa)
		push_value(e, *e->values->cfa);
	else if (token.data[0] == '.')
		fail_evaluation(e, CAIRN_NOT_FOUND, "a value that cannot be recovered");
	else if (e->values->read_register(e->values->context, token, &value))
		push_value(e, value);
	else
		fail_evaluation(e, CAIRN_NOT_FOUND, "a register is not known");
}

static void evaluate_token(struct evaluation *e, struct cairn_bytes token)
{
	uint8_t first = token.data[0];

	if (token.size == 1 && first == '^')
		read_memory_word(e);
	else if (token.size == 1 && first != 0 && strchr("+-*/%@", first))
		apply_operator(e, first);
	else if (is_number(token))
		push_number(e, token);
	else
		push_named(e, token);
}

enum cairn_status breakpad_evaluate(struct cairn_bytes expression,
                                    const struct breakpad_values *values, uint64_t *value,
                                    struct cairn_fault *fault)
{
	struct evaluation e = { .values = values,
		                .mask = values->word == 4 ? UINT32_MAX : UINT64_MAX };
	struct cairn_bytes rest = expression, token = { expression.data, 0 };

	if (expression.size > BREAKPAD_EXPRESSION_MAX)
		fail_evaluation(&e, CAIRN_UNSUPPORTED, "an expression is too long");
	while (e.status == CAIRN_OK && (token = breakpad_next_token(&rest)).size > 0)
		evaluate_token(&e, token);
	if (e.status == CAIRN_OK && e.depth != 1)
		fail_evaluation(&e, CAIRN_MALFORMED, "an expression without one result");
	*fault = (struct cairn_fault){ e.status, (uint64_t)(token.data - expression.data), e.what };
	if (e.status == CAIRN_OK)
		*value = e.stack[0];
	return e.status;
}
