/* SPDX-License-Identifier: MIT */
/*
 * Guesses which rows of a function begin statements, for symbols that do not record it. Debuggers
 * only set breakpoints at the beginning of a statement.
 *
 * Optimizing gcc writes several rows for one address: one for each statement that begins there, and
 * finally the line that the instruction belongs to. Later instructions of a statement have rows of
 * their own that do not begin anything. Therefore, in a function with several rows at one address,
 *   - a row is a statement if another row of its address follows, or if its line has not begun yet;
 *   - the highest line in the function's file, which is its closing brace, is not a statement;
 *   - lines of single rows before the first such address begin where the function does, because
 *     llvm-gsymutil drops these rows when the function's own line repeats at its start.
 * In all other functions every row is a statement.
 */
#ifndef CAIRN_WRITERS_ELF_STATEMENTS_H
#define CAIRN_WRITERS_ELF_STATEMENTS_H

#include "parts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_WRITER_OPENINGS = 8 }; /* further lines begin at their own rows */

struct elf_writer_statement {
	uint64_t path, line; /* `path` is 0 for a free slot */
};

/* Reused for the next function. Must be zero-initialized. */
struct elf_writer_statements {
	bool guessing;
	struct elf_writer_statement *begun;
	size_t slots, room; /* number of slots, a power of two */
	/* Lines that begin where the function does, ascending. */
	struct elf_writer_statement opening[ELF_WRITER_OPENINGS];
	size_t openings;
	struct elf_writer_statement last; /* closing brace of the function */
};

/* A row; `path` is 0 if its location is unknown. */
struct elf_writer_line_row {
	uint64_t va, path;
	int64_t line;
	bool statement, prologue_end; /* only if the function has statement marks */
};

bool elf_writer_statements_begin(struct elf_writer_statements *statements,
                                 const struct elf_writer_line_row *row, size_t count);
void elf_writer_statements_finish(struct elf_writer_statements *statements);

/*
 * Return true if row `index` of the `count` rows at one address is a statement. Must be called in
 * the order of the rows.
 */
bool elf_writer_is_statement(struct elf_writer_statements *statements, uint64_t path, uint64_t line,
                             size_t index, size_t count);

#endif
