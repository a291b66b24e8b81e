/* SPDX-License-Identifier: MIT */
/* 32-bit ARM. */
#include "machines.h"

enum {
	PC = REGISTER_HOLDS_PC,
	SAVED = 0xff0, /* r4 to r11 */
	EM_ARM = 40,
};

static const char *const names[15] = { [13] = "sp", [14] = "lr" }; /* r15 is the pc */
static const struct register_alias aliases[] = {
	{ "fp", 11 }, { "ip", 12 }, { "r13", 13 }, { "r14", 14 }, { "r15", 15 },
};

static const uint8_t order[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, PC };

static const struct signal_trampoline trampolines[] = {
	/* mov r7,#119; svc 0. The registers are in the ucontext at the stack pointer. */
	{ 8, 4, 32, 0, false, "\x77\x70\xa0\xe3\x00\x00\x00\xef" },
	/* mov r7,#173; svc 0. The registers are in the ucontext after siginfo. */
	{ 8, 4, SIGNAL_INFO_SIZE + 32, 0, false, "\xad\x70\xa0\xe3\x00\x00\x00\xef" },
	/* the same two trampolines in Thumb code */
	{ 4, 2, 32, 0, false, "\x77\x27\x00\xdf" },
	{ 4, 2, SIGNAL_INFO_SIZE + 32, 0, false, "\xad\x27\x00\xdf" },
};

static bool is_frame(const struct arch *arch, const struct signal_frame *frame)
{
	return frame->trampoline->context == SIGNAL_INFO_SIZE + 32 &&
	       is_signal_info(arch, frame->big, frame->head);
}

const struct arch arch_arm = {
	.word = 4,
	.address = 4,
	.sp = 13,
	.fp = 11,
	.pc = 15,
	.ra = 14,
	.link = true,
	.saved = SAVED,
	.return_tag = 1, /* the Thumb bit */
	.name = "arm",
	.elf = EM_ARM,
	.breakpad = true,
	.names = { names, 15, 'r', "pc" },
	.aliases = aliases,
	.alias_count = 5,
	.note = REGISTER_ORDER(order),
	.context = REGISTER_ORDER(order),
	.trampolines = trampolines,
	.trampoline_count = 4,
	.is_signal_frame = is_frame,
	.relocates_word = 2,
};
