/* SPDX-License-Identifier: MIT */
/* Strips return addresses and reads words of a machine. */
#include "arch.h"

#include "memory.h"

#include "base/bytes.h"

enum {
	AARCH64_ADDRESS_BITS = 48,
	/* separates user from kernel addresses; never part of the signature */
	AARCH64_SELECT_BIT = 55,
};

#define S390_ADDRESS UINT64_C(0x7fffffff) /* without the top bit, which marks 31-bit mode */

uint64_t arch_strip(enum cairn_machine machine, uint64_t address, uint64_t signature)
{
	const uint64_t code = ~(((uint64_t)1 << AARCH64_ADDRESS_BITS) - 1) | signature;

	if (machine == CAIRN_MACHINE_ARM)
		return address & ~(uint64_t)1; /* clear the Thumb bit */
	if (machine == CAIRN_MACHINE_S390)
		return address & S390_ADDRESS;
	if (machine != CAIRN_MACHINE_AARCH64)
		return address;
	return address >> AARCH64_SELECT_BIT & 1 ? address | code : address & ~code;
}

bool arch_read_word(const struct arch *arch, const struct cairn_target *target, bool big,
                    uint64_t address, uint64_t *word)
{
	uint8_t bytes[4];

	if (arch->word != sizeof(bytes))
		return memory_word(target, address, big, word);
	if (!memory_read(target, address, bytes, sizeof(bytes)))
		return false;
	*word = bytes_u32(bytes, big);
	return true;
}
