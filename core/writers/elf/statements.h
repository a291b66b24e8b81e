/* SPDX-License-Identifier: MIT */
/*
 * Which rows of a function begin statements: a guess, where the symbols do not record it, and debuggers
 * place breakpoints only where one begins.
 *
 * gcc, when it optimizes, writes several rows for one address: one for each statement that begins
 * there, and at last the line that the instruction belongs to.  Later instructions of a statement
 * have rows of their own, which begin nothing.  So in a function with several rows at one address
 *   - a row is a statement when others of its address follow it, or when none of its line has
 * begun;
 *   - the highest line of the function's file, its closing brace, is none;
 *   - lines of rows that stand alone before the first such address begin where the function does:
 *     llvm-gsymutil forgets these when the function's own line comes back at its start.
 * In all other functions every row is a statement.
 */
#ifndef CAIRN_WRITERS_ELF_STATEMENTS_H
#define CAIRN_WRITERS_ELF_STATEMENTS_H

#include "writers/elf/parts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_WRITER_OPENINGS = 8 }; /* further lines begin where their rows are */

struct elf_writer_statement {
	uint64_t path, line; /* path 0: a free place of the table */
};

/* Kept for the next function; zero at first. */
struct elf_writer_statements {
	bool guessing; /* in this function */
	struct elf_writer_statement *begun;
	size_t slots, room; /* a power of two */
	struct elf_writer_statement opening
		[ELF_WRITER_OPENINGS]; /* lines that begin where the function does, ascending */
	size_t openings;
	struct elf_writer_statement last; /* the function's closing brace */
};

/* A row of the function; path 0: its place is not known. */
struct elf_writer_line_row {
	uint64_t va, path;
	int64_t line;
	bool statement, prologue_end; /* when the function knows */
};

/* All rows of the function.  False when memory is short. */
bool elf_writer_statements_begin(struct elf_writer_statements *statements,
                                 const struct elf_writer_line_row *row, size_t count);
void elf_writer_statements_finish(struct elf_writer_statements *statements);

/* Row number `index` of the `count` of one address; asked in the order of the rows. */
bool elf_writer_is_statement(struct elf_writer_statements *statements, uint64_t path, uint64_t line,
                             size_t index, size_t count);

#endif
