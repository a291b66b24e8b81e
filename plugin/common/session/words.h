/* SPDX-License-Identifier: MIT */
/*
 * The words of a command: options, then operands. Operands are expressions, which may have several
 * words, and numbers: decimal, or hexadecimal after 0x. Expressions are not evaluated here.
 *
 *	struct word_range expression = words_operands(words);
 *	uint64_t length = 0;
 *	words_split_number(words, &expression, &length);        "trace 22"
 */
#ifndef CAIRN_COMMON_SESSION_WORDS_H
#define CAIRN_COMMON_SESSION_WORDS_H

#include "common/base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WORDS_MAX = 64 };

struct words {
	const char *word[WORDS_MAX];
	unsigned count;
	bool too_many;
};

/* The words from index `first` to `end` - 1. */
struct word_range {
	unsigned first, end;
};

/* Return the option without its dashes. */
const char *option_name(const char *word);

/* Return true if the option (given without dashes) is among the words before the first operand. */
bool words_have_option(const struct words *words, const char *name);

/*
 * Return the value of the next option "-name=VALUE" from word *at on, or NULL. *at is 0 at first.
 */
const char *words_next_value(const struct words *words, const char *name, unsigned *at);

/* Return the index of the first word after the options and the "--" that may end them. */
unsigned words_first_operand(const struct words *words);

struct word_range words_operands(const struct words *words);
unsigned words_count_operands(const struct words *words);

void words_join(const struct words *words, struct word_range range, struct text *text);

/* Parse operand number `index`. Returns false if it is not a number. */
bool words_parse_number(const struct words *words, unsigned index, uint64_t *number);

/*
 * Remove the last word from the expression if it is a separate number: in "p 22", but not in "p +
 * 22". Returns false if there is no such number.
 */
bool words_split_number(const struct words *words, struct word_range *expression, uint64_t *number);

/*
 * Return the index of the word that begins the second of two expressions: "p n", "p + 2 sizeof
 * (x)", "(char *) p n - 1". Returns 0 if there is only one expression.
 */
unsigned words_find_last_expression(const struct words *words);

#ifdef __cplusplus
}
#endif

#endif
