/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the memory of a JVM, behind two bytes each for the pc and three registers of a frame, as offsets in that memory.
 * Always: searches read no more of the maps than they may, and a rule restores the return address from a place that the frame's
 * registers lead to, with a CFA above the stack pointer in compiled code.
 */
#include "fuzz.h"

#include "base/bytes.h"
#include "fixture_hotspot.h"
#include "process/stacks/hotspot.h"

#include <string.h>

enum { HEAD = 8, RBP = 6, RSP = 7, R13 = 13 };

static struct fixture_hotspot cache;

static bool open_cache(struct hotspot *h)
{
	const struct snapshot_module module = fixture_hotspot_module();
	const struct cairn_target target = fixture_hotspot_target(&cache);

	return hotspot_open(h, &module, target, target);
}

static void check_rule(struct hotspot *h, uint64_t pc, const struct cairn_registers *frame)
{
	struct cairn_rule rule;
	const uint32_t hops = h->hops_left;

	if (hotspot_find_rule(h, pc, frame, &rule)) {
		ALWAYS(rule.machine == CAIRN_MACHINE_AMD64);
		ALWAYS(rule.ra.kind == CAIRN_REGISTER_MEMORY);
		ALWAYS(rule.cfa.base != RSP || (rule.cfa.offset > 0 && rule.cfa.offset % 8 == 0));
	}
	ALWAYS(h->hops_left <= hops);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_registers frame = { .machine = CAIRN_MACHINE_AMD64, .known = 0xffff };
	struct hotspot h;

	if (size < HEAD)
		return 0;
	cache.size = size - HEAD < JVM_SIZE ? size - HEAD : JVM_SIZE;
	memcpy(cache.memory, data + HEAD, cache.size);
	if (!open_cache(&h))
		return 0;
	ALWAYS(h.heap_count > 0 && h.heap_count <= HOTSPOT_HEAPS && h.hops_left == HOTSPOT_HOPS);
	const uint64_t pc = JVM_LOW + bytes_u16(data, false);
	frame.value[RSP] = JVM_LOW + bytes_u16(data + 2, false);
	frame.value[RBP] = JVM_LOW + bytes_u16(data + 4, false);
	frame.value[R13] = JVM_LOW + bytes_u16(data + 6, false);
	frame.pc = pc;
	check_rule(&h, pc, &frame); /* as the innermost frame, and as a caller */
	frame.pc = pc + 1;
	check_rule(&h, pc, &frame);
	return 0;
}
