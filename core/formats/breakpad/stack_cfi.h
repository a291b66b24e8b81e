/* SPDX-License-Identifier: MIT */
/*
 * Reads the STACK records of Breakpad symbol files and evaluates their expressions.
 * docs/formats/breakpad.md describes the format.
 *
 *	struct breakpad_stack stack;
 *	struct breakpad_rule rule;
 *	breakpad_read_stack(record.stack, &stack);
 *	if (stack.kind == BREAKPAD_STACK_INIT)
 *		while (breakpad_next_rule(&stack.rules, &rule))
 *			status = breakpad_evaluate(rule.expression, &values, &value, &fault);
 *
 * unwind/stack_cfi/ determines the rules in force at an address from the whole file.
 */
#ifndef CAIRN_FORMATS_BREAKPAD_STACK_CFI_H
#define CAIRN_FORMATS_BREAKPAD_STACK_CFI_H

#include <cairn.h>

enum breakpad_stack_kind {
	BREAKPAD_STACK_INIT,  /* all rules, from `address` on for `size` bytes */
	BREAKPAD_STACK_DELTA, /* rules that change at `address` */
	BREAKPAD_STACK_WIN,   /* rules for Windows, which are not read */
	BREAKPAD_STACK_BAD,
};

struct breakpad_stack {
	enum breakpad_stack_kind kind;
	uint64_t address;         /* offset from the start of the module */
	uint64_t size;            /* INIT; address + size does not wrap */
	struct cairn_bytes rules; /* INIT, DELTA: validated text */
	const char *what;         /* BAD: reason */
};

/* Read a STACK record. `text` is the line without the keyword. */
void breakpad_read_stack(struct cairn_bytes text, struct breakpad_stack *stack);

/* The rule of a register, ".cfa" or ".ra": an expression for its value in the caller. */
struct breakpad_rule {
	struct cairn_bytes name;
	struct cairn_bytes expression;
};

bool breakpad_next_rule(struct cairn_bytes *rules, struct breakpad_rule *rule);

enum {
	/* in bytes; compilers need about 20, the longest known expression has 200 */
	BREAKPAD_EXPRESSION_MAX = 4096,
	/* number of values on the stack; known expressions need four */
	BREAKPAD_EXPRESSION_STACK = 32,
};

/* Values for expressions. The callbacks return false for unknown values. */
struct breakpad_values {
	bool (*read_register)(void *context, struct cairn_bytes name, uint64_t *value);
	bool (*read_word)(void *context, uint64_t address, uint64_t *value);
	void *context;
	const uint64_t *cfa; /* NULL while the CFA itself is evaluated */
	unsigned word;       /* address size in bytes, 4 or 8; results are truncated to it */
};

/*
 * Evaluate an expression. Return CAIRN_NOT_FOUND if a register is unknown or the rule is ".undef",
 * CAIRN_UNREADABLE if memory cannot be read, CAIRN_UNSUPPORTED if the expression exceeds
 * BREAKPAD_EXPRESSION_MAX, and CAIRN_MALFORMED if it is invalid at fault->offset. *value is set
 * only on success.
 */
CAIRN_MUST_USE enum cairn_status breakpad_evaluate(struct cairn_bytes expression,
                                                   const struct breakpad_values *values,
                                                   uint64_t *value, struct cairn_fault *fault);

#endif
