/* SPDX-License-Identifier: MIT */
/* Walks the stacks of a snapshot's threads, the crashed one first, and finds equal ones. */
#include "bt.h"

#include "base/array_grow.h"
#include "base/hash.h"
#include "cli/front/progress.h"

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
		if (bt->snapshot.modules[i].has_bias && !bt->snapshot.modules[i].remapped &&
		    cairn_space_module(bt->space, bt->snapshot.modules[i].low, &known) ==
		            CAIRN_NO_MEMORY)
			return;
}

static bool add_rule(struct bt_stack *stack, const struct cairn_rule *rule)
{
	if (!array_grow_from(&stack->rules, &stack->rule_room, stack->count + 1,
	                     sizeof(*stack->rules), FIRST_FRAMES))
		return false;
	stack->rules[stack->count] = *rule;
	return true;
}

static bool add_frame(struct bt *bt, struct bt_stack *stack, const struct stack_walk *walk)
{
	if (bt->options.explain && !add_rule(stack, &walk->step.rule))
		return false;
	bt->frames_left -= bt->frames_left > 0;
	if (!array_grow_from(&stack->frames, &stack->room, stack->count + 1, sizeof(*stack->frames),
	                     FIRST_FRAMES))
		return false;
	stack->frames[stack->count++] =
		(struct bt_frame){ .pc = walk->registers.pc,
		                   .lookup = stack_walk_lookup_address(walk),
		                   .cfa = walk->step.cfa,
		                   .found = walk->found,
		                   .by = walk->step.method,
		                   .signal = walk->step.signal };
	return true;
}

static bool walk_thread(struct bt *bt, struct bt_stack *stack)
{
	const struct snapshot_thread *thread = &bt->snapshot.threads[stack->thread];
	uint64_t wanted = bt->options.count;
	const bool cut = wanted == 0 || wanted > bt->frames_left;
	struct stack_walk walk = { .space = bt->space,
		                   .limit = cut ? bt->frames_left : wanted,
		                   .want_tables = bt_give_tables,
		                   .context = bt,
		                   .may_scan = bt->snapshot.kind == SNAPSHOT_MINIDUMP };

	bool more = stack_walk_begin(&walk, &thread->registers);
	while (more) {
		if (!add_frame(bt, stack, &walk))
			return false;
		more = stack_walk_next(&walk);
	}
	stack->end = walk.end;
	stack->stop = walk.step.stop;
	stack->fault = walk.step.fault;
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

/* Stacks that stand for themselves, so far. */
struct equal_stacks {
	struct slot_table slots;
	struct bt_stack *stacks;
	size_t *item; /* their numbers in the list above */
	size_t count;
};

static uint64_t hash_frames(const struct bt_stack *stack, uint64_t key)
{
	uint64_t words[2] = { stack->count, stack->end }, hash;

	hash = hash_text((struct cairn_bytes){ (const uint8_t *)words, sizeof(words) }, key);
	for (size_t i = 0; i < stack->count; i++) {
		words[0] = hash;
		words[1] = stack->frames[i].pc;
		hash = hash_text((struct cairn_bytes){ (const uint8_t *)words, sizeof(words) },
		                 key);
	}
	return hash;
}

static uint64_t hash_stack(const void *items, uint32_t number)
{
	const struct equal_stacks *equal = items;

	return hash_frames(&equal->stacks[equal->item[number - 1]], equal->slots.key);
}

static bool is_same_stack(const void *items, uint32_t number, const void *key)
{
	const struct equal_stacks *equal = items;

	return has_same_frames(&equal->stacks[equal->item[number - 1]], key);
}

/* A stack stands for itself, or another one for it. False: memory is short. */
static bool enter_stack(struct equal_stacks *equal, size_t index)
{
	struct bt_stack *stack = &equal->stacks[index];

	if (!slot_table_reserve(&equal->slots, equal->count, hash_stack, equal))
		return false;
	uint64_t hash = hash_frames(stack, equal->slots.key);
	uint32_t *slot = slot_table_find(&equal->slots, hash, is_same_stack, equal, stack);
	if (*slot == 0) {
		equal->item[equal->count++] = index;
		*slot = (uint32_t)equal->count;
		return true;
	}
	stack->repeated = true;
	stack->same_as = equal->item[*slot - 1];
	equal->stacks[stack->same_as].equal++;
	return true;
}

static bool find_equal_stacks(struct bt *bt)
{
	struct equal_stacks equal = { .stacks = bt->stacks,
		                      .item = calloc(bt->stack_count + 1, sizeof(*equal.item)) };
	bool good = equal.item != NULL;

	for (size_t i = 0; good && i < bt->stack_count; i++)
		good = enter_stack(&equal, i);
	slot_table_finish(&equal.slots);
	free(equal.item);
	return good;
}

bool bt_walk(struct bt *bt)
{
	bt->frames_left = BT_FRAMES_LEAST + bt->size / BT_FRAME_BYTES;
	if (bt->frames_left > BT_FRAMES_MAX)
		bt->frames_left = BT_FRAMES_MAX;
	if (!choose_threads(bt))
		return false;
	prepare_modules(bt);
	struct progress progress = progress_begin(bt->path, "threads", bt->options.quiet);
	for (size_t i = 0; i < bt->stack_count; i++) {
		progress_update(&progress, i, bt->stack_count);
		bt->stacks[i].end = STACK_END_LIMIT;
		if (bt->frames_left > 0 && !walk_thread(bt, &bt->stacks[i]))
			return false;
	}
	progress_end(&progress);
	return !bt->options.dedup || find_equal_stacks(bt);
}

const char *bt_end_text(const struct bt *bt, const struct bt_stack *stack)
{
	const char *made = NULL;

	if (stack->end != STACK_END_UNKNOWN)
		return stack_end_text(stack->end);
	if (stack->stop == CAIRN_STOP_NO_MODULE && stack->count > 0)
		made = snapshot_explain_made_code(&bt->snapshot,
		                                  stack->frames[stack->count - 1].lookup);
	if (made)
		return made;
	if (stack->stop == CAIRN_STOP_NO_TABLE || stack->stop == CAIRN_STOP_NO_ROW)
		return "no unwind information covers this address, and no frame pointer leads on";
	if (stack->stop == CAIRN_STOP_BAD_TABLE && stack->fault.status == CAIRN_UNSUPPORTED)
		return "the table is not understood here";
	return cairn_stop_text(stack->stop);
}

bool bt_ends_as_asked(const struct bt *bt, const struct bt_stack *stack)
{
	return stack->end == STACK_END_LIMIT && bt->options.count > 0 &&
	       stack->count == bt->options.count;
}

const char *bt_end_hint(const struct bt *bt, const struct bt_stack *stack)
{
	const struct snapshot_module *module;

	if (stack->end != STACK_END_UNKNOWN || stack->count == 0)
		return NULL;
	if (bt->snapshot.threads[stack->thread].stack_cut)
		return "only the innermost part of its stack was captured";
	module = snapshot_find_module(&bt->snapshot, stack->frames[stack->count - 1].lookup);
	return module && module->file.size == 0 ? module->file_why : NULL;
}
