/* SPDX-License-Identifier: MIT */
/* 64-bit ARM. */
#include "machines.h"

enum {
	PC = REGISTER_HOLDS_PC,
	SAVED = 0x3ff80000, /* x19 to x29 */
	CONTEXT = 304 + 8,  /* offset of the registers, after siginfo and the start of ucontext */
	/* offset from the stack pointer to the first extension record in a signal frame */
	FLOATS = 592,
	FPSIMD_MAGIC = 0x46508001,
	EM_AARCH64 = 183,
};

static const char *const names[32] = { [31] = "sp" };
static const struct register_alias aliases[] = { { "fp", 29 }, { "lr", 30 } };

static const uint8_t order[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
	                         17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, PC };

/* mov x8,#139; svc #0: instructions are little-endian even on big-endian systems */
static const struct signal_trampoline trampolines[] = {
	{ 8, 4, CONTEXT, 0, false, "\x68\x11\x80\xd2\x01\x00\x00\xd4" },
};

static bool is_frame(const struct arch *arch, const struct signal_frame *frame)
{
	(void)arch;
	return bytes_u32(frame->head + FLOATS, frame->big) == FPSIMD_MAGIC;
}

const struct arch arch_aarch64 = {
	.word = 8,
	.address = 8,
	.sp = 31,
	.fp = 29,
	.pc = ARCH_PC,
	.ra = 30,
	.link = true,
	.signs = true,
	.chain = ARCH_CHAIN_RECORDS,
	.saved = SAVED,
	.name = "aarch64",
	.elf = EM_AARCH64,
	.breakpad = true,
	.names = { names, 32, 'x', "pc" },
	.aliases = aliases,
	.alias_count = 2,
	.note = REGISTER_ORDER(order),
	.tls_size = 8,
	.context = REGISTER_ORDER(order),
	.trampolines = trampolines,
	.trampoline_count = 1,
	.is_signal_frame = is_frame,
	.signal_record = 4688,
	.ucontext = { 440, 8, 16, 24, 32, 432, 416 },
	.relocates_word = 258,
	.relocates_wide = 257,
};
