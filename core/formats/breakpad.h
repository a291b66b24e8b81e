/* SPDX-License-Identifier: MIT */
/*
 * Reads Breakpad symbol files line by line. Each nonblank line is a record. The caller combines
 * related records, for example a function and the lines that follow it
 * (symbols/breakpad.h). docs/formats/breakpad.md describes the format.
 *
 *	struct breakpad in = breakpad_open(bytes);
 *	struct breakpad_record record;
 *	while (breakpad_next(&in, &record))
 *		if (record.kind == BREAKPAD_FUNC)
 *			... record.address, record.size, record.name
 *
 * An invalid line is returned as BREAKPAD_BAD with the reason, and later lines remain readable.
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
	BREAKPAD_STACK, /* unwind rules; see breakpad_read_stack() */
	BREAKPAD_INFO,  /* an INFO record other than CODE_ID */
	BREAKPAD_UNKNOWN,
	BREAKPAD_BAD,
};

/* File number of records that store -1 or no file number. */
#define BREAKPAD_NO_FILE UINT64_MAX

/* A record. The comments name the kinds of records that set each member. */
struct breakpad_record {
	enum breakpad_kind kind;
	uint64_t line_number;

	uint64_t address; /* FUNC, LINE, PUBLIC: offset from the module's first byte */
	uint64_t size;    /* FUNC, LINE: size in bytes; address + size does not wrap */
	uint32_t line;    /* LINE: source line; INLINE: line of the call site */
	/*
	 * LINE, FILE: 32-bit file number; INLINE: file of the call site; ORIGIN: file of the
	 * inlined function; BREAKPAD_NO_FILE if the record has no file number
	 */
	uint64_t file;
	uint32_t origin; /* ORIGIN, INLINE: number that identifies the inlined function */
	uint32_t depth;
	bool shared;         /* FUNC, PUBLIC: other symbols share the code */
	uint64_t parameters; /* FUNC, PUBLIC: size of the stack parameters in bytes */

	/* FUNC, PUBLIC, FILE, ORIGIN: name; MODULE: base name of the module */
	struct cairn_bytes name;
	struct cairn_bytes os; /* MODULE: operating system */
	struct cairn_bytes id; /* MODULE, CODE_ID: hexadecimal digits */
	/* CODE_ID: name of the code file; if it is not empty, `id` is not a build ID */
	struct cairn_bytes code_file;

	/* INLINE: validated string of ranges; see breakpad_next_range() */
	struct cairn_bytes ranges;

	/* STACK: rest of the line after the keyword; see breakpad_read_stack() */
	struct cairn_bytes stack;

	const char *what;            /* BAD: error message */
	enum breakpad_kind bad_kind; /* BAD: kind of the invalid line */
};

struct breakpad {
	struct cairn_bytes in;
	size_t at;
	uint64_t line_number;
};

struct breakpad breakpad_open(struct cairn_bytes bytes);
bool breakpad_next(struct breakpad *breakpad, struct breakpad_record *record);

bool breakpad_next_range(struct cairn_bytes *ranges, struct cairn_range *range);

/*
 * Return true if the bytes look like a Breakpad file. Use this only if they do not start with the
 * magic number of another format.
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
 * unwind/stack_cfi/ combines the records in a file and determines the rules that apply at an
 * address.
 */

enum breakpad_stack_kind {
	/* STACK CFI INIT: all rules for the `size` bytes of code from `address` on */
	BREAKPAD_STACK_INIT,
	BREAKPAD_STACK_DELTA, /* STACK CFI: only the rules that change at `address` */
	BREAKPAD_STACK_WIN,   /* STACK WIN: Windows unwind data, which cairn does not read */
	BREAKPAD_STACK_BAD,
};

struct breakpad_stack {
	enum breakpad_stack_kind kind;
	uint64_t address;         /* offset from the module's first byte */
	uint64_t size;            /* INIT: size of the code; address + size does not wrap */
	struct cairn_bytes rules; /* INIT, DELTA: validated rules */
	const char *what;         /* BAD: error message */
};

void breakpad_read_stack(struct cairn_bytes text, struct breakpad_stack *stack);

/* Rule for a register, ".cfa" or ".ra": an expression for its value in the caller. */
struct breakpad_rule {
	struct cairn_bytes name;
	struct cairn_bytes expression;
};

bool breakpad_next_rule(struct cairn_bytes *rules, struct breakpad_rule *rule);

enum {
	/*
	 * maximum size of an expression in bytes; compilers need about 20, the longest known one
	 * has 200
	 */
	BREAKPAD_EXPRESSION_MAX = 4096,
	/* maximum number of values on the evaluation stack; known expressions need four */
	BREAKPAD_EXPRESSION_STACK = 32,
};

/*
 * Access to registers and memory during evaluation. The callbacks return false for unknown values.
 */
struct breakpad_values {
	bool (*read_register)(void *context, struct cairn_bytes name, uint64_t *value);
	bool (*read_word)(void *context, uint64_t address, uint64_t *value);
	void *context;
	const uint64_t *cfa; /* canonical frame address; NULL while evaluating the .cfa rule */
	unsigned word;       /* size of an address, 4 or 8 bytes, to which results are truncated */
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
