/* SPDX-License-Identifier: MIT */
/*
 * The words of a command: options, then operands.  Operands are expressions, which may have several
 * words, and numbers: decimal, or hexadecimal after 0x.  Nothing is evaluated here.
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

/* Words number first to end - 1. */
struct word_range {
	unsigned first, end;
};

/* An option without its dashes. */
const char *option_name(const char *word);

/* Is the option (without its dashes) among the words before the first operand? */
bool words_have_option(const struct words *words, const char *name);

/* The value of the next option "-name=VALUE" from word number *at on; *at is 0 at first.  NULL: there is none. */
const char *words_next_value(const struct words *words, const char *name, unsigned *at);

/* The number of the first word after the options and the "--" that may end them. */
unsigned words_first_operand(const struct words *words);

struct word_range words_operands(const struct words *words);
unsigned words_count_operands(const struct words *words);

/* Adds the words, with blanks between them. */
void words_join(const struct words *words, struct word_range range, struct text *text);

/* Operand number `index`; false when it is not a number. */
bool words_parse_number(const struct words *words, unsigned index, uint64_t *number);

/*
 * Takes the last word off when it is a number of its own after an expression: "p 22", but not
 * "p + 22".  False when there is none.
 */
bool words_split_number(const struct words *words, struct word_range *expression, uint64_t *number);

/*
 * The word with which the last of two expressions begins, after blanks that belong to neither:
 * "p n", "p + 2 sizeof (x)", "(char *) p n - 1".  0 when there is one only.
 */
unsigned words_find_last_expression(const struct words *words);

#ifdef __cplusplus
}
#endif

#endif
