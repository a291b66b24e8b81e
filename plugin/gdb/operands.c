/* SPDX-License-Identifier: MIT */
#include "operands.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 19 }; /* more may not fit 64 bits */

unsigned operands_count(const struct call *call)
{
	return call->request->word_count - words_first_operand(call->request);
}

static bool parse(const char *word, uint64_t *number)
{
	bool hex = word[0] == '0' && word[1] == 'x';
	const char *digits = hex ? word + 2 : word;
	size_t size = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");

	if (size == 0 || size > (hex ? 16 : DIGITS_MAX) || digits[size] != '\0')
		return false;
	*number = strtoull(digits, NULL, hex ? 16 : 10);
	return true;
}

bool operands_number(const struct call *call, unsigned index, uint64_t *number)
{
	return index < operands_count(call) &&
	       parse(call->request->words[words_first_operand(call->request) + index], number);
}

bool operands_take_number(struct call *call, uint64_t *number)
{
	unsigned count = operands_count(call);

	if (count < 2 || !operands_number(call, count - 1, number))
		return false;
	const char *before = call->request->words[words_first_operand(call->request) + count - 2];
	if (!*before || strchr("+-*/%&|^~!<>=,?:([", before[strlen(before) - 1]))
		return false;
	call->session->kept.word_count--;
	return true;
}
