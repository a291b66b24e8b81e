/* SPDX-License-Identifier: MIT */
/* Parses the words of a command, runs its steps and formats its replies. */
#include "command.h"

#include "session.h"

#include <cairn.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 19 }; /* numbers with more digits may exceed 64 bits */

/*
 * Treat a dash as the start of an option only before a letter; otherwise it begins an expression
 * (-1, -(x)) or a FileID. One in 64 base64 FileIDs begins with a dash.
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

/* Return true if the option (without its dashes) precedes the first operand. */
static bool words_have_option(const struct words *words, const char *name)
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

/* Return the index of the first word after the options. "--" ends the options. */
static unsigned words_first_operand(const struct words *words)
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

/* Return true if `word` continues the expression that ends with `before`. */
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

/*
 * Check the words against the command's usage. Reports an error and returns false if they do not
 * match.
 */
static bool check_words(struct command_call *call, const struct command *command)
{
	const struct words *words = call->words;
	unsigned first = words_first_operand(words);
	const char *operand = strrchr(command->usage, ' ');

	operand = operand ? operand + 1 : command->usage;
	for (unsigned i = 0; i < first; i++)
		if (strcmp(words->word[i], "--") != 0 &&
		    !knows_option(command, option_name(words->word[i]))) {
			reply_error(call, "unknown option %s; usage: %s %s", words->word[i],
			            command->name, command->usage);
			return false;
		}
	bool takes = *operand && strncmp(operand, "[-", 2) != 0;
	if (words->too_many || (words->count > first && !takes))
		reply_error(call, "too many arguments; usage: %s %s", command->name,
		            command->usage);
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

void reply_line(struct command_call *call)
{
	call->session->debugger->print_line(call, call->line);
	text_reset(call->line);
}

void reply_print(struct command_call *call, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	text_add(call->line, line);
	reply_line(call);
}

struct json_writer reply_begin_json(struct command_call *call)
{
	struct json_writer json = json_writer_to(call->line);

	json_begin_object(&json, NULL);
	return json;
}

void reply_end_json(struct command_call *call, struct json_writer *json)
{
	json_end_object(json);
	reply_line(call);
}

void reply_error(struct command_call *call, const char *format, ...)
{
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (call->json) {
		struct json_writer json = reply_begin_json(call);
		json_add_string(&json, "error", line);
		reply_end_json(call, &json);
	} else {
		reply_print(call, "cairn: %s", line);
	}
	reply_set_string(call, "cairn_error", line);
	call->failed = true;
}

void reply_set(struct command_call *call, const char *name, uint64_t value)
{
	call->session->debugger->set_number(call, name, value);
}

void reply_set_string(struct command_call *call, const char *name, const char *value)
{
	call->session->debugger->set_string(call, name, value);
}

const char *debugger_name(const struct command_call *call)
{
	struct debugger_status status;

	call->session->debugger->describe(call->session, &status);
	return status.name;
}
