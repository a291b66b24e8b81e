/* SPDX-License-Identifier: MIT */
/*
 * Folds repeated blocks in one pass. The kept items never contain a repetition, so a new item can
 * only complete one that ends with it. Removing the second half of that one restores a sequence
 * that is free of repetitions.
 */
#include "recursion.h"

/* The block that repeated last, and how many items of a further copy were kept after it. */
struct run {
	size_t period; /* 0 if no block repeated, or other items followed it */
	size_t more;
};

/* Return true if the last `period` items equal the `period` items before them. */
static bool repeats_block(const uint32_t *items, size_t count, size_t period)
{
	for (size_t i = 1; i <= period; i++)
		if (items[count - i] != items[count - i - period])
			return false;
	return true;
}

static size_t find_period(const uint32_t *items, size_t count)
{
	for (size_t period = 1; period <= RECURSION_PERIOD_MAX && 2 * period <= count; period++)
		if (repeats_block(items, count, period))
			return period;
	return 0;
}

static void continue_run(struct run *run, const uint32_t *items, size_t count)
{
	if (run->period > 0 && items[count - 1] == items[count - 1 - run->period])
		run->more++;
	else
		run->period = 0;
}

/*
 * Update the run after a block of `period` items was removed. If a shorter block repeated within
 * the partial copy that follows a run, that run continues.
 */
static void repeat_run(struct run *run, size_t period)
{
	if (run->period > period && run->more + 1 >= period)
		run->more -= period - 1;
	else
		*run = (struct run){ period, 0 };
}

static size_t fold_blocks(uint32_t *items, size_t count, bool *all_run)
{
	struct run run = { 0, 0 };
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		items[kept++] = items[i];
		const size_t period = find_period(items, kept);
		if (period > 0) {
			kept -= period;
			repeat_run(&run, period);
		} else {
			continue_run(&run, items, kept);
		}
	}
	if (run.period > 0)
		kept -= run.more;
	*all_run = run.period > 0 && run.period == kept;
	return kept;
}

static void reverse_items(uint32_t *items, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		const uint32_t item = items[i];
		items[i] = items[count - 1 - i];
		items[count - 1 - i] = item;
	}
}

size_t recursion_fold(uint32_t *items, size_t count, bool is_cut, bool *all_run)
{
	if (is_cut)
		return fold_blocks(items, count, all_run);
	reverse_items(items, count);
	count = fold_blocks(items, count, all_run);
	reverse_items(items, count);
	return count;
}
