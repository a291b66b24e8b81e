/* SPDX-License-Identifier: MIT */
/* Grows a list of frames, and finds those that have the same address. */
#include "trace.h"

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
	trace->more = trace->outermost = trace->lacks_modules = false;
}

void trace_finish(struct trace *trace)
{
	free(trace->spots);
	*trace = (struct trace){ .spots = NULL };
}

void trace_keep_last(struct trace *trace, size_t count)
{
	if (count >= trace->count)
		return;
	trace->level += trace->count - count;
	memmove(trace->spots, trace->spots + (trace->count - count), count * sizeof(*trace->spots));
	trace->count = count;
}

/* What has gone from the table is asked for again. */
void trace_find_same(struct trace *trace)
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

void trace_copy_same(struct trace *trace)
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
