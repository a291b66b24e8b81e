/* SPDX-License-Identifier: MIT */
/* Walks the stacks of a snapshot's threads, the crashed one first, and finds equal ones. */
#include "bt.h"

#include "base/array_grow.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_FRAMES = 32,
	PREPARED_MAX = 400, /* fewer than MODULES_MAX of a space */
};

/*
 * The headers of all modules are looked at before their code: nothing has to be searched for then. Of
 * more modules than a space keeps each is found when it is needed.
 */
static void prepare_modules(struct bt *bt)
{
	struct cairn_module known;

	if (bt->snapshot.module_count > PREPARED_MAX)
		return;
	for (size_t i = 0; i < bt->snapshot.module_count; i++)
		if (bt->snapshot.modules[i].has_bias &&
		    cairn_space_module(bt->space, bt->snapshot.modules[i].low, &known) ==
		            CAIRN_NO_MEMORY)
			return;
}

static bool add_frame(struct bt_stack *stack, const struct stack_walk *walk)
{
	if (!array_grow_from(&stack->frames, &stack->room, stack->count + 1, sizeof(*stack->frames),
	                     FIRST_FRAMES))
		return false;
	stack->frames[stack->count++] =
		(struct bt_frame){ .pc = walk->registers.pc,
		                   .lookup = stack_walk_lookup_address(walk),
		                   .cfa = walk->step.cfa,
		                   .found = walk->found,
		                   .by = walk->step.rung,
		                   .rule = walk->step.rule,
		                   .signal = walk->step.signal };
	return true;
}

static bool walk_thread(struct bt *bt, struct bt_stack *stack)
{
	const struct snapshot_thread *thread = &bt->snapshot.threads[stack->thread];
	struct stack_walk walk = { .space = bt->space,
		                   .limit = bt->options.count,
		                   .want_tables = bt_give_tables,
		                   .context = bt };

	bool more = stack_walk_begin(&walk, &thread->registers);
	while (more) {
		if (!add_frame(stack, &walk))
			return false;
		more = stack_walk_next(&walk);
	}
	stack->end = walk.end;
	stack->stop = walk.step.stop;
	return true;
}

/* The threads that are wanted, the crashed one first and the others as they are. */
static bool choose_threads(struct bt *bt)
{
	const struct snapshot_thread *crashed = snapshot_crashed_thread(&bt->snapshot);
	size_t first = crashed ? (size_t)(crashed - bt->snapshot.threads) : 0;

	bt->stacks = calloc(bt->snapshot.thread_count + 1, sizeof(*bt->stacks));
	if (!bt->stacks)
		return false;
	for (size_t i = 0; i < bt->snapshot.thread_count; i++) {
		if (bt->options.crashed_only && i > 0)
			break;
		size_t at = i == 0 ? first : i <= first ? i - 1 : i;
		bt->stacks[bt->stack_count++].thread = at;
	}
	return true;
}

static bool has_same_frames(const struct bt_stack *a, const struct bt_stack *b)
{
	if (a->count != b->count || a->end != b->end)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->frames[i].pc != b->frames[i].pc)
			return false;
	return true;
}

static uint64_t hash_frames(const struct bt_stack *stack)
{
	uint64_t hash = stack->count + 1;

	for (size_t i = 0; i < stack->count; i++)
		hash = (hash ^ stack->frames[i].pc) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

/* Equal stacks are found through a table of those that stand for themselves. */
static bool find_equal_stacks(struct bt *bt)
{
	size_t slots = 2;

	while (slots < 2 * (bt->stack_count + 1))
		slots *= 2;
	size_t *table = calloc(slots, sizeof(*table));
	for (size_t i = 0; table && i < bt->stack_count; i++) {
		struct bt_stack *stack = &bt->stacks[i];
		size_t at = (size_t)hash_frames(stack) & (slots - 1);
		while (table[at] && !has_same_frames(&bt->stacks[table[at] - 1], stack))
			at = (at + 1) & (slots - 1);
		if (!table[at]) {
			table[at] = i + 1;
			continue;
		}
		stack->repeated = true;
		stack->same_as = table[at] - 1;
		bt->stacks[stack->same_as].equal++;
	}
	free(table);
	return table != NULL;
}

bool bt_walk(struct bt *bt)
{
	if (!choose_threads(bt))
		return false;
	prepare_modules(bt);
	for (size_t i = 0; i < bt->stack_count; i++)
		if (!walk_thread(bt, &bt->stacks[i]))
			return false;
	return !bt->options.dedup || find_equal_stacks(bt);
}

const char *bt_end_text(const struct bt_stack *stack)
{
	if (stack->end != STACK_END_UNKNOWN)
		return stack_end_text(stack->end);
	if (stack->stop == CAIRN_STOP_NO_TABLE || stack->stop == CAIRN_STOP_NO_ROW)
		return "no unwind information covers this address, and no frame pointer leads on";
	return cairn_stop_text(stack->stop);
}

const char *bt_end_hint(const struct bt *bt, const struct bt_stack *stack)
{
	const struct snapshot_module *module;

	if (stack->end != STACK_END_UNKNOWN || stack->count == 0)
		return NULL;
	module = snapshot_find_module(&bt->snapshot, stack->frames[stack->count - 1].lookup);
	return module && module->file.size == 0 ? module->file_why : NULL;
}
