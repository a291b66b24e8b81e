/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a minidump, written as one and read again. Always:
 *   - what was written is as long as was told, and opens;
 *   - it has the same threads, with the crashed one first, their registers and their stacks;
 *   - it has the same modules and build IDs;
 *   - its memory has the same bytes.
 */
#include "fuzz.h"

#include "base/target_memory.h"
#include "process/capture/plan.h"
#include "process/snapshot/minidump_snapshot.h"
#include "writers/capture/minidump_writer.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 4096 };

struct written {
	uint8_t *bytes;
	size_t size, capacity;
};

static int append_bytes(void *context, const void *bytes, size_t size)
{
	struct written *w = context;

	if (size > w->capacity - w->size) {
		w->capacity = (w->size + size) * 2;
		w->bytes = realloc(w->bytes, w->capacity);
		ALWAYS(w->bytes);
	}
	memcpy(w->bytes + w->size, bytes, size);
	w->size += size;
	return 0;
}

/* The snapshot's thread that is at a position of the file. */
static const struct snapshot_thread *find_thread(const struct snapshot *snapshot, size_t position)
{
	size_t first = 0;

	while (first < snapshot->thread_count && !snapshot->threads[first].crashed)
		first++;
	if (first == snapshot->thread_count || position > first)
		return &snapshot->threads[position];
	return &snapshot->threads[position == 0 ? first : position - 1];
}

static void compare_registers(const struct cairn_registers *a, const struct cairn_registers *b)
{
	uint64_t all = a->pc;

	for (size_t i = 0; i < CAIRN_REGISTERS; i++)
		all |= a->value[i];
	if (a->machine == CAIRN_MACHINE_NONE || all == 0) {
		ALWAYS(b->machine == CAIRN_MACHINE_NONE);
		return;
	}
	ALWAYS(b->machine == a->machine && b->pc == a->pc && (a->known & ~b->known) == 0);
	for (unsigned i = 0; i < CAIRN_REGISTERS; i++)
		ALWAYS(!(a->known >> i & 1) || a->value[i] == b->value[i]);
}

static void compare_threads(const struct snapshot *before, const struct snapshot *after)
{
	ALWAYS(before->thread_count == after->thread_count);
	for (size_t i = 0; i < before->thread_count; i++) {
		const struct snapshot_thread *a = find_thread(before, i), *b = &after->threads[i];
		ALWAYS((uint32_t)a->tid == b->tid);
		compare_registers(&a->registers, &b->registers);
	}
}

static void compare_modules(const struct snapshot *before, const struct snapshot *after)
{
	ALWAYS(before->module_count == after->module_count);
	for (size_t i = 0; i < before->module_count; i++) {
		size_t same = 0;
		for (size_t k = 0; k < after->module_count; k++)
			same += before->modules[i].low == after->modules[k].low &&
			        before->modules[i].high == after->modules[k].high &&
			        before->modules[i].build_id.size == after->modules[k].build_id.size;
		ALWAYS(same > 0);
	}
}

static void compare_memory(const struct capture_plan *plan, const struct snapshot *before,
                           const struct snapshot *after)
{
	uint8_t a[PIECE], b[PIECE];

	for (size_t i = 0; i < plan->count; i++) {
		const struct cairn_range *range = &plan->ranges[i];
		for (uint64_t at = range->low; at < range->high; at += PIECE) {
			const uint64_t left = range->high - at;
			const size_t size = left < PIECE ? (size_t)left : PIECE;
			ALWAYS(memory_read(&before->memory, at, a, size));
			ALWAYS(memory_read(&after->memory, at, b, size));
			ALWAYS(memcmp(a, b, size) == 0);
		}
	}
}

static void read_again(const struct written *w, const struct capture_plan *plan,
                       const struct snapshot *before)
{
	struct snapshot after;
	struct cairn_fault fault;

	ALWAYS(minidump_snapshot_open(&after, (struct cairn_bytes){ w->bytes, w->size }, &fault) ==
	       CAIRN_OK);
	compare_threads(before, &after);
	compare_modules(before, &after);
	compare_memory(plan, before, &after);
	snapshot_close(&after);
}

static void write_again(const struct snapshot *snapshot)
{
	struct written w = { NULL, 0, 0 };
	struct capture_plan plan = { .ranges = NULL };
	struct cairn_error error;
	uint64_t size = 0;

	plan.stacks = calloc(snapshot->thread_count + 1, sizeof(*plan.stacks));
	ALWAYS(plan.stacks);
	for (size_t i = 0; i < snapshot->thread_count; i++)
		capture_plan_add(&plan, snapshot->threads[i].stack);
	capture_plan_settle(&plan, &snapshot->memory);
	const struct minidump_draft draft = { .snapshot = snapshot,
		                              .memory = &snapshot->memory,
		                              .ranges = plan.ranges,
		                              .range_count = plan.count,
		                              .stacks = plan.stacks,
		                              .program = snapshot->module_count };
	const enum cairn_status status = minidump_write(&draft, append_bytes, &w, &size, &error);
	ALWAYS(status == CAIRN_OK || status == CAIRN_UNSUPPORTED);
	if (status == CAIRN_OK) {
		ALWAYS(size == w.size);
		read_again(&w, &plan, snapshot);
	}
	capture_plan_finish(&plan);
	free(w.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes bytes = { data ? data : (const uint8_t *)"", size };
	struct cairn_fault fault;
	struct snapshot snapshot;

	if (minidump_snapshot_open(&snapshot, bytes, &fault) != CAIRN_OK)
		return 0;
	write_again(&snapshot);
	snapshot_close(&snapshot);
	return 0;
}
