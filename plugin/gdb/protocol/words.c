/* SPDX-License-Identifier: MIT */
/* Parses the words of a command: options, then operands. */
#include "call.h"

#include <ctype.h>
#include <string.h>

/* A dash before anything but a letter belongs to an expression: -1, -(x). */
static bool is_option(const char *word)
{
	const char *name = word + 1 + (word[0] == '-' && word[1] == '-');

	return word[0] == '-' && (*name == '\0' ? name == word + 2 : isalpha((unsigned char)*name));
}

const char *option_name(const char *word)
{
	return word + 1 + (word[1] == '-');
}

bool command_call_option(const struct command_call *call, const char *name)
{
	const struct request *r = call->request;

	for (unsigned i = 0; i < r->word_count && is_option(r->words[i]); i++)
		if (strcmp(option_name(r->words[i]), name) == 0)
			return true;
	return false;
}

unsigned words_first_operand(const struct request *r)
{
	unsigned first = 0;

	while (first < r->word_count && is_option(r->words[first]))
		if (strcmp(r->words[first++], "--") == 0)
			break;
	return first > r->begin ? first : r->begin;
}

const char *command_call_expression(struct command_call *call)
{
	const struct request *r = call->request;
	struct text *text = &call->exchange->expression;

	text_reset(text);
	for (unsigned first = words_first_operand(r), i = first; i < r->word_count; i++) {
		text_add(text, i > first ? " " : "");
		text_add(text, r->words[i]);
	}
	return text->size ? text->data : "";
}

const char *command_call_path(struct command_call *call)
{
	struct text *text = &call->exchange->expression;
	const char *path = command_call_expression(call);

	if (text->size < 2 || (*path != '"' && *path != '\'') || path[text->size - 1] != *path)
		return path;
	text->data[text->size - 1] = '\0';
	return path + 1;
}
