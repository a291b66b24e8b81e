/* SPDX-License-Identifier: MIT */
/*
 * The STACK records of Breakpad symbol files: which rules there are for an address, and what an
 * expression comes to. The format is described in docs/formats/breakpad.md.
 *
 *	struct breakpad_stack stack;
 *	struct breakpad_rule rule;
 *	breakpad_read_stack(record.stack, &stack);
 *	if (stack.kind == BREAKPAD_STACK_INIT)
 *		while (breakpad_next_rule(&stack.rules, &rule))
 *			status = breakpad_evaluate(rule.expression, &values, &value, &fault);
 *
 * Which rules are in force at an address is for unwind/stack_cfi/, which knows the whole file.
 */
#ifndef CAIRN_FORMATS_BREAKPAD_STACK_CFI_H
#define CAIRN_FORMATS_BREAKPAD_STACK_CFI_H

#include <cairn.h>

enum breakpad_stack_kind {
	BREAKPAD_STACK_INIT,  /* all rules from `address` on, for `size` bytes */
	BREAKPAD_STACK_DELTA, /* those that change at `address` */
	BREAKPAD_STACK_WIN,   /* Windows' own rules, which are not read */
	BREAKPAD_STACK_BAD,
};

struct breakpad_stack {
	enum breakpad_stack_kind kind;
	uint64_t address;         /* from the module's beginning */
	uint64_t size;            /* INIT; address + size does not wrap */
	struct cairn_bytes rules; /* INIT, DELTA: their text, checked */
	const char *what;         /* BAD: why */
};

/* `text` is what follows the keyword STACK on its line. */
void breakpad_read_stack(struct cairn_bytes text, struct breakpad_stack *stack);

/* A register, ".cfa" or ".ra", and how to work out what it was in the caller. */
struct breakpad_rule {
	struct cairn_bytes name;       /* without the colon */
	struct cairn_bytes expression; /* not empty */
};

/* Rule after rule of such a text; false at the end. */
bool breakpad_next_rule(struct cairn_bytes *rules, struct breakpad_rule *rule);

enum {
	BREAKPAD_EXPRESSION_MAX = 4096, /* bytes; compilers need some 20, the longest known 200 */
	BREAKPAD_EXPRESSION_STACK = 32, /* values at once; those known need four */
};

/* What an expression may refer to. The functions return false for what is not known. */
struct breakpad_values {
	bool (*read_register)(void *context, struct cairn_bytes name, uint64_t *value);
	bool (*read_word)(void *context, uint64_t address, uint64_t *value);
	void *context;
	const uint64_t *cfa; /* NULL: it is being worked out */
	unsigned word;       /* bytes of an address, 4 or 8: results have no more bits */
};

/*
 * NOT_FOUND: a register is not known, or the rule is ".undef". UNREADABLE: memory is not readable.
 * UNSUPPORTED: it is longer than BREAKPAD_EXPRESSION_MAX.
 * MALFORMED: the expression is at fault, at fault->offset in it. *value is set with OK only.
 */
CAIRN_MUST_USE enum cairn_status breakpad_evaluate(struct cairn_bytes expression,
                                                   const struct breakpad_values *values,
                                                   uint64_t *value, struct cairn_fault *fault);

#endif
