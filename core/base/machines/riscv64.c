/* SPDX-License-Identifier: MIT */
/* 64-bit RISC-V. */
#include "machines.h"

enum {
	PC = REGISTER_HOLDS_PC,
	SAVED = 0xffc0300, /* s0 to s11 */
	EM_RISCV = 243,
};

static const char *const names[32] = { "zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
	                               "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
	                               "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
	                               "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6" };

static const uint8_t order[] = { PC, 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
	                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };

/* li a7,139; ecall. The registers are in the ucontext after siginfo. */
static const struct signal_trampoline trampolines[] = {
	{ 8, 4, SIGNAL_INFO_SIZE + 176, 0, false, "\x93\x08\xb0\x08\x73\x00\x00\x00" },
};

static bool is_frame(const struct arch *arch, const struct signal_frame *frame)
{
	return is_signal_info(arch, frame->big, frame->head);
}

const struct arch arch_riscv64 = {
	.word = 8,
	.address = 8,
	.sp = 2,
	.fp = 8,
	.pc = ARCH_PC,
	.ra = 1,
	.link = true,
	.saved = SAVED,
	.name = "riscv64",
	.elf = EM_RISCV,
	.names = { names, 32, 'r', "pc" },
	.note = REGISTER_ORDER(order),
	.context = REGISTER_ORDER(order),
	.trampolines = trampolines,
	.trampoline_count = 1,
	.is_signal_frame = is_frame,
	.relocates_word = 1,
	.relocates_wide = 2,
};
