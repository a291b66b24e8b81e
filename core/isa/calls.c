/* SPDX-License-Identifier: MIT */
/* Recognizes AArch64 calls by their bits and x86-64 calls with the instruction decoder. */
#include "calls.h"

#include "amd64.h"
#include "base/bytes.h"
#include "base/invariant.h"

enum { WORD = 4 };

/* The AArch64 call instructions. An opcode matches if (opcode & mask) == bits. */
static const struct {
	uint32_t mask, bits;
} aarch64_calls[] = {
	{ 0xfc000000, 0x94000000 }, /* BL */
	{ 0xfffffc1f, 0xd63f0000 }, /* BLR */
	{ 0xfffff800, 0xd73f0800 }, /* BLRAA, BLRAB */
	{ 0xfffff81f, 0xd63f081f }, /* BLRAAZ, BLRABZ */
	{ 0xffe0001f, 0xd4000001 }, /* SVC */
};

bool calls_supported(enum cairn_machine machine)
{
	return machine == CAIRN_MACHINE_AMD64 || machine == CAIRN_MACHINE_AARCH64;
}

static bool next_aarch64(struct cairn_bytes code, size_t at, struct calls_instruction *instruction)
{
	if (code.size - at < WORD)
		return false;
	uint32_t word = bytes_u32(code.data + at, false);
	*instruction = (struct calls_instruction){ .length = WORD };
	for (size_t i = 0; i < sizeof(aarch64_calls) / sizeof(aarch64_calls[0]); i++)
		instruction->is_call |= (word & aarch64_calls[i].mask) == aarch64_calls[i].bits;
	return true;
}

static bool next_amd64(struct cairn_bytes code, size_t at, struct calls_instruction *instruction)
{
	instruction->length =
		(uint8_t)amd64_measure(code.data + at, code.size - at, &instruction->is_call);
	return instruction->length > 0;
}

bool calls_next(enum cairn_machine machine, struct cairn_bytes code, size_t at,
                struct calls_instruction *instruction)
{
	INVARIANT(at < code.size);
	if (machine == CAIRN_MACHINE_AARCH64)
		return next_aarch64(code, at, instruction);
	return machine == CAIRN_MACHINE_AMD64 && next_amd64(code, at, instruction);
}
