/* SPDX-License-Identifier: MIT */
/*
 * What the memory of this machine delivers at best: one thread reads 256 MiB, more than its caches hold, again
 * and again. Prints the bytes in a second of the best turn. A program that must read some bytes cannot be
 * faster than that.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORDS = 32 << 20, TURNS = 9, LANES = 8 };

static double read_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Sums in several lanes, so that no addition waits for the one before. */
static uint64_t sum_words(const uint64_t *words)
{
	uint64_t lanes[LANES] = { 0 }, sum = 0;

	for (size_t i = 0; i < WORDS; i += LANES)
		for (size_t lane = 0; lane < LANES; lane++)
			lanes[lane] += words[i + lane];
	for (size_t lane = 0; lane < LANES; lane++)
		sum += lanes[lane];
	return sum;
}

int main(void)
{
	uint64_t *words = malloc((size_t)WORDS * sizeof(*words));
	volatile uint64_t sink = 0; /* so that no sum is left out */
	double best = 0;

	if (!words)
		return 1;
	memset(words, 1, (size_t)WORDS * sizeof(*words)); /* pages of its own */
	for (int turn = 0; turn < TURNS; turn++) {
		double start = read_clock();
		sink = sink + sum_words(words);
		double rate = (double)WORDS * sizeof(*words) / (read_clock() - start);
		if (rate > best)
			best = rate;
	}
	printf("%.0f\n", best);
	free(words);
	return 0;
}
