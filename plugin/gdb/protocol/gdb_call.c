/* SPDX-License-Identifier: MIT */
/* Formats a command's output as GDB commands, for the reply that GDB executes. */
#include "gdb_call.h"

#include "common/base/files.h"

#include <stdio.h>
#include <string.h>

#define COLOR_OFF "\\e[m"

/* State of text_format() between two chunks of a line. Initialize it with zeros. */
struct text_part {
	size_t at;
	size_t arguments;
	bool open; /* a colour is still switched on at the end of this chunk */
};

void text_word(struct text *text, const char *word)
{
	for (; *word; word++) {
		if (strchr(" \t\"'\\", *word))
			text_add(text, "\\");
		text_bytes(text, word, 1);
	}
}

static const char *find_color_escape(const struct text *line, unsigned char mark)
{
	static const char *const escapes[] = { [COLOR_FUNCTION] = "\\e[33m",
		                               [COLOR_FILE] = "\\e[32m",
		                               [COLOR_ADDRESS] = "\\e[34m",
		                               [COLORS] = COLOR_OFF };
	int color = text_color_mark(line, mark);

	return color < 0 ? NULL : escapes[color];
}

static void format_piece(struct text *text, const char *p, const struct text_piece *piece)
{
	if (*p == '$')
		text_add(text, "%c");
	else if (*p == '%')
		text_add(text, "%%");
	else if (*p == '\\' || *p == '"')
		text_print(text, "\\%c", *p);
	else if (piece->is_shown)
		text_bytes(text, p, piece->size);
	else
		for (size_t i = 0; i < piece->size; i++)
			text_print(text, "\\\\x%02x", (unsigned)(unsigned char)p[i]);
}

/*
 * Format one character, colour mark (see text_color()), or invalid byte. Returns the number of
 * bytes consumed.
 */
static size_t format_next(struct text *text, const struct text *line, struct text_part *part)
{
	const char *p = line->data + part->at;
	const struct text_piece piece = text_next_piece(p, line->size - part->at);
	const char *color = piece.is_character ? NULL : find_color_escape(line, (unsigned char)*p);

	if (color)
		text_add(text, color);
	else
		format_piece(text, p, &piece);
	part->open = color ? strcmp(color, COLOR_OFF) != 0 : part->open;
	part->arguments += *p == '$';
	return piece.size;
}

/*
 * Escape a chunk of untrusted bytes for the format string of GDB's `printf`, so that it contains no
 * newline, no control character, and nothing that printf or a script would interpret. Stops after
 * the character that reaches `most` bytes. Returns true if the line is finished or `text` is full.
 * The caller passes part->arguments arguments to printf, each the character '$', because GDB would
 * take a literal '$' for a reference to a script argument.
 */
static bool text_format(struct text *text, const struct text *line, size_t most,
                        struct text_part *part)
{
	size_t begin = text->size;

	part->arguments = 0;
	while (part->at < line->size && text->size - begin < most && !text->cut)
		part->at += format_next(text, line, part);
	if (part->at < line->size && !text->cut)
		return false;
	text_add(text, part->open ? COLOR_OFF : "");
	part->open = false;
	return true;
}

/*
 * Limits for one printf command. GDB copies a printf's output to its stack, and a line from the
 * target may have megabytes. Short lines share a printf until it reaches this size, and long lines
 * are split. Thus the format string has at most twice this size, and its arguments of three bytes
 * each take at most half as much again.
 */
enum {
	REPLY_LINE_MAX = 4096,
	/* maximum size of a reply in bytes; leaves space for a final message */
	SHOWN_MAX = TEXT_MAX / 8 * 7,
};

static void end_printf(struct gdb_call *call)
{
	size_t begin = call->reply->size;

	text_add(call->reply, "\"");
	for (size_t i = 0; i < call->said.arguments; i++)
		text_add(call->reply, ",36");
	text_add(call->reply, "\n");
	call->said.end = call->reply->size;
	call->said.tail = call->reply->size - begin;
}

/*
 * Extend the last printf if it is short and is the last command of the reply. Otherwise begin a new
 * printf.
 */
static void begin_printf(struct gdb_call *call)
{
	struct text *reply = call->reply;

	if (call->said.end && call->said.end == reply->size &&
	    reply->size - call->said.begin < REPLY_LINE_MAX) {
		reply->size -= call->said.tail;
		return;
	}
	call->said.begin = reply->size;
	call->said.arguments = 0;
	text_add(reply, "printf \"");
}

/*
 * Print a line. GDB reads scripts byte by byte, so a few long commands are faster than many short
 * ones. Use printf, because echo writes its output byte by byte.
 */
void gdb_print_line(struct command_call *call, const struct text *line)
{
	struct gdb_call *g = gdb_call(call);
	struct text_part part = { .at = 0 };
	bool last;

	do {
		begin_printf(g);
		last = text_format(g->reply, line, REPLY_LINE_MAX, &part);
		g->said.arguments += part.arguments;
		text_add(g->reply, last ? "\\n" : "");
		end_printf(g);
	} while (!last);
	g->reply->cut = g->reply->cut || line->cut;
}

bool gdb_is_below_limit(struct command_call *call)
{
	return gdb_call(call)->reply->size <= SHOWN_MAX;
}

/*
 * Set a variable to a C string literal with '$' escaped, because GDB would otherwise replace script
 * arguments. The value may exceed the user's max-value-size.
 */
void gdb_set_string(struct command_call *call, const char *name, const char *value)
{
	struct text *reply = gdb_call(call)->reply;

	text_print(reply, "with max-value-size unlimited -- with language c -- set $%s = \"", name);
	for (const char *p = value; *p; p++) {
		if (*p == '"' || *p == '\\' || *p == '$')
			text_print(reply, "\\%03o", (unsigned)*p);
		else
			text_bytes(reply, *p < ' ' || *p > '~' ? "?" : p, 1);
	}
	text_add(reply, "\"\n");
}

void gdb_set_number(struct command_call *call, const char *name, uint64_t value)
{
	text_print(gdb_call(call)->reply, "_cairn set %s %#llxUL\n", name,
	           (unsigned long long)value);
}

enum answer gdb_answer(struct command_call *call)
{
	if (gdb_call(call)->exchange->waiting)
		return ANSWER_PENDING;
	return call->failed ? ANSWER_FAILED : ANSWER_READY;
}

bool gdb_has_answered(struct command_call *call, enum question asked)
{
	struct exchange *exchange = gdb_call(call)->exchange;
	const bool answered = exchange->asked == asked;

	if (answered)
		exchange->asked = PENDING_NOTHING;
	return answered;
}

void gdb_capture_begin(struct command_call *call)
{
	struct channel *channel = &gdb_call(call)->exchange->channel;
	char line[32];

	channel->begun = (size_t)snprintf(line, sizeof(line), "\001C %lu\n",
	                                  gdb_call(call)->request->number + 1);
	memfile_put(channel->request, line, channel->begun);
}

/* Capture output through a log file, or through a pipe if logging does not work (see script.c). */
void gdb_capture(struct command_call *call, const char *command)
{
	const int request = gdb_call(call)->exchange->channel.request;

	text_print(gdb_call(call)->reply,
	           "if $_cairn_piped\nwith trace-commands off -- with style enabled off -- "
	           "pipe -d \001 -- %s \001 cat >> /proc/$PPID/fd/%d\nelse\n",
	           command, request);
	text_print(gdb_call(call)->reply,
	           "with trace-commands off -- with logging overwrite off -- with logging file "
	           "/proc/self/fd/%d -- "
	           "with logging redirect on -- with logging enabled on -- %s\nend\n",
	           request, command);
}

enum answer gdb_await(struct command_call *call, enum question asked)
{
	gdb_call(call)->exchange->waiting = true;
	gdb_call(call)->exchange->asked = asked;
	return ANSWER_PENDING;
}

enum answer gdb_capture_end(struct command_call *call, enum question asked)
{
	text_print(gdb_call(call)->reply, "_cairn next %lu\n", gdb_call(call)->request->number + 1);
	return gdb_await(call, asked);
}

struct text *gdb_begin_orders(struct command_call *call)
{
	struct text *orders = &gdb_call(call)->exchange->command;

	text_reset(orders);
	return orders;
}

enum answer gdb_send_orders(struct command_call *call, enum question asked)
{
	const struct text *orders = &gdb_call(call)->exchange->command;
	struct text *reply = gdb_call(call)->reply;

	gdb_capture_begin(call);
	text_add(reply, "define _cairn output\n");
	text_bytes(reply, orders->data, orders->size);
	text_print(reply, "echo \\001E\\n\nend\n_cairn collect %lu\n",
	           gdb_call(call)->request->number + 1);
	return gdb_await(call, asked);
}
