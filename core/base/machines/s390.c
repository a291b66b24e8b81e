/* SPDX-License-Identifier: MIT */
/* s390x, and s390 with 31-bit addresses. */
#include "machines.h"

enum {
	PC = REGISTER_HOLDS_PC,
	NA = REGISTER_NOT_HELD,
	/*
	 * number of 4-byte words in a 31-bit context up to r15; the floating-point registers that
	 * follow are stored in 8 bytes each
	 */
	S390_WORDS = 18,
	EM_S390 = 22,
	S390_SAVED = 0xc3fc0, /* r6 to r13, f4 and f6 */
};

#define S390X_SAVED 0xff003fc0u       /* r6 to r13, f8 to f15 */
#define MODE_31 ~UINT64_C(0x7fffffff) /* the top bit marks 31-bit mode */

static const char *const names[16] = { NULL };

static const uint8_t note[] = { NA, PC, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
static const uint8_t floats[] = { 16, 20, 17, 21, 18, 22, 19, 23, 24, 28, 25, 29, 26, 30, 27, 31 };
/* PSW mask and address, r0 to r15, access registers, control, f0 to f15 */
static const uint8_t context[] = { NA, PC, 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
	                           13, 14, 15, NA, NA, NA, NA, NA, NA, NA, NA, NA, 16, 20, 17,
	                           21, 18, 22, 19, 23, 24, 28, 25, 29, 26, 30, 27, 31 };

static const struct signal_trampoline s390x_trampolines[] = {
	/* svc 119. The pointer to the context is above the register save area. */
	{ 2, 0, 160 + 8, 0, true, "\x0a\x77" },
	/* svc 173, for handlers with siginfo. The registers are in the ucontext after siginfo. */
	{ 2, 0, 160 + 8 + SIGNAL_INFO_SIZE + 40, 0, false, "\x0a\xad" },
};
static const struct signal_trampoline s390_trampolines[] = {
	{ 2, 0, 96 + 8, 0, true, "\x0a\x77" },
	/* as for s390x, but the registers are 24 bytes after the start of ucontext */
	{ 2, 0, 96 + 8 + SIGNAL_INFO_SIZE + 24, 0, false, "\x0a\xad" },
};

static bool is_s390x_frame(const struct arch *arch, const struct signal_frame *frame)
{
	return !frame->trampoline->indirect &&
	       is_signal_info(arch, frame->big, frame->head + 160 + 8);
}

const struct arch arch_s390x = {
	.word = 8,
	.address = 8,
	.sp = 15,
	.fp = 11,
	.pc = ARCH_PC,
	.ra = 14,
	.link = true,
	.chain = ARCH_CHAIN_FIRST_ONLY,
	.sp_from_cfa = -160,
	.saved = S390X_SAVED,
	.name = "s390x",
	.elf = EM_S390,
	.names = { names, 16, 'r', "pc" },
	.note = REGISTER_ORDER(note),
	.thread_pointer_at = 18 * 8, /* the thread pointer is in access registers 0 and 1 */
	.thread_pointer_size = 8,
	.floats = REGISTER_ORDER(floats),
	.context = REGISTER_ORDER(context),
	.trampolines = s390x_trampolines,
	.trampoline_count = 2,
	.is_signal_frame = is_s390x_frame,
	.ucontext = { 184, 8, 16, 24, 32, 176, 144 },
	.relocates_word = 4,
	.relocates_wide = 22,
};

const struct arch arch_s390 = {
	.word = 4,
	.address = 4,
	.sp = 15,
	.fp = 11,
	.pc = ARCH_PC,
	.ra = 14,
	.link = true,
	.chain = ARCH_CHAIN_FIRST_ONLY,
	.sp_from_cfa = -96,
	.saved = S390_SAVED,
	.return_tag = MODE_31,
	.pc_tag = MODE_31,
	.name = "s390 (31-bit)",
	.elf = EM_S390,
	.names = { names, 16, 'r', "pc" },
	.note = REGISTER_ORDER(note),
	.thread_pointer_at = 18 * 4,
	.thread_pointer_size = 4,
	.context = { context, S390_WORDS },
	.trampolines = s390_trampolines,
	.trampoline_count = 2,
	.relocates_word = 4,
	.relocates_wide = 22,
};
