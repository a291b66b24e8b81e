/* SPDX-License-Identifier: MIT */
/*
 * How fast are Swift's backtraces decoded and encoded, and how small are they?
 *
 *	bench_cbf
 *
 * Traces of 64 to a million frames, 64-bit: any addresses at all, return addresses spread over
 * three images, and recursion.  A run counts as all of its frames, which is what a decoder that
 * expands runs has to give; the column of instructions tells what was really done.
 */
#include "bench.h"

#include "formats/cbf/cbf.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	SHORTEST = 64,
	LONGEST = 1 << 20,
	WORK = 1 << 20, /* frames in one turn */
	BLOCK = 256,    /* runs that a profiler takes at once */
	RUN_MAX = 64,
	INSTRUCTIONS_MAX = 2, /* for a run */
};

/*
 * What Swift 6.2.3, optimised, decodes through its public interface on a virtual machine of two
 * processors: 1.2 to 1.7 million frames a second.
 */
static const double swift_decode = 1.7e6;

struct trace {
	struct cairn_frame *runs;
	size_t count, frames;
	uint8_t *bytes;
	size_t room, size, turns;
};

static struct cairn_frame any_address(uint64_t *seed)
{
	return (struct cairn_frame){ CAIRN_FRAME_RETURN, bench_random(seed), 1 };
}

static struct cairn_frame three_images(uint64_t *seed)
{
	static const uint64_t base[] = { 0x555555554000, 0x7ffff7c00000, 0x7ffff7e80000 };
	static const uint64_t size[] = { 0x200000, 0x180000, 0x600000 };
	uint64_t image = bench_random(seed) % 3;
	uint64_t address = base[image] + bench_random(seed) % size[image];

	return (struct cairn_frame){ CAIRN_FRAME_RETURN, address, 1 };
}

static struct cairn_frame recursion(uint64_t *seed)
{
	struct cairn_frame frame = three_images(seed);

	frame.times = 2 + bench_random(seed) % RUN_MAX;
	return frame;
}

static void encode(void *context)
{
	struct trace *t = context;
	size_t size = 0;

	for (size_t turn = 0; turn < t->turns; turn++) {
		struct cbf_encoder e = cbf_encoder(t->bytes, t->room, 8, CBF_PROFILE_SPECIFICATION);
		for (size_t i = 0; i < t->count; i++)
			cbf_put(&e, &t->runs[i]);
		if (cbf_finish(&e, &size) != CAIRN_OK)
			abort();
	}
	t->size = size;
	bench_use(size);
}

static void decode_blocks(void *context)
{
	struct trace *t = context;
	struct cairn_frame block[BLOCK];
	uint64_t sum = 0;

	for (size_t turn = 0; turn < t->turns; turn++) {
		struct cbf c = cbf_open((struct cairn_bytes){ t->bytes, t->size });
		size_t count;
		while ((count = cbf_read(&c, block, BLOCK)) > 0)
			for (size_t i = 0; i < count; i++)
				sum += block[i].value;
		if (c.outcome != CBF_END)
			abort();
	}
	bench_use(sum);
}

static void decode_singly(void *context)
{
	struct trace *t = context;
	struct cairn_frame run;
	uint64_t sum = 0;

	for (size_t turn = 0; turn < t->turns; turn++) {
		struct cbf c = cbf_open((struct cairn_bytes){ t->bytes, t->size });
		while (cbf_next(&c, &run))
			sum += run.value;
	}
	bench_use(sum);
}

static void make(struct trace *t, size_t frames, struct cairn_frame (*next)(uint64_t *))
{
	uint64_t seed = 88172645463325252;

	t->room = frames * INSTRUCTIONS_MAX * CBF_INSTRUCTION_MAX + 2;
	t->runs = malloc(frames * sizeof(*t->runs));
	t->bytes = malloc(t->room);
	t->count = t->frames = 0;
	t->turns = WORK / frames;
	if (!t->runs || !t->bytes)
		abort();
	while (t->frames < frames) {
		t->runs[t->count] = next(&seed);
		t->frames += t->runs[t->count++].times;
	}
}

static void measure(const char *what, size_t frames, struct cairn_frame (*next)(uint64_t *))
{
	struct trace t;
	struct bench_run runs[] = {
		{ "encode", encode, &t, 0 },
		{ "blocks", decode_blocks, &t, 0 },
		{ "singly", decode_singly, &t, 0 },
	};

	make(&t, frames, next);
	bench_race(runs, 3, t.turns * t.frames);
	printf("  %-14s %8zu %8zu %7.2f %9.1f %9.1f %9.1f %7.0fx\n", what, t.frames, t.count,
	       (double)t.size / (double)t.frames, 1e3 / runs[1].best, 1e3 / runs[2].best,
	       1e3 / runs[0].best, 1e9 / runs[1].best / swift_decode);
	fflush(stdout);
	free(t.runs);
	free(t.bytes);
}

int main(void)
{
	bench_machine();
	printf("\nCBF, million frames a second on one processor\n  %-14s %8s %8s %7s %9s %9s %9s "
	       "%8s\n",
	       "", "frames", "runs", "B/frame", "decode", "singly", "encode", "Swift");
	for (size_t frames = SHORTEST; frames <= LONGEST; frames *= 16) {
		if (frames * 16 > LONGEST)
			frames = LONGEST;
		measure("any address", frames, any_address);
		measure("three images", frames, three_images);
		measure("recursion", frames, recursion);
	}
	return 0;
}
