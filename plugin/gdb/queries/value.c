/* SPDX-License-Identifier: MIT */
/* Asks GDB for the values of expressions. */
#include "value.h"

#include "eval_without_process.h"

#include <stdlib.h>
#include <string.h>

bool reply_select_innermost(struct command_call *call)
{
	if (!call->asked || call->session->asked == PENDING_FRAME_0)
		return true;
	text_add(call->reply, "select-frame 0\n");
	reply_capture_begin(call);
	reply_capture_end(call);
	call->session->asked = PENDING_FRAME_0;
	return false;
}

/*
 * printf is the one command whose arguments are of every language and leave no trace.  The words
 * stand there as $argN: GDB puts in what was typed, backslashes and all.  `frame apply` and `thread
 * apply` print what went wrong instead of ending the user's script.
 */
static void ask_value(struct command_call *call, const char *level)
{
	const struct request *r = call->request;
	struct text *command = &call->exchange->command;

	call->session->asked = PENDING_VALUE;
	if (level && words_first_operand(r) + 1 == r->word_count) {
		reply_capture_begin(call);
		text_print(call->reply, "cairn-value %lu %lu $arg%u\n", call->request->number + 1,
		           strtoul(level, NULL, 10), r->word_count - 1);
		call->exchange->waiting = true;
		return;
	}
	text_reset(command);
	if (level)
		text_print(command, "frame apply level %lu -q -c ", strtoul(level, NULL, 10));
	else
		text_add(command, "thread apply $_cairn_thread -q -c ");
	text_add(command, "printf \"V%lx\\n\",");
	for (unsigned i = words_first_operand(r); i < r->word_count; i++)
		text_print(command, " $arg%u", i);
	reply_capture_begin(call);
	reply_capture(call, command->cut ? "echo" : command->data);
	reply_capture_end(call);
}

/* `thread apply` selects frame 0, so which one the user has selected is asked first. */
static void ask_level(struct command_call *call)
{
	reply_capture_begin(call);
	text_print(call->reply, "cairn-level %lu\n", call->request->number + 1);
	call->exchange->waiting = true;
	call->session->asked = PENDING_LEVEL;
}

/*
 * Names, `$pc`, `&table[3]`, `*here->next`: looking twice changes nothing.  So it is evaluated in
 * the innermost frame at once, and again only if it turns out that another one is selected.
 */
static bool is_plain_expression(const char *word)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		"_$&*:.+->[]";

	return word[strspn(word, allowed)] == '\0' && !strstr(word, "++") && !strstr(word, "--");
}

static bool can_ask_plain(const struct command_call *call)
{
	const struct request *r = call->request;

	return call->asked && words_first_operand(r) + 1 == r->word_count &&
	       is_plain_expression(r->words[r->word_count - 1]);
}

/* The answer: the value, its symbols if they are asked for, a line "\002", `info frame`. */
static void ask_plain(struct command_call *call, bool symbols)
{
	reply_capture_begin(call);
	text_print(call->reply, "cairn-plain %lu $arg%u %d\n", call->request->number + 1,
	           call->request->word_count - 1, symbols);
	call->exchange->waiting = true;
	call->session->asked = PENDING_PLAIN;
}

/* The number behind "Stack level"; NULL: there is none. */
static const char *find_level(const struct command_call *call)
{
	const char *mark = call->output ? strstr(call->output, "\002\n") : NULL;

	mark = mark ? mark : call->output;
	return mark ? strpbrk(mark, "0123456789") : NULL;
}

/* A plain number is nothing to ask GDB for. */
static bool is_number(const char *word)
{
	bool hex = word[0] == '0' && word[1] == 'x';
	const char *digits = hex ? word + 2 : word;
	size_t size = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");

	return size > 0 && size <= 16 && digits[size] == '\0' && (hex || *word != '0' || size == 1);
}

static bool read_value(struct command_call *call, uint64_t *value)
{
	const char *said = call->output ? call->output : "";
	const char *at = said;
	char *end;

	while (*at && *at != 'V' && *at != '\002')
		at += strcspn(at, "\n") + (strchr(at, '\n') != NULL);
	if (*at == 'V') {
		*value = strtoull(at + 1, &end, 16);
		if (end > at + 1 && *end == '\n')
			return true;
	}
	reply_error(call, "%.*s", *said ? (int)strcspn(said, "\n") : 8, *said ? said : "no value");
	return false;
}

/* Ask for it in the way that the target allows. */
static void ask_for_value(struct command_call *call, bool symbols)
{
	if (can_ask_plain(call))
		ask_plain(call, symbols);
	else if (call->asked)
		ask_level(call);
	else if (call->request->thread)
		ask_value(call, NULL);
	else if (!eval_without_process_ask_name(call))
		eval_without_process_ask_value(call);
}

static bool find_value(struct command_call *call, uint64_t *value, bool symbols)
{
	const char *expression = command_call_expression(call);
	unsigned asked = call->session->asked;
	const char *level =
		asked == PENDING_PLAIN || asked == PENDING_LEVEL ? find_level(call) : NULL;

	if (asked == PENDING_VALUE ||
	    (asked == PENDING_PLAIN && level && strtoul(level, NULL, 10) == 0))
		return read_value(call, value);
	if (is_number(expression)) {
		*value = strtoull(expression, NULL, 0);
		return true;
	}
	if (asked == PENDING_PLAIN || asked == PENDING_LEVEL)
		ask_value(call, level);
	else if (asked != PENDING_NAME)
		ask_for_value(call, symbols);
	else if (eval_without_process_name_known(call))
		eval_without_process_ask_value(call);
	return false;
}

bool command_call_value(struct command_call *call, uint64_t *value)
{
	return find_value(call, value, false);
}

bool command_call_address(struct command_call *call, uint64_t *value, bool *named)
{
	bool found = find_value(call, value, true);

	*named = call->session->asked == PENDING_PLAIN;
	return found;
}
