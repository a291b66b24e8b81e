/* SPDX-License-Identifier: MIT */
/*
 * `info symbol` says "main + 4 in section .text of FILE", `info line` says
 * "Line 31 of \"dir/file.c\" starts at address ...".  A mark goes before each answer.
 */
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

static const char mark[] = "\002";

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

void trace_finish(struct trace *trace)
{
	free(trace->spots);
	*trace = (struct trace){ .spots = NULL };
}

/* All questions are one user-defined command, so that the log is opened once. */
void symbols_ask(struct call *call)
{
	const struct trace *trace = &call->session->trace;

	text_add(call->reply, "define cairn-symbols\n");
	for (size_t i = 0; i < trace->count; i++)
		text_print(call->reply, "echo \\002%zu\\n\ninfo symbol %#llx\ninfo line *%#llx\n",
		           i, (unsigned long long)trace->spots[i].lookup,
		           (unsigned long long)trace->spots[i].lookup);
	text_add(call->reply, "end\n");
	reply_capture_begin(call);
	reply_capture(call, "with language c -- cairn-symbols");
	reply_capture_end(call);
}

/* Copy up to `end`, or what fits. */
static void copy(char *to, size_t room, const char *from, const char *end)
{
	size_t size = (size_t)(end - from);

	size = size < room ? size : room - 1;
	memcpy(to, from, size);
	to[size] = '\0';
}

static void take_symbol(struct spot *spot, const char *line, const char *end)
{
	const char *in = strstr(line, " in section ");

	if (!in || in >= end)
		return;
	copy(spot->function, sizeof(spot->function), line, in);
}

static void take_line(struct spot *spot, const char *line, bool full_path)
{
	unsigned number;
	const char *name = strstr(line, " of \"");
	const char *end = name ? strchr(name + 5, '"') : NULL;

	if (sscanf(line, "Line %u ", &number) != 1 || !end)
		return;
	name += 5;
	for (const char *p = name; !full_path && p < end; p++)
		if (*p == '/')
			name = p + 1;
	copy(spot->file, sizeof(spot->file), name, end);
	spot->line = number;
}

void symbols_take(struct call *call, bool full_path)
{
	struct trace *trace = &call->session->trace;
	const char *at = call->output ? strstr(call->output, mark) : NULL;

	while (at) {
		char *rest;
		size_t index = strtoul(at + 1, &rest, 10);
		const char *next = strstr(rest, mark);
		const char *symbol = strchr(rest, '\n');
		const char *line = symbol ? strchr(symbol + 1, '\n') : NULL;
		if (index < trace->count && line && (!next || line < next)) {
			take_symbol(&trace->spots[index], symbol + 1, line);
			take_line(&trace->spots[index], line + 1, full_path);
		}
		at = next;
	}
}
