/* SPDX-License-Identifier: MIT */
#include "commands.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct command commands[] = {
	{ "cairn status", "[-json]",
	  "Show what cairn knows: its version, settings, and the modules it has met.",
	  "cairn status", command_status },
	{ "cairn modules", "[-json]", "List the modules that cairn has met, with their build IDs.",
	  "cairn modules -json", command_modules },
	{ "cairn where", "[-json] EXPRESSION",
	  "Show the module, function, line and unwind rule of an address.\n"
	  "The expression is in the current language of the program.",
	  "cairn where $pc", command_where },
	{ "cairn bt", "[-json] [-explain] [-full-path] [COUNT]",
	  "Print the stack of the selected thread as cairn unwinds it by SFrame.\n"
	  "With COUNT only the innermost frames, with a negative one the outermost.\n"
	  "With -explain each frame says how its caller was found, and why not.",
	  "cairn bt -explain 10", command_bt },
	{ "cairn sframe", "[-json] [EXPRESSION]",
	  "Show the SFrame rule at an address, of the innermost frame without an argument.",
	  "cairn sframe main", command_sframe },
	{ "cairn sync", "",
	  "Take the modules from GDB's own list (info files).\n"
	  "For slow remote targets, and cores that lack the headers of modules.",
	  "cairn sync", command_sync },
	{ "cairn load-reader", "PATH",
	  "Load another JIT reader, which is asked where cairn has no answer.\n"
	  "GDB has room for one reader; this makes room for more.",
	  "cairn load-reader /usr/lib/gdb/libjit.so", command_load_reader },
	{ "cairn cbf", "[-json] [-full-path] [-backtrace] [-array] EXPRESSION [LENGTH]",
	  "Decode the Swift backtrace (Compact Backtrace Format) at an address.\n"
	  "LENGTH is a number of bytes; without it the backtrace is read until it ends.\n"
	  "With -backtrace the address is that of a Backtrace value, with -array that of an\n"
	  "array that find-cbf listed; then its images are used, too.",
	  "cairn cbf -backtrace &trace", command_cbf },
	{ "cairn find-cbf", "[-json] [-arrays] [-full-path] [START] [END]",
	  "Find the Swift backtraces in the writable memory of the process or core.\n"
	  "With -arrays also arrays of bytes that no Backtrace holds.",
	  "cairn find-cbf", command_find_cbf },
	{ "set cairn unwinder", "auto|always|off",
	  "Set which frames cairn unwinds.\n"
	  "auto: those for which GDB has no call frame information (the default);\n"
	  "always: wherever a module has SFrame; off: none.",
	  "set cairn unwinder always", command_set_unwinder },
	{ "show cairn unwinder", "", "Show which frames cairn unwinds.", NULL,
	  command_show_unwinder },
	{ "set cairn color", "auto|on|off",
	  "Set whether cairn's output is coloured.\n"
	  "auto: as GDB's own output (the default).",
	  "set cairn color off", command_set_color },
	{ "show cairn color", "", "Show whether cairn's output is coloured.", NULL,
	  command_show_color },
	{ "cairn-ping", "", NULL, NULL, command_ping },
};

const unsigned command_count = sizeof(commands) / sizeof(*commands);

/* GDB reads a script line by line: one echo for each line said. */
void reply_line(struct call *call)
{
	text_add(call->reply, "echo ");
	if (call->line->size > 0 && call->line->data[0] == ' ') /* echo drops leading blanks */
		text_add(call->reply, "\\");
	text_echo(call->reply, call->line->size ? call->line->data : "", call->line->size);
	text_add(call->reply, "\\n\n");
	text_reset(call->line);
}

void reply_say(struct call *call, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	text_add(call->line, line);
	reply_line(call);
}

/* A string of C, in which a script would not look for its own arguments. */
static void set_error(struct text *reply, const char *message)
{
	text_add(reply, "with language c -- set $cairn_error = \"");
	for (const char *p = message; *p; p++) {
		if (*p == '"' || *p == '\\' || *p == '$')
			text_print(reply, "\\%03o", (unsigned)*p);
		else
			text_bytes(reply, *p < ' ' || *p > '~' ? "?" : p, 1);
	}
	text_add(reply, "\"\n");
}

void reply_error(struct call *call, const char *format, ...)
{
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (call->json) {
		text_add(call->line, "{\"error\":");
		text_json(call->line, line);
		text_add(call->line, "}");
		reply_line(call);
	} else {
		reply_say(call, "cairn: %s", line);
	}
	set_error(call->reply, line);
	call->failed = true;
}

void reply_set(struct call *call, const char *name, uint64_t value)
{
	text_print(call->reply, "with language c -- set $%s = %#llxUL\n", name,
	           (unsigned long long)value);
}

void reply_capture_begin(struct call *call)
{
	channel_begin_output(call->reply, call->request->number + 1);
}

void reply_capture(struct call *call, const char *command)
{
	channel_capture(&call->session->channel, call->reply, command);
}

void reply_capture_end(struct call *call)
{
	channel_ask_again(call->reply, call->request->number + 1);
	call->session->waiting = true;
}

/* A dash before anything but a letter belongs to an expression: -1, -(x). */
static bool is_option(const char *word)
{
	const char *name = word + 1 + (word[0] == '-' && word[1] == '-');

	return word[0] == '-' && (*name == '\0' ? name == word + 2 : isalpha((unsigned char)*name));
}

static const char *bare(const char *word)
{
	return word + 1 + (word[1] == '-');
}

bool call_option(const struct call *call, const char *name)
{
	const struct request *r = call->request;

	for (unsigned i = 0; i < r->word_count && is_option(r->words[i]); i++)
		if (strcmp(bare(r->words[i]), name) == 0)
			return true;
	return false;
}

/* The number of the first word behind the options and the "--" that may end them. */
static unsigned first_operand(const struct request *r)
{
	unsigned first = 0;

	while (first < r->word_count && is_option(r->words[first]))
		if (strcmp(r->words[first++], "--") == 0)
			break;
	return first;
}

const char *call_expression(struct call *call)
{
	const struct request *r = call->request;
	struct text *text = &call->session->expression;

	text_reset(text);
	for (unsigned first = first_operand(r), i = first; i < r->word_count; i++) {
		text_add(text, i > first ? " " : "");
		text_add(text, r->words[i]);
	}
	return text->size ? text->data : "";
}

const char *call_path(struct call *call)
{
	struct text *text = &call->session->expression;
	const char *path = call_expression(call);

	if (text->size < 2 || (*path != '"' && *path != '\'') || path[text->size - 1] != *path)
		return path;
	text->data[text->size - 1] = '\0';
	return path + 1;
}

bool reply_select_innermost(struct call *call)
{
	if (!call->asked || call->session->asked == ASKED_FRAME_0)
		return true;
	text_add(call->reply, "select-frame 0\n");
	reply_capture_begin(call);
	reply_capture_end(call);
	call->session->asked = ASKED_FRAME_0;
	return false;
}

/*
 * printf is the one command whose arguments are of every language and leave no trace.  The words
 * stand there as $argN: GDB puts in what was typed, backslashes and all.  `frame apply` and `thread
 * apply` print what went wrong instead of ending the user's script.
 */
static void ask_value(struct call *call, const char *level)
{
	const struct request *r = call->request;
	struct text *command = &call->session->command;

	text_reset(command);
	if (level)
		text_print(command, "frame apply level %lu -q -c ", strtoul(level, NULL, 10));
	else
		text_add(command, "thread apply $_cairn_thread -q -c ");
	text_add(command, "printf \"V%lx\\n\",");
	for (unsigned i = first_operand(r); i < r->word_count; i++)
		text_print(command, " $arg%u", i);
	reply_capture_begin(call);
	reply_capture(call, command->cut ? "echo" : command->data);
	reply_capture_end(call);
	call->session->asked = ASKED_VALUE;
}

/*
 * Without frame and thread nothing keeps an error from ending the user's script, as that of any
 * command does.  Outside of a sourced file it is at least one line.
 */
static void ask_value_bare(struct call *call)
{
	struct text *command = &call->session->command;

	text_reset(command);
	text_add(command, "printf \"V%lx\\n\", ");
	text_add(command, call_expression(call));
	text_add(call->reply, "with language c -- set $cairn_error = \"no value\"\n"
	                      "with language c -- set $_cairn_step = 1\n"
	                      "define cairn-step\n");
	reply_capture_begin(call);
	reply_capture(call, command->cut ? "echo" : command->data);
	reply_capture_end(call);
	text_add(call->reply, "end\n");
	call->session->asked = ASKED_VALUE;
}

/* `thread apply` selects frame 0, so which one the user has selected is asked first. */
static void ask_level(struct call *call)
{
	reply_capture_begin(call);
	reply_capture(call, "info frame");
	reply_capture_end(call);
	call->session->asked = ASKED_LEVEL;
}

/* A plain number is nothing to ask GDB for. */
static bool is_number(const char *word)
{
	bool hex = word[0] == '0' && word[1] == 'x';
	const char *digits = hex ? word + 2 : word;
	size_t size = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");

	return size > 0 && size <= 16 && digits[size] == '\0' && (hex || *word != '0' || size == 1);
}

static bool take_value(struct call *call, uint64_t *value)
{
	const char *said = call->output ? call->output : "";
	const char *at = said;
	char *end;

	while (*at && *at != 'V')
		at += strcspn(at, "\n") + (strchr(at, '\n') != NULL);
	if (*at) {
		*value = strtoull(at + 1, &end, 16);
		if (end > at + 1 && *end == '\n')
			return true;
	}
	reply_error(call, "%.*s", *said ? (int)strcspn(said, "\n") : 8, *said ? said : "no value");
	return false;
}

bool call_value(struct call *call, uint64_t *value)
{
	const char *expression = call_expression(call);

	if (call->session->asked == ASKED_VALUE)
		return take_value(call, value);
	if (is_number(expression)) {
		*value = strtoull(expression, NULL, 0);
		return true;
	}
	if (call->session->asked == ASKED_LEVEL)
		ask_value(call, call->output ? strpbrk(call->output, "0123456789") : NULL);
	else if (call->asked)
		ask_level(call);
	else if (call->request->thread)
		ask_value(call, NULL);
	else
		ask_value_bare(call);
	return false;
}

/* Does the usage name the option?  It stands there as "[-name]". */
static bool knows_option(const struct command *command, const char *name)
{
	const char *at = command->usage;
	size_t size = strlen(name);

	while ((at = strstr(at, "[-")) != NULL) {
		at += 2;
		if (strncmp(at, name, size) == 0 && at[size] == ']')
			return true;
	}
	return false;
}

/* Are the words such as the command's usage says? */
static bool check_words(struct call *call, const struct command *command)
{
	const struct request *r = call->request;
	unsigned first = first_operand(r);
	const char *operand = strrchr(command->usage, ' ');

	operand = operand ? operand + 1 : command->usage;
	for (unsigned i = 0; i < first; i++)
		if (strcmp(r->words[i], "--") != 0 && !knows_option(command, bare(r->words[i]))) {
			reply_error(call, "no option %s; usage: %s %s", r->words[i], command->name,
			            command->usage);
			return false;
		}
	bool takes = *operand && strncmp(operand, "[-", 2) != 0;
	if (r->too_many || (r->word_count > first && !takes))
		reply_error(call, "too many words; usage: %s %s", command->name, command->usage);
	else if (r->word_count == first && takes && *operand != '[')
		reply_error(call, "%s is missing; usage: %s %s", operand, command->name,
		            command->usage);
	return !call->failed;
}

/* The words of the first call are kept while GDB is asked. */
static void keep(struct session *s, const struct request *request)
{
	text_reset(&s->words);
	s->kept = *request;
	for (unsigned i = 0; i < request->word_count; i++)
		text_bytes(&s->words, request->words[i], strlen(request->words[i]) + 1);
	size_t at = 0;
	for (unsigned i = 0; i < request->word_count && !s->words.cut; i++) {
		s->kept.words[i] = s->words.data + at;
		at += strlen(s->words.data + at) + 1;
	}
	if (s->words.cut)
		s->kept.word_count = 0;
}

/* Take the request, a new one or the output that the last reply asked for. */
static bool take_request(struct session *s, struct request *request)
{
	if (!channel_take(&s->channel, request))
		return false;
	bool resumed = request->again && s->waiting && request->number == s->kept.number;
	s->waiting = false;
	if (request->again)
		return resumed;
	if (request->verb >= command_count)
		return false;
	keep(s, request);
	s->asked = ASKED_NOTHING;
	s->gdb_major = request->gdb_major;
	return true;
}

static void run(struct call *call, const struct command *command)
{
	call->json = call_option(call, "json");
	if (call->session->asked != ASKED_NOTHING || check_words(call, command))
		command->run(call);
	if (!call->failed && !call->session->waiting)
		text_add(call->reply, "cairn-done\n");
}

void command_run(struct session *session, const struct cairn_registers *frame, bool asked)
{
	static const char nothing[] = "\n";
	struct request request;

	if (!take_request(session, &request)) {
		channel_publish(&session->channel, nothing, sizeof(nothing) - 1);
		return;
	}
	text_reset(&session->reply);
	text_reset(&session->line);
	struct call call = { .session = session,
		             .request = &session->kept,
		             .frame = frame,
		             .output = request.again ? request.output : NULL,
		             .output_size = request.again ? request.output_size : 0,
		             .reply = &session->reply,
		             .line = &session->line,
		             .asked = asked };
	run(&call, &commands[session->kept.verb]);
	channel_reply(&session->channel, session->kept.number, &session->reply);
	session->kept.number += session->waiting;
}
