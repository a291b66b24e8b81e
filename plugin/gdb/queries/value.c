/* SPDX-License-Identifier: MIT */
/* Queries GDB for the values of expressions. */
#include "value.h"

#include "eval_without_process.h"
#include "gdb_symbols.h"

#include <stdlib.h>
#include <string.h>

void gdb_order_innermost(struct command_call *call)
{
	if (gdb_call(call)->asked)
		text_add(gdb_call(call)->reply, "select-frame 0\n");
}

bool gdb_select_innermost(struct command_call *call)
{
	if (!gdb_call(call)->asked || gdb_call(call)->exchange->asked == PENDING_FRAME_0)
		return true;
	gdb_order_innermost(call);
	gdb_capture_begin(call);
	gdb_capture_end(call, PENDING_FRAME_0);
	return false;
}

/* Return true if the user's numbers are decimal, like the numbers in replies. */
static bool is_decimal(struct command_call *call)
{
	return gdb_call(call)->request->radix == 10 || gdb_call(call)->request->radix == 0;
}

/*
 * Query the value. printf is the only command whose arguments may be in any language and which
 * leaves no trace in the value history. The words are passed as $argN, which GDB replaces by the
 * words exactly as typed, backslashes included. `frame apply` and `thread apply` print errors
 * instead of ending the user's script.
 */
static void ask_value(struct command_call *call, struct word_range words, const char *level)
{
	struct gdb_call *g = gdb_call(call);

	if (level && words.first + 1 == words.end && is_decimal(call)) {
		gdb_capture_begin(call);
		text_print(g->reply, "_cairn value %lu %lu $arg%u\n", g->request->number + 1,
		           strtoul(level, NULL, 10), words.first);
		gdb_await(call, PENDING_VALUE);
		return;
	}
	struct text *command = gdb_begin_orders(call);
	if (level)
		text_print(command, "frame apply level %lu -q -c ", strtoul(level, NULL, 10));
	else
		text_add(command, "thread apply $_cairn_thread -q -c ");
	text_add(command, "printf \"V%lx\\n\",");
	if (!is_decimal(call)) {
		text_print(command, " %s", call->session->expression.data);
		eval_in_step(call, command);
		return;
	}
	for (unsigned i = words.first; i < words.end; i++)
		text_print(command, " $arg%u", i);
	gdb_capture_begin(call);
	gdb_capture(call, command->cut ? "echo" : command->data);
	gdb_capture_end(call, PENDING_VALUE);
}

/* Query the selected frame's level first, because `thread apply` selects frame 0. */
static void ask_level(struct command_call *call)
{
	gdb_capture_begin(call);
	text_print(gdb_call(call)->reply, "_cairn level %lu\n",
	           gdb_call(call)->request->number + 1);
	gdb_await(call, PENDING_LEVEL);
}

/*
 * Return true for expressions without side effects, such as names, `$pc`, `&table[3]`,
 * `*here->next`. They are evaluated in the innermost frame at once, and again only if another frame
 * turns out to be selected.
 */
static bool is_plain_expression(const char *word)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		"_$&*:.+->[]";

	return word[strspn(word, allowed)] == '\0' && !strstr(word, "++") && !strstr(word, "--");
}

static bool can_ask_plain(struct command_call *call, struct word_range words)
{
	return gdb_call(call)->asked && words.first + 1 == words.end && is_decimal(call) &&
	       is_plain_expression(call->words->word[words.first]);
}

/* Query the value, the symbols if requested, a line "\002", and the output of `info frame`. */
static void ask_plain(struct command_call *call, struct word_range words, bool symbols)
{
	struct gdb_call *g = gdb_call(call);

	gdb_capture_begin(call);
	text_print(g->reply, "_cairn plain %lu $arg%u %d\n", g->request->number + 1, words.first,
	           symbols);
	gdb_await(call, PENDING_PLAIN);
}

/* Return the number after "Stack level", or NULL. */
static const char *find_level(struct command_call *call)
{
	const char *mark = strstr(gdb_call(call)->output, "\002\n");

	return strpbrk(mark ? mark : gdb_call(call)->output, "0123456789");
}

/* Return true for a plain number, which needs no query. */
static bool is_number(const char *word)
{
	bool hex = word[0] == '0' && word[1] == 'x';
	const char *digits = hex ? word + 2 : word;
	size_t size = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");

	return size > 0 && size <= 16 && digits[size] == '\0' && (hex || *word != '0' || size == 1);
}

static bool read_value(struct command_call *call, uint64_t *value)
{
	const char *said = gdb_call(call)->output, *at = said;
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

static void ask_for_value(struct command_call *call, struct word_range words,
                          const char *expression, bool symbols)
{
	if (can_ask_plain(call, words))
		ask_plain(call, words, symbols);
	else if (gdb_call(call)->asked)
		ask_level(call);
	else if (gdb_call(call)->request->thread)
		ask_value(call, words, NULL);
	else if (!eval_without_process_ask_name(call, expression))
		eval_without_process_ask_value(call, expression);
}

static bool find_value(struct command_call *call, struct word_range words, const char *expression,
                       uint64_t *value, bool symbols)
{
	const enum question asked = gdb_call(call)->exchange->asked;
	const char *level =
		asked == PENDING_PLAIN || asked == PENDING_LEVEL ? find_level(call) : NULL;

	if (asked == PENDING_VALUE ||
	    (asked == PENDING_PLAIN && level && strtoul(level, NULL, 10) == 0))
		return read_value(call, value);
	if (is_number(expression) && (is_decimal(call) || expression[1] == 'x')) {
		*value = strtoull(expression, NULL, 0);
		return true;
	}
	if (asked == PENDING_PLAIN || asked == PENDING_LEVEL)
		ask_value(call, words, level);
	else if (asked != PENDING_NAME)
		ask_for_value(call, words, expression, symbols);
	else if (eval_without_process_name_known(call, expression))
		eval_without_process_ask_value(call, expression);
	return false;
}

enum answer gdb_evaluate(struct command_call *call, struct word_range words, uint64_t *value,
                         struct code_location *spot)
{
	struct exchange *exchange = gdb_call(call)->exchange;
	struct text *expression = &call->session->expression;

	text_reset(expression);
	words_join(call->words, words, expression);
	if (!find_value(call, words, expression->size ? expression->data : "", value, spot != NULL))
		return gdb_answer(call);
	if (spot && exchange->asked == PENDING_PLAIN) {
		gdb_symbols_read_spots(call, spot, 1, false);
		spot->named = true;
	}
	exchange->asked = PENDING_NOTHING;
	return ANSWER_READY;
}
