/* SPDX-License-Identifier: MIT */
/* The window for a function's rows: one of a few that are usual, or the one that most steps are in. */
#include "line_window.h"

#include "base/array_grow.h"

#include <stdlib.h>
#include <string.h>

static int compare_steps(const void *left, const void *right)
{
	const int32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Most functions have a few rows. */
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

/* Most steps are near: they are counted, and what is far off is sorted. */
static void sort_many(int32_t *step, size_t count)
{
	enum { NEAR = 256 };
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
	if (far > 1)
		qsort(step, far, sizeof(*step), compare_steps);
	memmove(step + count - (far - below), step + below, (far - below) * sizeof(*step));
	for (int32_t i = 0; i < 2 * NEAR; i++)
		for (uint32_t n = near[i]; n > 0; n--)
			step[below++] = i - NEAR;
}

static bool sort_steps(struct gsym_line_steps *steps, const struct function_row *rows, size_t count)
{
	enum { FEW = 40 };

	if (!array_grow(&steps->step, &steps->room, count + 1, sizeof(*steps->step)))
		return false;
	for (size_t i = 1; i < count; i++)
		steps->step[i - 1] = gsym_line_step(&rows[i - 1], &rows[i]);
	if (count <= FEW)
		sort_few(steps->step, count - 1);
	else
		sort_many(steps->step, count - 1);
	return true;
}

bool gsym_line_steps_window(struct gsym_line_steps *steps, const struct function_row *rows,
                            size_t count, struct gsym_window *window)
{
	if (count == 0)
		return true;
	uint64_t cost = gsym_usual_window(rows, count, window);
	if (cost == gsym_least_cost(count))
		return true;
	if (!sort_steps(steps, rows, count))
		return false;
	struct gsym_window common = gsym_common_window(steps->step, count - 1);
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
