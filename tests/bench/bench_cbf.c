/* SPDX-License-Identifier: MIT */
/*
 * How fast are Swift's backtraces decoded and encoded, and how small are they?
 *
 *	bench_cbf
 *
 * Then: how fast is memory searched for them?
 *
 * Traces of 64 to a million frames, 64-bit: any addresses at all, return addresses spread over
 * three images, and recursion.  A run counts as all of its frames, which is what a decoder that
 * expands runs has to give; the column of instructions tells what was really done.
 */
#include "bench.h"

#include "formats/cbf.h"
#include "traces/swift_backtrace_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SHORTEST = 64,
	LONGEST = 1 << 20,
	WORK = 1 << 20, /* frames in one turn */
	RUN_MAX = 64,
	INSTRUCTIONS_MAX = 2, /* for a run */
	MEMORY = 1 << 26,     /* bytes searched */
	VALUE_EVERY = 1 << 16,
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
	size_t capacity, size, turns;
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
		struct cbf_encoder e =
			cbf_encoder(t->bytes, t->capacity, 8, CBF_PROFILE_SPECIFICATION);
		for (size_t i = 0; i < t->count; i++)
			cbf_put(&e, &t->runs[i]);
		if (cbf_finish(&e, &size) != CAIRN_OK)
			abort();
	}
	t->size = size;
	bench_use(size);
}

static void decode(void *context)
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

	t->capacity = frames * INSTRUCTIONS_MAX * CBF_INSTRUCTION_MAX + 2;
	t->runs = malloc(frames * sizeof(*t->runs));
	t->bytes = malloc(t->capacity);
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
		{ "decode", decode, &t, 0 },
	};

	make(&t, frames, next);
	bench_race(runs, 2, t.turns * t.frames);
	printf("  %-14s %8zu %8zu %7.2f %9.1f %9.1f %7.0fx\n", what, t.frames, t.count,
	       (double)t.size / (double)t.frames, 1e3 / runs[1].best, 1e3 / runs[0].best,
	       1e9 / runs[1].best / swift_decode);
	fflush(stdout);
	free(t.runs);
	free(t.bytes);
}

/* Memory from address 0 on. */
static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct cairn_bytes *memory = context;

	if (address > memory->size || size > memory->size - address)
		return CAIRN_UNREADABLE;
	memcpy(buffer, memory->data + address, size);
	return CAIRN_OK;
}

static void search(void *context)
{
	struct cairn_target target = { read_memory, context };
	struct swift_scan finder;

	swift_scan_init(&finder, &target);
	if (swift_scan_block(&finder, 0, *(struct cairn_bytes *)context) != CAIRN_OK)
		abort();
	swift_scan_resolve(&finder);
	if (finder.count != MEMORY / VALUE_EVERY)
		abort();
	swift_scan_finish(&finder);
}

/* Any words, and in every 64 KiB a backtrace of its own. */
static void measure_search(void)
{
	static const uint8_t cbf[8] = { 0x02, 0x25, 0x55, 0x55, 0x55, 0x55, 0x52, 0x34 };
	uint64_t *words = malloc(MEMORY), seed = 1;
	struct cairn_bytes memory = { (const uint8_t *)words, MEMORY };
	struct bench_run run = { "search", search, &memory, 0 };

	if (!words)
		abort();
	for (size_t i = 0; i < MEMORY / 8; i++)
		words[i] = bench_random(&seed);
	for (size_t at = 0; at < MEMORY / 8; at += VALUE_EVERY / 8) {
		uint64_t value[] = { 0x000034365f363878, 0xe600000000000000, 8 * at + 64 };
		uint64_t array[] = { 8, 3, sizeof(cbf), 2 * sizeof(cbf) };
		memcpy(words + at, value, sizeof(value));
		memcpy(words + at + 8, array, sizeof(array));
		memcpy(words + at + 12, cbf, sizeof(cbf));
	}
	bench_race(&run, 1, MEMORY);
	printf("\nmemory searched for backtraces: %.1f GB a second\n", 1 / run.best);
	free(words);
}

int main(void)
{
	bench_machine();
	printf("\nCBF, million frames a second on one processor\n  %-14s %8s %8s %7s %9s %9s "
	       "%8s\n",
	       "", "frames", "runs", "B/frame", "decode", "encode", "Swift");
	for (size_t frames = SHORTEST; frames <= LONGEST; frames *= 16) {
		if (frames * 16 > LONGEST)
			frames = LONGEST;
		measure("any address", frames, any_address);
		measure("three images", frames, three_images);
		measure("recursion", frames, recursion);
	}
	measure_search();
	return 0;
}
