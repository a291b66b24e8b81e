/* SPDX-License-Identifier: MIT */
/* The properties of each machine that unwinding depends on. */
#include "machine.h"

#define AMD64_SAVED 0xf048u       /* rbx, rbp, r12 to r15 */
#define AARCH64_SAVED 0x3ff80000u /* x19 to x29 */
#define I386_SAVED 0xe8u          /* ebx, ebp, esi, edi */
#define ARM_SAVED 0xff0u          /* r4 to r11 */
#define S390X_SAVED 0xff003fc0u   /* r6 to r13, f8 to f15 */
#define PPC64_SAVED 0xffffc004u   /* r2, r14 to r31 */
#define RISCV64_SAVED 0xffc0300u  /* s0 to s11 */
#define S390_SAVED 0xc3fc0u       /* r6 to r13, f4 and f6 */
#define PPC_SAVED 0xffffe004u     /* r2, r13 to r31 */

/* Columns of struct arch: word, address, sp, fp, pc, ra, link, chain, sp_from_cfa and saved. */
static const struct arch machines[] = {
	[CAIRN_MACHINE_AMD64] = { 8, 8, 7, 6, 16, 16, false, true, 0, AMD64_SAVED },
	[CAIRN_MACHINE_AARCH64] = { 8, 8, 31, 29, ARCH_PC, 30, true, true, 0, AARCH64_SAVED },
	[CAIRN_MACHINE_S390X] = { 8, 8, 15, 11, ARCH_PC, 14, true, false, -160, S390X_SAVED },
	[CAIRN_MACHINE_I386] = { 4, 4, 4, 5, 8, 8, false, true, 0, I386_SAVED },
	[CAIRN_MACHINE_ARM] = { 4, 4, 13, 11, 15, 14, true, false, 0, ARM_SAVED },
	[CAIRN_MACHINE_PPC64] = { 8, 8, 1, 31, ARCH_PC, ARCH_PPC_LINK, true, false, 0,
	                          PPC64_SAVED },
	[CAIRN_MACHINE_RISCV64] = { 8, 8, 2, 8, ARCH_PC, 1, true, false, 0, RISCV64_SAVED },
	[CAIRN_MACHINE_X32] = { 8, 4, 7, 6, 16, 16, false, true, 0, AMD64_SAVED },
	[CAIRN_MACHINE_S390] = { 4, 4, 15, 11, ARCH_PC, 14, true, false, -96, S390_SAVED },
	[CAIRN_MACHINE_PPC] = { 4, 4, 1, 31, ARCH_PC, ARCH_PPC_LINK, true, false, 0, PPC_SAVED },
};

_Static_assert(sizeof(machines) / sizeof(machines[0]) == ARCH_MACHINES, "each has a row");

const struct arch *arch_of(enum cairn_machine machine)
{
	switch (machine) {
	case CAIRN_MACHINE_AMD64:
	case CAIRN_MACHINE_AARCH64:
	case CAIRN_MACHINE_S390X:
	case CAIRN_MACHINE_I386:
	case CAIRN_MACHINE_ARM:
	case CAIRN_MACHINE_PPC64:
	case CAIRN_MACHINE_RISCV64:
	case CAIRN_MACHINE_X32:
	case CAIRN_MACHINE_S390:
	case CAIRN_MACHINE_PPC:
		return &machines[machine];
	case CAIRN_MACHINE_NONE:
		break;
	}
	return NULL;
}
