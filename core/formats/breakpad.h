/* SPDX-License-Identifier: MIT */
/*
 * Reads Breakpad symbol files line by line, with one record per nonblank line. The caller combines
 * the records, for example lines with their function (symbols/sources/breakpad.h).
 * docs/formats/breakpad.md describes the format.
 *
 *	struct breakpad in = breakpad_open(bytes);
 *	struct breakpad_record record;
 *	while (breakpad_next(&in, &record))
 *		if (record.kind == BREAKPAD_FUNC)
 *			... record.address, record.size, record.name
 *
 * An invalid line is returned as BREAKPAD_BAD with the reason. It does not affect the following
 * lines.
 */
#ifndef CAIRN_FORMATS_BREAKPAD_H
#define CAIRN_FORMATS_BREAKPAD_H

#include <cairn.h>

enum breakpad_kind {
	BREAKPAD_MODULE,
	BREAKPAD_CODE_ID,
	BREAKPAD_FILE,
	BREAKPAD_FUNC,
	BREAKPAD_LINE,
	BREAKPAD_ORIGIN,
	BREAKPAD_INLINE,
	BREAKPAD_PUBLIC,
	BREAKPAD_STACK, /* unwind rules, see below */
	BREAKPAD_INFO,  /* INFO other than CODE_ID */
	BREAKPAD_UNKNOWN,
	BREAKPAD_BAD,
};

#define BREAKPAD_NO_FILE UINT64_MAX /* stored as -1, or missing in a form without file numbers */

struct breakpad_record {
	enum breakpad_kind kind;
	uint64_t line_number; /* starts at 1 */

	uint64_t address; /* FUNC, LINE, PUBLIC: offset from the start of the module */
	uint64_t size;    /* FUNC, LINE; address + size does not wrap */
	uint32_t line;    /* LINE; INLINE: line of the call */
	/*
	 * LINE, FILE: a 32-bit number; INLINE: file of the call; ORIGIN: file of the function; or
	 * BREAKPAD_NO_FILE
	 */
	uint64_t file;
	uint32_t origin;     /* ORIGIN, INLINE */
	uint32_t depth;      /* INLINE */
	bool shared;         /* FUNC, PUBLIC: other symbols share the code */
	uint64_t parameters; /* FUNC, PUBLIC: size on the stack in bytes */

	struct cairn_bytes name;      /* FUNC, PUBLIC, FILE, ORIGIN; MODULE: its base name */
	struct cairn_bytes os;        /* MODULE */
	struct cairn_bytes id;        /* MODULE, CODE_ID: hexadecimal digits */
	struct cairn_bytes code_file; /* CODE_ID: if not empty, the ID is not a build ID */

	/* INLINE: validated text of the ranges; see breakpad_next_range() */
	struct cairn_bytes ranges;

	struct cairn_bytes stack; /* STACK: text after the keyword; see breakpad_read_stack() */

	const char *what;            /* BAD: reason */
	enum breakpad_kind bad_kind; /* BAD: kind of the invalid record */
};

struct breakpad {
	struct cairn_bytes in;
	size_t at;
	uint64_t line_number;
};

struct breakpad breakpad_open(struct cairn_bytes bytes);
bool breakpad_next(struct breakpad *breakpad, struct breakpad_record *record);

/* Read the next range of an INLINE record. Return false at the end. */
bool breakpad_next_range(struct cairn_bytes *ranges, struct cairn_range *range);

/*
 * Return true if the bytes look like a Breakpad file. Use this only if no other format's magic
 * number matches.
 */
bool breakpad_is_likely(struct cairn_bytes bytes);

/*
 * Decode the build ID in a MODULE or CODE_ID record. Return its size in bytes, or 0 if the record
 * does not contain one.
 */
enum { BREAKPAD_ID_MAX = 64 };
size_t breakpad_build_id(const struct breakpad_record *record, uint8_t id[BREAKPAD_ID_MAX]);

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
