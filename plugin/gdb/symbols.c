/* SPDX-License-Identifier: MIT */
/*
 * `info symbol` says "main + 4 in section .text of FILE", `info line` says
 * "Line 31 of \"dir/file.c\" starts at address ...".  Before the two answers for an address goes a
 * line "\002 REQUEST INDEX": a symbol's name may hold anything, but not the number of the request.
 */
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

struct spot *trace_add(struct trace *trace)
{
	if (trace->count == TRACE_MAX)
		return NULL;
	if (trace->count == trace->room) {
		size_t room = trace->room ? 2 * trace->room : FIRST_ROOM;
		struct spot *grown = realloc(trace->spots, room * sizeof(*grown));
		if (!grown)
			return NULL;
		trace->spots = grown;
		trace->room = room;
	}
	struct spot *spot = &trace->spots[trace->count++];
	*spot = (struct spot){ .pc = 0 };
	return spot;
}

void trace_start(struct trace *trace)
{
	trace->count = 0;
	trace->level = 0;
}

void trace_keep_last(struct trace *trace, size_t count)
{
	if (count >= trace->count)
		return;
	trace->level = trace->count - count;
	memmove(trace->spots, trace->spots + trace->level, count * sizeof(*trace->spots));
	trace->count = count;
}

/* All questions are one user-defined command, so that the log is opened once. */
void symbols_ask(struct call *call)
{
	const struct trace *trace = &call->session->trace;
	struct text *questions = &call->session->command;

	text_reset(questions);
	for (size_t i = 0; i < trace->count; i++)
		text_print(questions, "cairn-spot-c %lu %zu %#llx\n", call->request->number, i,
		           (unsigned long long)trace->spots[i].lookup);
	reply_collect(call, questions);
	call->session->asked = ASKED_SYMBOLS;
}

/* Copy up to `end`, or what fits. */
static void copy(char *to, size_t room, const char *from, const char *end)
{
	size_t size = (size_t)(end - from);

	size = size < room ? size : room - 1;
	memcpy(to, from, size);
	to[size] = '\0';
}

/* Returns what follows its line. */
static const char *take_symbol(struct spot *spot, const char *said, const char *end)
{
	const char *in = strstr(said, " in section ");

	if (in && in < end)
		copy(spot->function, sizeof(spot->function), said, in);
	else
		in = said;
	const char *line = memchr(in, '\n', (size_t)(end - in));
	return line ? line + 1 : end;
}

static void take_line(struct spot *spot, const char *line, const char *end, bool full_path)
{
	unsigned number;
	const char *name = strstr(line, " of \"");
	const char *quote = name && name < end ? strchr(name + 5, '"') : NULL;

	if (sscanf(line, "Line %u ", &number) != 1 || !quote || quote > end)
		return;
	name += 5;
	for (const char *p = name; !full_path && p < quote; p++)
		if (*p == '/')
			name = p + 1;
	copy(spot->file, sizeof(spot->file), name, quote);
	spot->line = number;
}

void symbols_take(struct call *call, bool full_path)
{
	struct trace *trace = &call->session->trace;
	char mark[32];

	/* the number of the request that asked */
	int size = snprintf(mark, sizeof(mark), "\002 %lu ", call->request->number - 1);
	const char *at = call->output ? strstr(call->output, mark) : NULL;
	while (at) {
		char *rest;
		size_t index = strtoul(at + size, &rest, 10);
		const char *next = strstr(rest, mark);
		const char *end = next ? next : rest + strlen(rest);
		if (index < trace->count && *rest == '\n') {
			struct spot *spot = &trace->spots[index];
			take_line(spot, take_symbol(spot, rest + 1, end), end, full_path);
		}
		at = next;
	}
	text_add(call->reply, "define cairn-output\nend\n"); /* it may be large */
}
