/* SPDX-License-Identifier: MIT */
/* Finds the target of an amd64 call in its code or in a GOT slot of the module. */
#include "call_target.h"

#include "base/bytes.h"
#include "unwind/target/memory.h"

enum {
	CALL = 0xe8,
	CALL_SIZE = 5,
	/* with one of the following bytes: the slot is 4 bytes relative to the instruction's end */
	BY_POINTER = 0xff,
	CALL_SLOT = 0x15,
	JUMP_SLOT = 0x25,
	BY_SLOT_SIZE = 6,
	ENDBR_SIZE = 4,
	BND = 0xf2,
	STUB_SIZE = ENDBR_SIZE + 1 + BY_SLOT_SIZE,
};

static uint64_t add_distance(uint64_t end, const uint8_t *distance)
{
	return end + (uint64_t)(int64_t)(int32_t)bytes_u32(distance, false);
}

/*
 * Follow (endbr64) (bnd) jmp *slot(%rip), the stub that linkers create for a function in another
 * module.
 */
static bool follow_stub(const struct cairn_target *target, uint64_t stub, uint64_t *leads_to)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint8_t code[STUB_SIZE];
	size_t at = 0;

	if (!memory_read(target, stub, code, sizeof(code)))
		return false;
	if (bytes_u32(code, false) == bytes_u32(endbr, false))
		at += ENDBR_SIZE;
	at += code[at] == BND;
	return code[at] == BY_POINTER && code[at + 1] == JUMP_SLOT &&
	       memory_word(target, add_distance(stub + at + BY_SLOT_SIZE, code + at + 2), false,
	                   leads_to);
}

bool call_target_find(const struct cairn_target *target, uint64_t back, uint64_t *leads_to)
{
	uint8_t call[BY_SLOT_SIZE];
	const uint8_t *direct = call + BY_SLOT_SIZE - CALL_SIZE;
	uint64_t behind;

	if (!memory_read(target, back - BY_SLOT_SIZE, call, sizeof(call)))
		return false;
	if (call[0] == BY_POINTER && call[1] == CALL_SLOT)
		return memory_word(target, add_distance(back, call + 2), false, leads_to);
	if (direct[0] != CALL)
		return false;
	*leads_to = add_distance(back, direct + 1);
	if (follow_stub(target, *leads_to, &behind))
		*leads_to = behind;
	return true;
}
