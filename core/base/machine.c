/* SPDX-License-Identifier: MIT */
/* Returns what each machine keeps its stack by. */
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

static const struct arch machines[] = {
	[CAIRN_MACHINE_AMD64] = { .word = 8,
	                          .address = 8,
	                          .sp = 7,
	                          .fp = 6,
	                          .pc = 16,
	                          .ra = 16,
	                          .chain = true,
	                          .saved = AMD64_SAVED },
	[CAIRN_MACHINE_AARCH64] = { .word = 8,
	                            .address = 8,
	                            .sp = 31,
	                            .fp = 29,
	                            .pc = ARCH_PC,
	                            .ra = 30,
	                            .link = true,
	                            .chain = true,
	                            .saved = AARCH64_SAVED },
	[CAIRN_MACHINE_S390X] = { .word = 8,
	                          .address = 8,
	                          .sp = 15,
	                          .pc = ARCH_PC,
	                          .fp = 11,
	                          .ra = 14,
	                          .link = true,
	                          .sp_from_cfa = -160,
	                          .saved = S390X_SAVED },
	[CAIRN_MACHINE_I386] = { .word = 4,
	                         .address = 4,
	                         .sp = 4,
	                         .fp = 5,
	                         .pc = 8,
	                         .ra = 8,
	                         .chain = true,
	                         .saved = I386_SAVED },
	[CAIRN_MACHINE_ARM] = { .word = 4,
	                        .address = 4,
	                        .sp = 13,
	                        .fp = 11,
	                        .pc = 15,
	                        .ra = 14,
	                        .link = true,
	                        .saved = ARM_SAVED },
	[CAIRN_MACHINE_PPC64] = { .word = 8,
	                          .address = 8,
	                          .sp = 1,
	                          .fp = 31,
	                          .pc = ARCH_PC,
	                          .ra = ARCH_PPC_LINK,
	                          .link = true,
	                          .saved = PPC64_SAVED },
	[CAIRN_MACHINE_RISCV64] = { .word = 8,
	                            .address = 8,
	                            .sp = 2,
	                            .fp = 8,
	                            .pc = ARCH_PC,
	                            .ra = 1,
	                            .link = true,
	                            .saved = RISCV64_SAVED },
	[CAIRN_MACHINE_X32] = { .word = 8,
	                        .address = 4,
	                        .sp = 7,
	                        .fp = 6,
	                        .pc = 16,
	                        .ra = 16,
	                        .chain = true,
	                        .saved = AMD64_SAVED },
	[CAIRN_MACHINE_S390] = { .word = 4,
	                         .address = 4,
	                         .sp = 15,
	                         .pc = ARCH_PC,
	                         .fp = 11,
	                         .ra = 14,
	                         .link = true,
	                         .sp_from_cfa = -96,
	                         .saved = S390_SAVED },
	[CAIRN_MACHINE_PPC] = { .word = 4,
	                        .address = 4,
	                        .sp = 1,
	                        .fp = 31,
	                        .pc = ARCH_PC,
	                        .ra = ARCH_PPC_LINK,
	                        .link = true,
	                        .saved = PPC_SAVED },
};

const struct arch *arch_of(enum cairn_machine machine)
{
	const size_t index = (size_t)machine;

	if (index >= sizeof(machines) / sizeof(machines[0]) || machines[index].word == 0)
		return NULL;
	return &machines[index];
}
