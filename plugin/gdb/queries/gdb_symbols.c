/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memmem */
/*
 * `info symbol` says "main + 4 in section .text of FILE", `info line` says
 * "Line 31 of \"dir/file.c\" starts at address ...".  Before the two answers for an address goes a
 * line "\002REQUEST INDEX": a symbol's name may hold anything, but not the number of the request.
 */
#include "gdb_symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

struct code_location *trace_add(struct trace *trace)
{
	if (trace->count == TRACE_MAX)
		return NULL;
	if (trace->count == trace->room) {
		size_t room = trace->room ? 2 * trace->room : FIRST_ROOM;
		struct code_location *grown = realloc(trace->spots, room * sizeof(*grown));
		if (!grown)
			return NULL;
		trace->spots = grown;
		trace->room = room;
	}
	struct code_location *spot = &trace->spots[trace->count++];
	*spot = (struct code_location){ .pc = 0 };
	return spot;
}

void trace_start(struct trace *trace)
{
	trace->count = 0;
	trace->level = 0;
	trace->more = trace->outermost = false;
}

void trace_keep_last(struct trace *trace, size_t count)
{
	if (count >= trace->count)
		return;
	trace->level += trace->count - count;
	memmove(trace->spots, trace->spots + (trace->count - count), count * sizeof(*trace->spots));
	trace->count = count;
}

/*
 * Find the spots that have the address of another: a recursion has few different ones.  What has
 * gone from the table is asked for again.
 */
static void find_same(struct trace *trace)
{
	enum { SEEN = 256 };
	size_t seen[SEEN] = { 0 };

	for (size_t i = 0; i < trace->count; i++) {
		uint64_t lookup = trace->spots[i].lookup;
		size_t *slot = &seen[(lookup ^ lookup >> 8) % SEEN];
		if (trace->spots[*slot].lookup != lookup)
			*slot = i;
		trace->spots[i].same = *slot;
	}
}

/* All questions are one user-defined command, so that the log is opened once. */
void gdb_symbols_request(struct command_call *call)
{
	struct trace *trace = &call->session->trace;
	struct text *questions = &call->exchange->command;

	find_same(trace);
	text_reset(questions);
	for (size_t i = 0; i < trace->count; i++)
		if (trace->spots[i].same == i)
			text_print(questions, "cairn-at %zu %#llx\n", i,
			           (unsigned long long)trace->spots[i].lookup);
	reply_collect(call, questions);
	call->session->asked = PENDING_SYMBOLS;
}

/* Copy up to `end`, or what fits. */
static void copy_text(char *to, size_t room, const char *from, const char *end)
{
	size_t size = (size_t)(end - from);

	size = size < room ? size : room - 1;
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

/* `set trace-commands` puts a line with the command before its answer. */
static const char *skip_command(const char *said, const char *end, const char *command)
{
	const char *name = said + strspn(said, "+");
	const char *stop = memchr(said, '\n', (size_t)(end - said));

	return name > said && stop && strncmp(name, command, strlen(command)) == 0 ? stop + 1
	                                                                           : said;
}

/* What GDB said of one address. */
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

static void copy_same_spots(struct trace *trace)
{
	for (size_t i = 0; i < trace->count; i++) {
		struct code_location *spot = &trace->spots[i];
		if (spot->same >= i)
			continue;
		memcpy(spot->function, trace->spots[spot->same].function, sizeof(spot->function));
		memcpy(spot->file, trace->spots[spot->same].file, sizeof(spot->file));
		spot->line = trace->spots[spot->same].line;
	}
}

void gdb_symbols_read(struct command_call *call, bool full_path)
{
	struct trace *trace = &call->session->trace;
	char mark[32];

	int size = snprintf(mark, sizeof(mark), "\002%lu ", call->request->number);
	const char *at = call->output ? strstr(call->output, mark) : NULL;
	while (at) {
		char *rest;
		size_t index = strtoul(at + size, &rest, 10);
		const char *next = strstr(rest, mark);
		const char *end = next ? next : rest + strlen(rest);
		if (index < trace->count && *rest == '\n')
			parse_spot(&trace->spots[index], rest + 1, end, full_path);
		at = next;
	}
	copy_same_spots(trace);
	text_add(call->reply, "define cairn-output\nend\n"); /* it may be large */
}
