/* SPDX-License-Identifier: MIT */
/*
 * Limits the work, memory or string bytes that an input can cause: a base amount, plus an amount
 * per input byte. Records may share data, so even a small file can demand an unlimited amount.
 * Readers therefore count every access against the allowance, including repeated accesses to the
 * same data, and stop when it is exhausted.
 *
 *	struct allowance steps = allowance_of(STEPS_LEAST, STEPS_TIMES, file_size);
 *	allowance_add(&steps, STEPS_TIMES, other_file_size);
 *	if (!allowance_draw(&steps, 1))
 *		... exhausted; steps.over remains set
 *
 * Use an allowance from one thread only; core/debuginfo/budget shares one among threads.
 */
#ifndef CAIRN_BASE_ALLOWANCE_H
#define CAIRN_BASE_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

struct allowance {
	uint64_t left;
	bool over;
};

/* Raise the allowance by `times` per byte of an input of `size` bytes, to at most UINT64_MAX. */
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

/*
 * Count `amount` against the allowance. Return false if less than that is left; every later call
 * then fails, too.
 */
static inline bool allowance_draw(struct allowance *allowance, uint64_t amount)
{
	allowance->over = allowance->over || amount > allowance->left;
	if (!allowance->over)
		allowance->left -= amount;
	return !allowance->over;
}

#endif
