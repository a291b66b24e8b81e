/* SPDX-License-Identifier: MIT */
/* Parses the numeric operands of a command and groups the words of an expression. */
#include "operands.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 19 }; /* more may not fit 64 bits */

unsigned operands_count(const struct command_call *call)
{
	return call->request->word_count - words_first_operand(call->request);
}

static bool parse_unsigned(const char *word, uint64_t *number)
{
	bool hex = word[0] == '0' && word[1] == 'x';
	const char *digits = hex ? word + 2 : word;
	size_t size = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");

	if (size == 0 || size > (hex ? 16 : DIGITS_MAX) || digits[size] != '\0')
		return false;
	*number = strtoull(digits, NULL, hex ? 16 : 10);
	return true;
}

bool operands_number(const struct command_call *call, unsigned index, uint64_t *number)
{
	return index < operands_count(call) &&
	       parse_unsigned(call->request->words[words_first_operand(call->request) + index],
	                      number);
}

/* How many more brackets are closed than opened in the word. */
static int count_closed_brackets(const char *word)
{
	int count = 0;

	for (; *word; word++) {
		count += strchr(")]}", *word) != NULL;
		count -= strchr("([{", *word) != NULL;
	}
	return count;
}

/* Does an expression go on from the one word to the other? */
static bool continues_expression(const char *before, const char *word)
{
	static const char operators[] = "+-*/%&|^~!<>=,?:.([";
	char last = *before ? before[strlen(before) - 1] : '\0';

	return (last && strchr(operators, last)) || (*word && strchr("+-*/%&|^<>=,?:.)]", *word)) ||
	       (*word == '(' && strcmp(before, "sizeof") == 0);
}

unsigned operands_last(const struct command_call *call)
{
	const struct request *r = call->request;
	unsigned first = words_first_operand(r), at = r->word_count;
	int open = 0;

	while (at-- > first + 1) {
		open += count_closed_brackets(r->words[at]);
		if (open <= 0 && !continues_expression(r->words[at - 1], r->words[at]))
			return at;
	}
	return 0;
}

bool operands_remove_number(struct command_call *call, uint64_t *number)
{
	unsigned count = operands_count(call);
	uint64_t last;

	if (count < 2 || !operands_number(call, count - 1, &last))
		return false;
	const char *before = call->request->words[words_first_operand(call->request) + count - 2];
	if (!*before || strchr("+-*/%&|^~!<>=,?:([", before[strlen(before) - 1]))
		return false;
	*number = last;
	call->exchange->kept.word_count--;
	return true;
}
