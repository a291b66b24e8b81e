/* SPDX-License-Identifier: MIT */
/*
 * Looks for records of vectors in the frames of signals that the walks come to:
 *
 *	frame   = signal's facts:128 context:176 fault:8 x0 to x30:8 sp:8 pc:8 pstate:8 gap:8 record*
 *	record  = magic:4 size:4 ...
 *	extra   = magic:4 size:4 address of further records:8 their size:4 gap:12
 */
#include "vector_records.h"

#include "base/array_grow.h"
#include "base/bytes.h"
#include "base/sort.h"
#include "unwind/target/arch.h"
#include "unwind/target/memory.h"

#include <stdlib.h>

enum {
	RECORDS_AT = 128 + 176 + 8 + 34 * 8 + 8,
	HEAD = VECTOR_RECORD_HEAD,
	SIZE_LEAST = 16,
};

#define SVE_MAGIC UINT32_C(0x53564501)
#define ZA_MAGIC UINT32_C(0x54366345)
#define EXTRA_MAGIC UINT32_C(0x45585401)

/* Where the record after this one is; false: this is the last. */
static bool find_next(const struct cairn_target *target, uint32_t magic, uint32_t size,
                      uint64_t *at)
{
	uint8_t place[8];

	if (magic == 0 || size < SIZE_LEAST)
		return false;
	if (magic != EXTRA_MAGIC) {
		*at += size;
		return true;
	}
	if (!memory_read(target, *at + HEAD, place, sizeof(place)))
		return false;
	*at = bytes_u64(place, false);
	return true;
}

/* The first record of vectors from the address on, which becomes its own. */
static bool find_vectors(const struct cairn_target *target, uint64_t *at)
{
	uint8_t head[HEAD];

	for (size_t i = 0; i < VECTOR_RECORDS_STEPS && memory_read(target, *at, head, HEAD); i++) {
		const uint32_t magic = bytes_u32(head, false);
		if (magic == SVE_MAGIC || magic == ZA_MAGIC)
			return true;
		if (!find_next(target, magic, bytes_u32(head + 4, false), at))
			return false;
	}
	return false;
}

static void take_frame(struct vector_records *records, const struct cairn_stacks *stacks)
{
	const struct cairn_registers *frame = &stacks->walk.registers;
	const unsigned sp = arch_of(CAIRN_MACHINE_AARCH64)->sp;
	struct vector_record record = { frame->value[sp] + RECORDS_AT };

	if (!stacks->walk.step.signal || !register_known(frame, sp) ||
	    records->count == VECTOR_RECORDS_MAX ||
	    !find_vectors(&stacks->memory.target, &record.address))
		return;
	if (!ARRAY_APPEND(records->record, records->count, records->room, record))
		records->scarce = true;
}

bool vector_records_find(struct vector_records *records, struct cairn_stacks *stacks)
{
	*records = (struct vector_records){ .record = NULL };
	if (stacks->snapshot.machine != CAIRN_MACHINE_AARCH64)
		return true;
	for (size_t i = 0; i < stacks->snapshot.thread_count && !records->scarce; i++)
		for (bool more = cairn_stacks_begin(stacks, i); more;
		     more = cairn_stacks_next(stacks))
			take_frame(records, stacks);
	SORT_BY_FIRST(records->record, records->count, address);
	return !records->scarce;
}

void vector_records_finish(struct vector_records *records)
{
	free(records->record);
}
