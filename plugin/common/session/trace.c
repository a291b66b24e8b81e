/* SPDX-License-Identifier: MIT */
/* Stores the frames of one command in a growing list, and finds frames with the same address. */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

struct code_location *trace_add(struct trace *trace)
{
	if (trace->count == TRACE_MAX)
		return NULL;
	if (trace->count == trace->capacity) {
		size_t capacity = trace->capacity ? 2 * trace->capacity : FIRST_CAPACITY;
		struct code_location *grown = realloc(trace->spots, capacity * sizeof(*grown));
		if (!grown)
			return NULL;
		trace->spots = grown;
		trace->capacity = capacity;
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

/*
 * Set `same` in all locations. The hash table has no collision chains, so if the slot of an address
 * has been overwritten, the address is queried again.
 */
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

static int compare_by_lookup(const void *left, const void *right)
{
	const struct code_location *a = left, *b = right;

	return a->lookup < b->lookup ? -1 : a->lookup > b->lookup;
}

void trace_sort(struct trace *trace)
{
	size_t kept = 0;

	if (trace->count == 0)
		return;
	qsort(trace->spots, trace->count, sizeof(*trace->spots), compare_by_lookup);
	for (size_t i = 1; i < trace->count; i++)
		if (trace->spots[i].lookup != trace->spots[kept].lookup)
			trace->spots[++kept] = trace->spots[i];
	trace->count = kept + 1;
}

const struct code_location *trace_find(const struct trace *trace, uint64_t lookup)
{
	const struct code_location key = { .lookup = lookup };
	const struct code_location *found = trace->count ? bsearch(&key, trace->spots, trace->count,
	                                                           sizeof(key), compare_by_lookup)
	                                                 : NULL;

	while (found && found > trace->spots && found[-1].lookup == lookup)
		found--;
	return found;
}

/*
 * Return true if analyzing the machine code may find a better caller, because the step has found
 * no rule or has only followed the frame pointer.
 */
static bool should_ask_code(const struct cairn_step *step, bool found)
{
	if (step->at_entry)
		return false;
	return found ? step->method == CAIRN_UNWIND_METHOD_FRAME_POINTER
	             : step->stop == CAIRN_STOP_NO_MODULE || step->stop == CAIRN_STOP_NO_TABLE ||
	                       step->stop == CAIRN_STOP_NO_ROW ||
	                       step->stop == CAIRN_STOP_BAD_TABLE;
}

bool trace_find_caller(struct cairn_space *space, const struct cairn_registers *frame,
                       enum cairn_frame_kind kind, struct cairn_step *step)
{
	enum { AMD64_FP = 6 }; /* DWARF number of rbp; CAIRN_UNWIND_BY_CODE supports only amd64 */
	static const struct cairn_unwind_options by_code = { sizeof(by_code), CAIRN_UNWIND_BY_CODE,
		                                             false };
	const bool found = cairn_unwind(space, frame, kind, NULL, step);
	struct cairn_step code;

	if (!should_ask_code(step, found) || !cairn_unwind(space, frame, kind, &by_code, &code))
		return found;
	const bool passes_fp = code.caller.known >> AMD64_FP & frame->known >> AMD64_FP & 1 &&
	                       code.caller.value[AMD64_FP] == frame->value[AMD64_FP];
	if (found && kind == CAIRN_FRAME_RETURN &&
	    cairn_space_follows_call(space, step->caller.pc) &&
	    !(passes_fp && code.cfa < step->cfa))
		return true;
	*step = code;
	return true;
}
