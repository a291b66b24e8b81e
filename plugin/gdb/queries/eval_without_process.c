/* SPDX-License-Identifier: MIT */
/*
 * Evaluates expressions without a process.
 *
 * With a frame or a thread, GDB has commands that continue after an invalid expression. Without
 * either, an error in a sourced script ends the script, and with it the user's script. So a name is
 * looked up first, by commands that do not fail if it is unknown: `complete` for a symbol, and
 * `show convenience` for a `$name`, which would otherwise be a register. Other expressions are
 * evaluated as they are.
 */
#include "eval_without_process.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static size_t measure_name(const char *at)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

	return isdigit((unsigned char)*at) ? 0 : strspn(at, letters);
}

/*
 * Parse "name", "&name", "$name" or "name + 4" and return the name with its `$`. Returns false for
 * other expressions.
 */
static bool parse_only_name(const char *expression, struct cairn_bytes *name)
{
	const char *at = expression + (*expression == '&');
	const char *begin = at;

	at += *at == '$';
	size_t size = measure_name(at);
	at += size;
	*name = (struct cairn_bytes){ (const uint8_t *)begin, (size_t)(at - begin) };
	at += strspn(at, " ");
	if (*at == '+' || *at == '-')
		at += 1 + strspn(at + 1, " 0123456789abcdefxABCDEFX");
	return size > 0 && *at == '\0';
}

bool eval_without_process_ask_name(struct command_call *call, const char *expression)
{
	struct text *command = gdb_begin_orders(call);
	struct cairn_bytes name;

	if (!parse_only_name(expression, &name))
		return false;
	if (*name.data == '$')
		text_add(command, "show convenience\n");
	else
		text_print(command, "with max-completions unlimited -- complete output %.*s\n",
		           (int)name.size, (const char *)name.data);
	gdb_send_orders(call, PENDING_NAME);
	return true;
}

/*
 * Return true for "output main" or "output compute(int)". Names of Fortran and Ada are
 * case-insensitive.
 */
static bool is_symbol(const char *line, const struct cairn_bytes *name)
{
	static const char command[] = "output ";
	const size_t size = sizeof(command) - 1;

	if (strncmp(line, command, size) != 0 ||
	    strncasecmp(line + size, (const char *)name->data, name->size) != 0)
		return false;
	char next = line[size + name->size];
	return next == '\n' || next == '(';
}

/* Return true for "$name = 5", but not for "$name = void". */
static bool is_variable(const char *line, const struct cairn_bytes *name)
{
	const char *rest = line + name->size;

	return strncmp(line, (const char *)name->data, name->size) == 0 &&
	       strncmp(rest, " = ", 3) == 0 && strncmp(rest, " = void\n", 8) != 0;
}

bool eval_without_process_name_known(struct command_call *call, const char *expression)
{
	struct cairn_bytes name;

	if (!parse_only_name(expression, &name))
		return true;
	bool variable = *name.data == '$';
	for (const char *line = gdb_call(call)->output; *line;) {
		if (variable ? is_variable(line, &name) : is_symbol(line, &name))
			return true;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	if (variable)
		reply_error(call, "%.*s has no value without a process", (int)name.size,
		            (const char *)name.data);
	else
		reply_error(call, "No symbol \"%.*s\" in current context.", (int)name.size,
		            (const char *)name.data);
	return false;
}

/*
 * Run the command in a step after the reply, so that at least its error is a single line. In a
 * sourced file, GDB would precede the error with the position in that file.
 */
void eval_in_step(struct command_call *call, const struct text *command)
{
	text_add(gdb_call(call)->reply, "_cairn got\n"
	                                "with language c -- set $cairn_error = \"no value\"\n"
	                                "with language c -- set $_cairn_step = 1\n"
	                                "define _cairn step\n");
	gdb_capture_begin(call);
	gdb_capture(call, command->cut ? "echo" : command->data);
	gdb_capture_end(call, PENDING_VALUE);
	text_add(gdb_call(call)->reply, "end\n");
}

void eval_without_process_ask_value(struct command_call *call, const char *expression)
{
	struct text *command = gdb_begin_orders(call);

	text_add(command, "printf \"V%lx\\n\", ");
	text_add(command, expression);
	eval_in_step(call, command);
}
