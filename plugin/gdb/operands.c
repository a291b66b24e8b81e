/* SPDX-License-Identifier: MIT */
#include "operands.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 19 }; /* more may not fit 64 bits */

/* The first word that is no option; "-1" is none. */
static unsigned first(const struct call *call)
{
	const struct request *r = call->request;
	unsigned i = 0;

	while (i < r->word_count && r->words[i][0] == '-' && r->words[i][1] &&
	       (r->words[i][1] < '0' || r->words[i][1] > '9')) {
		if (strcmp(r->words[i++], "--") == 0)
			break;
	}
	return i;
}

unsigned operands_count(const struct call *call)
{
	return call->request->word_count - first(call);
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
	       parse(call->request->words[first(call) + index], number);
}

bool operands_take_number(struct call *call, uint64_t *number)
{
	unsigned count = operands_count(call);

	if (count < 2 || !operands_number(call, count - 1, number))
		return false;
	const char *before = call->request->words[first(call) + count - 2];
	if (!*before || strchr("+-*/%&|^~!<>=,?:([", before[strlen(before) - 1]))
		return false;
	call->session->kept.word_count--;
	return true;
}
