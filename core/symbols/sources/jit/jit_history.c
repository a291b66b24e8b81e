/* SPDX-License-Identifier: MIT */
/* Finds JIT code by address and time. */
#include "jit_history.h"

#include "base/bytes.h"
#include "base/sort.h"

#include <stdlib.h>

static uint64_t find_function_end(const struct jit_function *function)
{
	return function->start + function->size;
}

enum cairn_status jit_history_read(struct jit_history *history, struct cairn_bytes file)
{
	uint64_t reach = 0;

	*history = (struct jit_history){ .steps = allowance_of(HISTORY_STEPS_LEAST,
		                                               HISTORY_STEPS_TIMES, file.size) };
	if (jit_code_read(&history->code, file, NULL) != CAIRN_OK)
		return CAIRN_NO_MEMORY;
	history->reach = malloc((history->code.count + 1) * sizeof(*history->reach));
	if (!history->reach) {
		jit_history_finish(history);
		return CAIRN_NO_MEMORY;
	}
	for (size_t i = 0; i < history->code.count; i++) {
		const uint64_t end = find_function_end(&history->code.function[i]);
		reach = end > reach ? end : reach;
		history->reach[i] = reach;
	}
	return CAIRN_OK;
}

void jit_history_finish(struct jit_history *history)
{
	jit_code_finish(&history->code);
	free(history->reach);
	history->reach = NULL;
}

/*
 * Return the next function, in descending order, that overlaps a range and existed at `time`, or
 * NULL. The range begins at `start`; initialize *at with the number of functions that begin before
 * its end.
 */
static const struct jit_function *find_next_over(struct jit_history *history, uint64_t start,
                                                 const uint64_t *time, size_t *at)
{
	while (*at > 0 && history->reach[*at - 1] > start && allowance_draw(&history->steps, 1)) {
		const struct jit_function *function = &history->code.function[--*at];
		/* functions loaded after *time do not count; without a time all do */
		if (find_function_end(function) > start && (!time || function->time <= *time))
			return function;
	}
	return NULL;
}

static size_t count_before(const struct jit_history *history, uint64_t end)
{
	return SORTED_BELOW(history->code.function, history->code.count, start, end);
}

/*
 * Return true if a later function overlaps `found`, or without a time, any function of
 * another name.
 */
static bool is_replaced(struct jit_history *history, const struct jit_function *found,
                        const uint64_t *time)
{
	size_t at = count_before(history, find_function_end(found));
	const struct jit_function *other;

	while ((other = find_next_over(history, found->start, time, &at)))
		if (time ? other->number > found->number : !bytes_equal(other->name, found->name))
			return true;
	return false;
}

const struct jit_function *jit_history_find(struct jit_history *history, uint64_t pc,
                                            const uint64_t *time)
{
	size_t at = pc < UINT64_MAX ? count_before(history, pc + 1) : history->code.count;
	const struct jit_function *found = NULL, *other;

	if (!history->code.dump)
		time = NULL;
	while ((other = find_next_over(history, pc, time, &at)))
		if (!found || other->number > found->number)
			found = other;
	if (!found || found->name.size == 0 || is_replaced(history, found, time) ||
	    history->steps.over)
		return NULL;
	return found;
}
