/* SPDX-License-Identifier: MIT */
/* Checks the words of a command against its usage, and runs its steps. */
#include "session.h"

#include <stdlib.h>
#include <string.h>

bool command_call_option(const struct command_call *call, const char *name)
{
	return words_have_option(call->words, name);
}

const char *command_call_expression(struct command_call *call)
{
	struct text *text = &call->session->expression;

	text_reset(text);
	words_join(call->words, words_operands(call->words), text);
	return text->size ? text->data : "";
}

const char *command_call_path(struct command_call *call)
{
	struct text *text = &call->session->expression;
	const char *path = command_call_expression(call);

	if (text->size < 2 || (*path != '"' && *path != '\'') || path[text->size - 1] != *path)
		return path;
	text->data[text->size - 1] = '\0';
	return path + 1;
}

/* Return true if the usage contains the option as "[-name]", "[-name VALUE]" or "[-name=VALUE]". */
static bool knows_option(const struct command *command, const char *name)
{
	const char *at = command->usage;
	size_t size = strcspn(name, "=");

	while ((at = strstr(at, "[-")) != NULL) {
		at += 2;
		if (strncmp(at, name, size) == 0 &&
		    (name[size] == '=' ? at[size] == '=' : at[size] == ']' || at[size] == ' '))
			return true;
	}
	return false;
}

/* Check the words against the usage of the command, and report an error if they do not match. */
static bool check_words(struct command_call *call, const struct command *command)
{
	const struct words *words = call->words;
	unsigned first = words_first_operand(words);
	const char *operand = strrchr(command->usage, ' ');

	operand = operand ? operand + 1 : command->usage;
	for (unsigned i = 0; i < first; i++)
		if (strcmp(words->word[i], "--") != 0 &&
		    !knows_option(command, option_name(words->word[i]))) {
			reply_error(call, "no option %s; usage: %s %s", words->word[i],
			            command->name, command->usage);
			return false;
		}
	bool takes = *operand && strncmp(operand, "[-", 2) != 0;
	if (words->too_many || (words->count > first && !takes))
		reply_error(call, "too many words; usage: %s %s", command->name, command->usage);
	else if (words->count == first && takes && *operand != '[')
		reply_error(call, "%s is missing; usage: %s %s", operand, command->name,
		            command->usage);
	return !call->failed;
}

static void end_command(struct session *s)
{
	struct running_command *running = &s->running;

	if (running->context && running->command->finish)
		running->command->finish(running->context);
	free(running->context);
	*running = (struct running_command){ .command = NULL };
}

static bool make_context(struct command_call *call, const struct command *command)
{
	struct running_command *running = &call->session->running;

	running->context = command->context_size ? calloc(1, command->context_size) : NULL;
	running->command = command;
	if (running->context || command->context_size == 0)
		return true;
	end_command(call->session);
	reply_error(call, "out of memory");
	return false;
}

bool command_begin(struct command_call *call, const struct command *command)
{
	end_command(call->session);
	sources_recover(&call->session->sources);
	call->json = command_call_option(call, "json");
	return check_words(call, command) && make_context(call, command);
}

enum answer command_continue(struct command_call *call)
{
	struct running_command *running = &call->session->running;
	enum answer answer = running->command ? ANSWER_READY : ANSWER_FAILED;

	call->json = running->json || command_call_option(call, "json");
	call->context = running->context;
	while (answer == ANSWER_READY && running->step < COMMAND_STEPS &&
	       running->command->steps[running->step]) {
		answer = running->command->steps[running->step](call);
		running->step += answer == ANSWER_READY;
	}
	running->json = call->json;
	if (answer != ANSWER_PENDING)
		end_command(call->session);
	return answer;
}
