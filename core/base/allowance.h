/* SPDX-License-Identifier: MIT */
/*
 * How much work, memory or text one input is worth: so much for any input, and so much for each of its bytes.
 * Formats share their data, so that a small file asks for any amount; whoever reads it draws from its allowance for each
 * thing as often as it is read, and ends when that is used up.
 *
 *	struct allowance steps = allowance_of(STEPS_LEAST, STEPS_TIMES, file_size);
 *	allowance_add(&steps, STEPS_TIMES, other_file_size);
 *	if (!allowance_draw(&steps, 1))
 *		... it is used up, for good: steps.over
 *
 * Of one thread; core/debuginfo/budget shares one among several.
 */
#ifndef CAIRN_BASE_ALLOWANCE_H
#define CAIRN_BASE_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

struct allowance {
	uint64_t left;
	bool over; /* more was wanted than there was */
};

/* One more input of `size` bytes, each of which is worth `times`; what is past 64 bits is without a limit. */
static inline void allowance_add(struct allowance *allowance, uint64_t times, uint64_t size)
{
	uint64_t more = times > 0 && size > UINT64_MAX / times ? UINT64_MAX : times * size;

	allowance->left = more > UINT64_MAX - allowance->left ? UINT64_MAX : allowance->left + more;
}

static inline struct allowance allowance_of(uint64_t least, uint64_t times, uint64_t size)
{
	struct allowance allowance = { .left = least };

	allowance_add(&allowance, times, size);
	return allowance;
}

/* After the first amount that is too much there is none that is not. */
static inline bool allowance_draw(struct allowance *allowance, uint64_t amount)
{
	allowance->over = allowance->over || amount > allowance->left;
	if (!allowance->over)
		allowance->left -= amount;
	return !allowance->over;
}

#endif
