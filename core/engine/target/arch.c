/* SPDX-License-Identifier: MIT */
/*
 * Returns the unwinding parameters of each architecture and strips pointer authentication bits from
 * a return address.
 */
#include "arch.h"

enum {
	AARCH64_ADDRESS_BITS = 48,
	AARCH64_SELECT_BIT = 55, /* tells user addresses from kernel ones; never part of the code */
};

#define AMD64_SAVED 0xf048u       /* rbx, rbp, r12 to r15 */
#define AARCH64_SAVED 0x3ff80000u /* x19 to x29 */
#define S390X_SAVED 0xff003fc0u   /* r6 to r13, f8 to f15 */

const struct arch *arch_of(enum cairn_machine machine)
{
	static const struct arch amd64 = {
		.sp = 7, .fp = 6, .ra = 16, .chain = true, .saved = AMD64_SAVED
	};
	static const struct arch aarch64 = {
		.sp = 31, .fp = 29, .ra = 30, .link = true, .chain = true, .saved = AARCH64_SAVED
	};
	static const struct arch s390x = { .sp = 15,
		                           .fp = 11,
		                           .ra = 14,
		                           .link = true,
		                           .sp_from_cfa = -160,
		                           .saved = S390X_SAVED };

	switch (machine) {
	case CAIRN_MACHINE_AMD64:
		return &amd64;
	case CAIRN_MACHINE_AARCH64:
		return &aarch64;
	case CAIRN_MACHINE_S390X:
		return &s390x;
	case CAIRN_MACHINE_NONE:
		break;
	}
	return NULL;
}

uint64_t arch_strip(enum cairn_machine machine, uint64_t address)
{
	const uint64_t code = ~(((uint64_t)1 << AARCH64_ADDRESS_BITS) - 1);

	if (machine != CAIRN_MACHINE_AARCH64)
		return address;
	return address >> AARCH64_SELECT_BIT & 1 ? address | code : address & ~code;
}
