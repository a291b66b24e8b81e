/* SPDX-License-Identifier: MIT */
/* Queries GDB for values, symbols, breakpoints and colours. */
#define _GNU_SOURCE /* memmem */
#include "values.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

const char breakpoints_question[] = "echo \\003\\n\ninfo breakpoints\n";

/* Return true for types of breakpoints that GDB resolves again when symbols change. */
static bool has_place(const char *type)
{
	static const char *const types[] = { "breakpoint ", "hw breakpoint ", "dprintf " };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strncmp(type, types[i], strlen(types[i])) == 0)
			return true;
	return false;
}

static bool is_enabled(const char *row, const char *end)
{
	static const char *const dispositions[] = { " keep ", " del ", " dis " };

	for (size_t i = 0; i < sizeof(dispositions) / sizeof(*dispositions); i++) {
		const char *at = strstr(row, dispositions[i]);
		if (!at || at >= end)
			continue;
		at += strlen(dispositions[i]);
		return at[strspn(at, " ")] == 'y';
	}
	return false;
}

static void append_enabled_number(const char *row, const char *end, struct text *numbers)
{
	size_t digits = strspn(row, "0123456789");
	const char *type = row + digits + strspn(row + digits, " ");

	if (digits == 0 || row[digits] != ' ' || !has_place(type) || !is_enabled(type, end))
		return;
	text_add(numbers, " ");
	text_bytes(numbers, row, digits);
}

void breakpoints_enabled(const char *said, struct text *numbers)
{
	const char *row = strstr(said, "\003\n");

	for (row = row ? row + 2 : ""; *row;) {
		const char *end = row + strcspn(row, "\n");
		append_enabled_number(row, end, numbers);
		row = *end ? end + 1 : end;
	}
}

enum {
	FIRST = 3,
	LAST = 255, /* highest descriptor to check; GDB's pipes get the lowest free numbers */
};

static bool is_end(int fd, int mode, struct stat *status)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) == mode && fstat(fd, status) == 0 &&
	       S_ISFIFO(status->st_mode);
}

static bool is_read_here(ino_t pipe)
{
	struct stat status;

	for (int fd = FIRST; fd <= LAST; fd++)
		if (is_end(fd, O_RDONLY, &status) && status.st_ino == pipe)
			return true;
	return false;
}

/*
 * Count the writable pipes that have a reader outside GDB. GDB has both ends of its own pipes open.
 */
static unsigned count_pipes(void)
{
	struct stat status;
	unsigned count = 0;

	for (int fd = FIRST; fd <= LAST; fd++)
		count += is_end(fd, O_WRONLY, &status) && !is_read_here(status.st_ino);
	return count;
}

void colors_start(struct gdb_session *s)
{
	s->inherited_pipes = count_pipes();
}

/*
 * With `auto`, also check GDB's open pipes. GDB does not reveal whether its command `pipe` is
 * sending the output to a program, but in that case it has an additional pipe open.
 */
bool colors_enabled(const struct gdb_session *s, const struct request *request)
{
	const char *terminal = getenv("TERM");

	if (s->shared.color != COLOR_AUTO)
		return s->shared.color == COLOR_ON;
	return request->style && isatty(STDOUT_FILENO) && terminal &&
	       strcmp(terminal, "dumb") != 0 && count_pipes() <= s->inherited_pipes;
}

/*
 * Parses `info symbol`, which prints "main + 4 in section .text of FILE", and `info line`, which
 * prints "Line 31 of \"dir/file.c\" starts at address ...". A line "\002REQUEST INDEX" precedes the
 * output of both commands for an address. A symbol's name may contain any bytes, but it cannot
 * contain the right request number except by chance.
 */

/* Query all symbols with one user-defined command, so that GDB opens its log only once. */
static enum answer ask_symbols(struct command_call *call, struct trace *trace)
{
	struct text *questions = gdb_begin_orders(call);

	trace_find_same(trace);
	for (size_t i = 0; i < trace->count; i++)
		if (trace->spots[i].same == i && !trace->spots[i].named)
			text_print(questions, "_cairn at %zu %#llx\n", i,
			           (unsigned long long)trace->spots[i].lookup);
	return questions->size > 0 ? gdb_send_orders(call, PENDING_SYMBOLS) : ANSWER_READY;
}

static void copy_text(char *to, size_t capacity, const char *from, const char *end)
{
	size_t size = (size_t)(end - from);

	size = size < capacity ? size : capacity - 1;
	memcpy(to, from, size);
	to[size] = '\0';
}

static const char *find_text(const char *line, const char *end, const char *what)
{
	return memmem(line, (size_t)(end - line), what, strlen(what));
}

static void parse_line_info(struct code_location *spot, const char *line, const char *end,
                            bool full_path)
{
	const char *name = find_text(line, end, " of \"");
	const char *quote = name ? memchr(name + 5, '"', (size_t)(end - name - 5)) : NULL;
	unsigned number;

	if (!quote || sscanf(line, "Line %u ", &number) != 1)
		return;
	name += 5;
	for (const char *p = name; !full_path && p < quote; p++)
		if (*p == '/')
			name = p + 1;
	copy_text(spot->file, sizeof(spot->file), name, quote);
	spot->line = number;
}

/* Skip the line that `set trace-commands` prints before a command's output. */
static const char *skip_command(const char *said, const char *end, const char *command)
{
	const char *name = said + strspn(said, "+");
	const char *stop = memchr(said, '\n', (size_t)(end - said));

	return name > said && stop && strncmp(name, command, strlen(command)) == 0 ? stop + 1
	                                                                           : said;
}

static void parse_spot(struct code_location *spot, const char *said, const char *end,
                       bool full_path)
{
	said = skip_command(said, end, "info symbol ");
	const char *in = find_text(said, end, " in section ");
	if (in)
		copy_text(spot->function, sizeof(spot->function), said, in);
	else
		in = said;
	const char *line = memchr(in, '\n', (size_t)(end - in));
	if (line)
		parse_line_info(spot, skip_command(line + 1, end, "info line "), end, full_path);
}

void gdb_symbols_read_spots(struct command_call *call, struct code_location *spots, size_t count,
                            bool full_path)
{
	const char *output = gdb_call(call)->output;
	char mark[32];

	int size = snprintf(mark, sizeof(mark), "\002%lu ", gdb_call(call)->request->number);
	const char *at = strstr(output, mark);
	while (at) {
		char *rest;
		size_t index = strtoul(at + size, &rest, 10);
		const char *next = strstr(rest, mark);
		const char *end = next ? next : rest + strlen(rest);
		if (index < count && *rest == '\n')
			parse_spot(&spots[index], rest + 1, end, full_path);
		at = next;
	}
}

enum answer gdb_symbols_name_spots(struct command_call *call, struct trace *trace, bool full_path)
{
	if (!gdb_has_answered(call, PENDING_SYMBOLS))
		return ask_symbols(call, trace);
	gdb_symbols_read_spots(call, trace->spots, trace->count, full_path);
	trace_copy_same(trace);
	for (size_t i = 0; i < trace->count; i++)
		trace->spots[i].named = true;
	/* redefine the command without a body, because the body may be large */
	text_add(gdb_call(call)->reply, "define _cairn output\nend\n");
	return ANSWER_READY;
}

/*
 * Evaluates expressions if there is no process.
 *
 * With a frame or a thread, `frame apply` and `thread apply` can evaluate an expression without
 * failing. Without a process, an error in a sourced script also ends the user's script. Therefore a
 * plain name is first looked up with commands that do not fail for unknown names: `complete` for a
 * symbol, and `show convenience` for `$name`. All other expressions are evaluated directly.
 */

static size_t measure_name(const char *at)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

	return isdigit((unsigned char)*at) ? 0 : strspn(at, letters);
}

/*
 * Parse "NAME", "&NAME", "$NAME" or "NAME + 4". The result is the name, including a '$'. Returns
 * false for other expressions.
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

/* Query GDB for the name in the expression. Returns false if the expression is not a plain name. */
static bool eval_without_process_ask_name(struct command_call *call, const char *expression)
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
 * Return true if a completion of the command `output` is exactly the name, as in "output main" or
 * "output compute(int)". Fortran and Ada names are case-insensitive.
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

/*
 * Return true if a line from `show convenience` has the variable's value, as in "$name = 5", but
 * not "$name = void".
 */
static bool is_variable(const char *line, const struct cairn_bytes *name)
{
	const char *rest = line + name->size;

	return strncmp(line, (const char *)name->data, name->size) == 0 &&
	       strncmp(rest, " = ", 3) == 0 && strncmp(rest, " = void\n", 8) != 0;
}

/* Return true if GDB knows the name; otherwise report an error. */
static bool eval_without_process_name_known(struct command_call *call, const char *expression)
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
 * Print the value of the user's unchanged expression with a command that runs after the reply. GDB
 * then parses numbers in the user's radix, which must not affect numbers in the reply itself. Also,
 * an error message is then a single line, whereas in a sourced file GDB would add the file name and
 * the line number.
 */
static void eval_in_step(struct command_call *call, const struct text *command)
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

/* Query the value. An invalid expression ends the user's script. */
static void eval_without_process_ask_value(struct command_call *call, const char *expression)
{
	struct text *command = gdb_begin_orders(call);

	text_add(command, "printf \"V%lx\\n\", ");
	text_add(command, expression);
	eval_in_step(call, command);
}

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

/* Return true if the user's input radix is 10, as in replies. */
static bool is_decimal(struct command_call *call)
{
	return gdb_call(call)->request->radix == 10 || gdb_call(call)->request->radix == 0;
}

/*
 * Query the value. printf is the only command that evaluates its arguments in any language without
 * adding them to the value history. The words are passed as $argN, because GDB replaces $argN with
 * exactly the characters that the user has typed, including backslashes. `frame apply` and `thread
 * apply` print errors instead of ending the user's script.
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
 * Return true for simple expressions without side effects: names, `$pc`, `&table[3]` or
 * `*here->next`. They are first evaluated in the innermost frame, and evaluated again only if
 * another frame is selected.
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

/*
 * Query the value, the symbols if requested, and the frame level (`info frame`). A line "\002"
 * precedes the level.
 */
static void ask_plain(struct command_call *call, struct word_range words, bool symbols)
{
	struct gdb_call *g = gdb_call(call);

	gdb_capture_begin(call);
	text_print(g->reply, "_cairn plain %lu $arg%u %d\n", g->request->number + 1, words.first,
	           symbols);
	gdb_await(call, PENDING_PLAIN);
}

/* Return the number in the output of `info frame`, or NULL. */
static const char *find_level(struct command_call *call)
{
	const char *mark = strstr(gdb_call(call)->output, "\002\n");

	return strpbrk(mark ? mark : gdb_call(call)->output, "0123456789");
}

/* Return true for a number that can be parsed without GDB. */
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
