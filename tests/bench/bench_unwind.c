/* SPDX-License-Identifier: MIT */
/*
 * How many frames a second does cairn_unwind() make?
 *
 *	bench_unwind FILE
 *
 * The file, amd64 with .sframe, is laid out in a buffer as a loader would, and stacks are written
 * into another: return addresses anywhere in its functions, frames as its rules say.  Reading
 * target memory is a copy from these buffers.
 */
#include "../lib/steps.h"
#include "bench.h"

#include "formats/sframe/sframe.h"
#include "unwind/tables/sframe_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FRAMES = 64, /* of one stack */
	STACKS = 1024,
	STACK_SIZE = 1 << 18,
	FRAME_MAX = STACK_SIZE / FRAMES - 64,
	IMAGE_MAX = 1 << 28,
	RSP = 7,
	RBP = 6,
};

#define IMAGE_AT 0x7f0000000000u
#define STACK_AT 0x7ffc00000000u

struct stack {
	struct cairn_registers innermost;
	size_t used;
	uint8_t *bytes;
};

struct fake_target {
	uint8_t *image;
	size_t image_size;
	struct cairn_rules *rules;
	struct sframe_table table;
	struct cairn_space *space;
	struct stack stacks[STACKS];
	const struct stack *now; /* whose memory is there to read */
	size_t stack_count;      /* unwound in one run */
	size_t turns;
	uint64_t frames;
	uint64_t random;
};

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct fake_target *w = context;
	const struct stack *stack = w->now;
	uint64_t at = address - IMAGE_AT;

	if (at < w->image_size && size <= w->image_size - at) {
		memcpy(buffer, w->image + at, size);
		return CAIRN_OK;
	}
	at = address - STACK_AT;
	if (at >= stack->used || size > stack->used - at)
		return CAIRN_UNREADABLE;
	memcpy(buffer, stack->bytes + at, size);
	return CAIRN_OK;
}

static bool load(struct fake_target *w, const struct elf *elf)
{
	struct elf_segment s;

	w->image = calloc(1, IMAGE_MAX);
	for (uint32_t i = 0; w->image && i < elf->segments; i++) {
		if (!elf_segment(elf, i, &s) || s.type != ELF_PT_LOAD)
			continue;
		struct cairn_bytes bytes = elf_segment_bytes(elf, &s);
		if (s.va > IMAGE_MAX || s.memory_size > IMAGE_MAX - s.va ||
		    bytes.size > s.memory_size)
			return false;
		memcpy(w->image + s.va, bytes.data, bytes.size);
		if (w->image_size < s.va + s.memory_size)
			w->image_size = s.va + s.memory_size;
	}
	return w->image_size > 0;
}

static void put_word(struct stack *stack, uint64_t address, uint64_t value)
{
	memcpy(stack->bytes + (address - STACK_AT), &value, sizeof(value));
}

/* A place to return to, and its rule: one that the stack can be written for. */
static uint64_t choose(struct fake_target *w, bool rbp_is_ours, struct cairn_rule *rule)
{
	const struct cairn_rule *found;
	uint64_t start;
	uint32_t size;

	for (;;) {
		uint64_t number = bench_random(&w->random) % w->table.functions;
		sframe_extent(&w->table, (uint32_t)number, &start, &size);
		if (size < 2)
			continue;
		uint64_t va = start + 1 + bench_random(&w->random) % (size - 1);
		if (cairn_rules_find(w->rules, va - 1, &found, NULL) != CAIRN_OK ||
		    found->cfa.kind != CAIRN_REGISTER_VALUE || found->cfa.offset < 16 ||
		    found->cfa.offset % 8 != 0 || found->cfa.offset > FRAME_MAX ||
		    (found->cfa.base == RBP && !rbp_is_ours))
			continue;
		*rule = *found;
		return va;
	}
}

/* From the innermost frame outwards; the last return address is 0. */
static bool make_stack(struct fake_target *w, struct stack *stack)
{
	uint64_t sp = STACK_AT, slot = 0; /* where the frame before saved rbp */
	struct cairn_rule rule;

	stack->bytes = calloc(1, STACK_SIZE);
	if (!stack->bytes)
		return false;
	struct cairn_registers *r = &stack->innermost;
	*r = (struct cairn_registers){ .machine = CAIRN_MACHINE_AMD64,
		                       .pc = choose(w, true, &rule) + IMAGE_AT,
		                       .known = 1u << RBP | 1u << RSP };
	r->value[RSP] = sp;
	for (int i = 0; i < FRAMES; i++) {
		uint64_t cfa = sp + (uint64_t)rule.cfa.offset;
		if (rule.cfa.base == RBP && i == 0)
			r->value[RBP] = sp;
		else if (rule.cfa.base == RBP)
			put_word(stack, slot, sp);
		bool saved = rule.fp.kind == CAIRN_REGISTER_MEMORY;
		slot = saved ? cfa + (uint64_t)rule.fp.offset : 0;
		sp = cfa;
		if (i + 1 < FRAMES)
			put_word(stack, cfa - 8, choose(w, saved, &rule) + IMAGE_AT);
	}
	stack->used = sp - STACK_AT;
	return true;
}

static void unwind(struct fake_target *w, const struct stack *stack)
{
	struct cairn_registers frame = stack->innermost;
	enum cairn_frame_kind kind = CAIRN_FRAME_RETURN;
	struct cairn_step step;

	w->now = stack;
	for (w->frames++; step_by_sframe(w->space, &frame, kind, &step); w->frames++) {
		frame = step.caller;
		kind = step.caller_kind;
	}
}

static void run(void *context)
{
	struct fake_target *w = context;

	for (size_t turn = 0; turn < w->turns; turn++)
		for (size_t i = 0; i < w->stack_count; i++)
			unwind(w, &w->stacks[i]);
}

static void measure(struct fake_target *w, const char *what, size_t stacks, size_t turns)
{
	struct bench_run runs[] = { { "cairn", run, w, 0 } };

	w->stack_count = stacks;
	w->turns = turns;
	w->frames = 0;
	run(w);
	bench_race(runs, 1, w->frames);
	printf("  %-44s %12.1f ns a frame, %6.2f million frames/s; %.1f frames a stack\n", what,
	       runs[0].best, 1e3 / runs[0].best, (double)w->frames / (double)(8 * stacks * turns));
}

static bool prepare(struct fake_target *w, struct cairn_bytes bytes)
{
	const struct cairn_target target = { read_memory, w };
	struct sframe_section sframe;
	struct cairn_fault fault;
	struct elf elf;
	size_t at = 0;

	if (elf_open(bytes, &elf, &fault) != CAIRN_OK ||
	    sframe_section_find(&elf, &sframe) != CAIRN_OK ||
	    sframe_next_table(sframe.bytes, sframe.address, &at, &w->table, &fault) != CAIRN_OK ||
	    w->table.machine != CAIRN_MACHINE_AMD64 || w->table.functions == 0 || !load(w, &elf))
		return false;
	w->random = 0x243f6a8885a308d3;
	w->rules = sframe_section_rules(&elf, &sframe);
	w->space = cairn_space_new(&target);
	for (size_t i = 0; w->rules && w->space && i < STACKS; i++)
		if (!make_stack(w, &w->stacks[i]))
			return false;
	return w->rules && w->space;
}

int main(int argc, char **argv)
{
	static struct fake_target w;
	struct cairn_bytes bytes = bench_file(argc == 2 ? argv[1] : "");

	bench_machine();
	if (bytes.size > 0 && prepare(&w, bytes)) {
		printf("\nunwinding from a buffer: %s\n", argv[1]);
		measure(&w, "one stack again and again", 1, 2048);
		measure(&w, "16 different stacks", 16, 128);
		measure(&w, "1024 different stacks", STACKS, 2);
	} else {
		printf("no file for amd64 with .sframe to unwind in\n");
	}
	cairn_space_free(w.space);
	cairn_rules_free(w.rules);
	for (size_t i = 0; i < STACKS; i++)
		free(w.stacks[i].bytes);
	free(w.image);
	bench_file_free(bytes);
	return 0;
}
