/* SPDX-License-Identifier: MIT */
/*
 * The window is either one of a few that are common, or the one that contains the largest number of
 * steps.
 */
#include "line_window.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static int compare_steps(const void *left, const void *right)
{
	const int32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Insertion sort; most functions have only a few rows. */
static void sort_few(int32_t *step, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		int32_t one = step[i];
		size_t at = i;
		for (; at > 0 && step[at - 1] > one; at--)
			step[at] = step[at - 1];
		step[at] = one;
	}
}

enum {
	NEAR = 256, /* steps below this magnitude are sorted by counting */
	WIDE = 15,  /* maximum width of a window */
};

/*
 * Return an upper bound of the far steps in any window. They are counted in buckets of a few lines,
 * modulo the number of buckets, so the bound may be too high. Any window touches at most two
 * adjacent buckets.
 */
static size_t bound_far(const int32_t *step, size_t count)
{
	enum { BUCKETS = 128, LINES_SHIFT = 4 };
	uint32_t bucket[BUCKETS] = { 0 };
	size_t most = 0;

	for (size_t i = 0; i < count; i++)
		bucket[(uint32_t)step[i] >> LINES_SHIFT & (BUCKETS - 1)]++;
	for (unsigned i = 0; i < BUCKETS; i++) {
		size_t both = (size_t)bucket[i] + bucket[(i + 1) & (BUCKETS - 1)];
		most = both > most ? both : most;
	}
	return most;
}

/*
 * Return true if a window of near steps contains more steps than any window with a far step can
 * contain. The bound includes the outermost near steps, because they can share a window with a far
 * step.
 */
static bool outnumber_far(const uint32_t near[2 * NEAR], const int32_t *far, size_t count)
{
	size_t middle = 0, beside = 0;

	for (unsigned i = 0; i < WIDE; i++) {
		middle += near[NEAR - WIDE / 2 + i];
		beside += near[i] + near[2 * NEAR - 1 - i];
	}
	return middle > beside + count || middle > beside + bound_far(far, count);
}

/*
 * Sort many steps. Near steps, which are the majority, are sorted by counting. Far steps are
 * dropped if they cannot be in the best window. Return the number of remaining steps.
 */
static size_t sort_many(int32_t *step, size_t count)
{
	uint32_t near[2 * NEAR] = { 0 };
	size_t far = 0, below = 0;

	for (size_t i = 0; i < count; i++) {
		if (step[i] >= -NEAR && step[i] < NEAR) {
			near[step[i] + NEAR]++;
			continue;
		}
		below += step[i] < 0;
		step[far++] = step[i];
	}
	if (outnumber_far(near, step, far)) {
		count -= far;
		far = below = 0;
	}
	if (far > 1)
		qsort(step, far, sizeof(*step), compare_steps);
	memmove(step + count - (far - below), step + below, (far - below) * sizeof(*step));
	for (int32_t i = 0; i < 2 * NEAR; i++)
		for (uint32_t n = near[i]; n > 0; n--)
			step[below++] = i - NEAR;
	return count;
}

static bool sort_steps(struct gsym_line_steps *steps, const struct function_row *rows, size_t count,
                       size_t *sorted)
{
	enum { FEW = 40 };

	if (!array_grow(&steps->step, &steps->room, count + 1, sizeof(*steps->step)))
		return false;
	for (size_t i = 1; i < count; i++)
		steps->step[i - 1] = gsym_line_step(&rows[i - 1], &rows[i]);
	*sorted = count - 1;
	if (count <= FEW)
		sort_few(steps->step, count - 1);
	else
		*sorted = sort_many(steps->step, count - 1);
	return true;
}

bool gsym_line_steps_window(struct gsym_line_steps *steps, const struct function_row *rows,
                            size_t count, struct gsym_window *window)
{
	if (count == 0)
		return true;
	size_t sorted;
	uint64_t cost = gsym_usual_window(rows, count, &steps->costs, window);
	if (cost == gsym_least_cost(count))
		return true;
	if (!sort_steps(steps, rows, count, &sorted))
		return false;
	struct gsym_window common = gsym_common_window(steps->step, sorted);
	if (cost == 0)
		cost = gsym_window_cost(window, rows, count);
	if (gsym_window_cost(&common, rows, count) < cost)
		*window = common;
	return true;
}

void gsym_line_steps_finish(struct gsym_line_steps *steps)
{
	free(steps->step);
	*steps = (struct gsym_line_steps){ .step = NULL };
}
