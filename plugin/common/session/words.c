/* SPDX-License-Identifier: MIT */
/* Separates options from operands, and operands from each other. */
#include "words.h"

#include <cairn.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 19 }; /* a number with more digits may not fit in 64 bits */

/*
 * A dash before anything but a letter belongs to an expression: -1, -(x). One in 64 base64 FileIDs
 * also begins with a dash.
 */
static bool is_option(const char *word)
{
	const char *name = word + 1 + (word[0] == '-' && word[1] == '-');
	struct cairn_file_id id;

	return word[0] == '-' &&
	       (*name == '\0' ? name == word + 2 : isalpha((unsigned char)*name)) &&
	       !cairn_file_id_parse(word, &id);
}

const char *option_name(const char *word)
{
	return word + 1 + (word[1] == '-');
}

bool words_have_option(const struct words *words, const char *name)
{
	for (unsigned i = 0; i < words->count && is_option(words->word[i]); i++)
		if (strcmp(option_name(words->word[i]), name) == 0)
			return true;
	return false;
}

const char *words_next_value(const struct words *words, const char *name, unsigned *at)
{
	const size_t size = strlen(name);

	while (*at < words->count && is_option(words->word[*at])) {
		const char *option = option_name(words->word[(*at)++]);
		if (strncmp(option, name, size) == 0 && option[size] == '=')
			return option + size + 1;
	}
	return NULL;
}

unsigned words_first_operand(const struct words *words)
{
	unsigned first = 0;

	while (first < words->count && is_option(words->word[first]))
		if (strcmp(words->word[first++], "--") == 0)
			break;
	return first;
}

struct word_range words_operands(const struct words *words)
{
	return (struct word_range){ words_first_operand(words), words->count };
}

unsigned words_count_operands(const struct words *words)
{
	return words->count - words_first_operand(words);
}

void words_join(const struct words *words, struct word_range range, struct text *text)
{
	for (unsigned i = range.first; i < range.end; i++) {
		text_add(text, i > range.first ? " " : "");
		text_add(text, words->word[i]);
	}
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

bool words_parse_number(const struct words *words, unsigned index, uint64_t *number)
{
	return index < words_count_operands(words) &&
	       parse_unsigned(words->word[words_first_operand(words) + index], number);
}

bool words_split_number(const struct words *words, struct word_range *expression, uint64_t *number)
{
	uint64_t last;

	if (expression->end - expression->first < 2 ||
	    !parse_unsigned(words->word[expression->end - 1], &last))
		return false;
	const char *before = words->word[expression->end - 2];
	if (!*before || strchr("+-*/%&|^~!<>=,?:([", before[strlen(before) - 1]))
		return false;
	*number = last;
	expression->end--;
	return true;
}

static int count_closed_brackets(const char *word)
{
	int count = 0;

	for (; *word; word++) {
		count += strchr(")]}", *word) != NULL;
		count -= strchr("([{", *word) != NULL;
	}
	return count;
}

/* Return true if `word` continues the expression that contains `before`. */
static bool continues_expression(const char *before, const char *word)
{
	static const char operators[] = "+-*/%&|^~!<>=,?:.([";
	char last = *before ? before[strlen(before) - 1] : '\0';

	return (last && strchr(operators, last)) || (*word && strchr("+-*/%&|^<>=,?:.)]", *word)) ||
	       (*word == '(' && strcmp(before, "sizeof") == 0);
}

unsigned words_find_last_expression(const struct words *words)
{
	unsigned first = words_first_operand(words), at = words->count;
	int open = 0;

	while (at-- > first + 1) {
		open += count_closed_brackets(words->word[at]);
		if (open <= 0 && !continues_expression(words->word[at - 1], words->word[at]))
			return at;
	}
	return 0;
}
