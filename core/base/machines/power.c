/* SPDX-License-Identifier: MIT */
/* ppc64 in either byte order, and 32-bit PowerPC. */
#include "machines.h"

enum {
	PC = REGISTER_HOLDS_PC,
	NA = REGISTER_NOT_HELD,
	LINK = ARCH_PPC_LINK,
	EM_PPC = 20,
	EM_PPC64 = 21,
};

#define PPC64_SAVED 0xffffc004u /* r2, r14 to r31 */
#define PPC_SAVED 0xffffe004u   /* r2, r13 to r31 */

static const char *const names[33] = { [LINK] = "lr" };

/* r0 to r31, nip, msr, r3 before a system call, ctr, link register */
static const uint8_t order[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,  11, 12,
	                         13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,  24, 25,
	                         26, 27, 28, 29, 30, 31, PC, NA, NA, NA, LINK };

static const struct signal_trampoline ppc64_trampolines[] = {
	/*
	 * addi r1,r1,128; li r0,172; sc. The registers are in mcontext, in the ucontext above the
	 * stack frame.
	 */
	{ 12, 4, 128 + 168 + 64, 128, false, "\x80\x00\x21\x38\xac\x00\x00\x38\x02\x00\x00\x44" },
	/* the same, big-endian */
	{ 12, 4, 128 + 168 + 64, 128, false, "\x38\x21\x00\x80\x38\x00\x00\xac\x44\x00\x00\x02" },
};
static const struct signal_trampoline ppc_trampolines[] = {
	/*
	 * li r0,119; sc. The sigcontext above the stack frame contains the address of the
	 * registers.
	 */
	{ 8, 4, 64 + 28, 0, true, "\x38\x00\x00\x77\x44\x00\x00\x02" },
	/*
	 * li r0,172; sc. Above the stack frame are siginfo and a ucontext, which contains the
	 * address of the registers.
	 */
	{ 8, 4, 64 + 16 + SIGNAL_INFO_SIZE + 48, 0, true, "\x38\x00\x00\xac\x44\x00\x00\x02" },
};

const struct arch arch_ppc64 = {
	.word = 8,
	.address = 8,
	.sp = 1,
	.fp = 31,
	.pc = ARCH_PC,
	.ra = ARCH_PPC_LINK,
	.link = true,
	.chain = ARCH_CHAIN_FRAMES,
	.saved = PPC64_SAVED,
	.name = "ppc64",
	.little_name = "ppc64le",
	.elf = EM_PPC64,
	.names = { names, 33, 'r', "pc" },
	.note = REGISTER_ORDER(order),
	.context = REGISTER_ORDER(order),
	.trampolines = ppc64_trampolines,
	.trampoline_count = 2,
	.relocates_word = 1,
	.relocates_wide = 38,
};

const struct arch arch_ppc = {
	.word = 4,
	.address = 4,
	.sp = 1,
	.fp = 31,
	.pc = ARCH_PC,
	.ra = ARCH_PPC_LINK,
	.link = true,
	.chain = ARCH_CHAIN_FRAMES,
	.saved = PPC_SAVED,
	.name = "powerpc",
	.elf = EM_PPC,
	.names = { names, 33, 'r', "pc" },
	.note = REGISTER_ORDER(order),
	.context = REGISTER_ORDER(order),
	.trampolines = ppc_trampolines,
	.trampoline_count = 2,
	.relocates_word = 1,
};
