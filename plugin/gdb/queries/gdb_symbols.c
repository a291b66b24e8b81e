/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memmem */
/*
 * Parses `info symbol`, which prints "main + 4 in section .text of FILE", and `info line`, which
 * prints "Line 31 of \"dir/file.c\" starts at address ...". A line "\002REQUEST INDEX" precedes the
 * two answers for an address. A symbol's name may hold anything, but cannot contain the number of
 * the request.
 */
#include "gdb_symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Query all symbols by one user-defined command, so that the log is opened only once. */
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

/* Skip the line with the command that `set trace-commands` puts before its answer. */
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
	/* empty the command, which may be large */
	text_add(gdb_call(call)->reply, "define _cairn output\nend\n");
	return ANSWER_READY;
}
