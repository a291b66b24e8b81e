/* SPDX-License-Identifier: MIT */
/* amd64, x32 and i386. */
#include "machines.h"

enum {
	PC = REGISTER_HOLDS_PC,
	NA = REGISTER_NOT_HELD,
	AMD64_SAVED = 0xf048, /* rbx, rbp, r12 to r15 */
	I386_SAVED = 0xe8,    /* ebx, ebp, esi, edi */
	EM_386 = 3,
	EM_X86_64 = 62,
};

static const char *const amd64_names[16] = {
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"
};
static const char *const i386_names[8] = { "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi" };

static const uint8_t amd64_note[] = { 15, 14, 13, 12, 6, 3,  11, 10, 9,  8,
	                              0,  2,  1,  4,  5, NA, PC, NA, NA, 7 };
static const uint8_t amd64_context[] = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, PC };
static const uint8_t i386_note[] = { 3, 1, 2, 6, 7, 5, 0, NA, NA, NA, NA, NA, PC, NA, NA, 4 };
/* four segments, edi, esi, ebp, esp, ebx, edx, ecx, eax, trap number and error code */
static const uint8_t i386_context[] = { NA, NA, NA, NA, 7, 6, 5, 4, 3, 2, 1, 0, NA, NA, PC };

/* mov $15,%rax; syscall */
static const struct signal_trampoline amd64_trampolines[] = {
	{ 9, 7, 40, 0, false, "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05" },
};
/* mov $0x40000201,%rax; syscall */
static const struct signal_trampoline x32_trampolines[] = {
	{ 9, 7, 24, 0, false, "\x48\xc7\xc0\x01\x02\x00\x40\x0f\x05" },
};
static const struct signal_trampoline i386_trampolines[] = {
	/* pop %eax (signal number); mov $119,%eax; int $0x80 */
	{ 8, 1, 4, 4, false, "\x58\xb8\x77\x00\x00\x00\xcd\x80" },
	/*
	 * mov $173,%eax; int $0x80. The registers are in the ucontext after the handler's arguments
	 * and siginfo.
	 */
	{ 7, 5, 12 + SIGNAL_INFO_SIZE + 20, 0, false, "\xb8\xad\x00\x00\x00\xcd\x80" },
};

static bool is_amd64_frame(const struct arch *arch, const struct signal_frame *frame)
{
	enum { CS = 184, SS = 190, USER_CS = 0x33, USER_SS = 0x2b };

	(void)arch;
	return bytes_u64(frame->head, frame->big) < SIGNAL_FLAGS_MAX &&
	       bytes_u64(frame->head + 8, frame->big) == 0 &&
	       bytes_u16(frame->head + CS, frame->big) == USER_CS &&
	       bytes_u16(frame->head + SS, frame->big) == USER_SS;
}

/*
 * Check the selectors, which differ in two bits between 64-bit and 32-bit kernels, and the
 * arguments of the handler.
 */
static bool is_i386_frame(const struct arch *arch, const struct signal_frame *frame)
{
	enum { CS = 15 * 4, SS = 18 * 4 };
	const uint8_t *head = frame->head;
	const struct signal_trampoline *trampoline = frame->trampoline;

	(void)arch;
	return bytes_u32(head, frame->big) - 1u < SIGNAL_MAX &&
	       (trampoline->moved > 0 ||
	        (bytes_u32(head + 4, frame->big) == frame->sp + 12 &&
	         bytes_u32(head + 8, frame->big) == frame->sp + 12 + SIGNAL_INFO_SIZE)) &&
	       (head[trampoline->context + CS] | 0x50) == 0x73 &&
	       (head[trampoline->context + SS] | 0x50) == 0x7b;
}

const struct arch arch_amd64 = {
	.word = 8,
	.address = 8,
	.sp = 7,
	.fp = 6,
	.pc = 16,
	.ra = 16,
	.chain = ARCH_CHAIN_RECORDS,
	.saved = AMD64_SAVED,
	.name = "amd64",
	.elf = EM_X86_64,
	.breakpad = true,
	.names = { amd64_names, 16, 'r', "rip" },
	.note = REGISTER_ORDER(amd64_note),
	.thread_pointer_at = 21 * 8, /* fs_base */
	.thread_pointer_size = 8,
	.context = REGISTER_ORDER(amd64_context),
	.trampolines = amd64_trampolines,
	.trampoline_count = 1,
	.is_signal_frame = is_amd64_frame,
	.ucontext = { 168, 8, 16, 24, 32, 160, 120 },
	.relocates_word = 10,
	.relocates_wide = 1,
};

/* amd64 with 4-byte addresses; Breakpad does not support it. */
const struct arch arch_x32 = {
	.word = 8,
	.address = 4,
	.sp = 7,
	.fp = 6,
	.pc = 16,
	.ra = 16,
	.chain = ARCH_CHAIN_RECORDS,
	.saved = AMD64_SAVED,
	.name = "x32",
	.elf = EM_X86_64,
	.names = { amd64_names, 16, 'r', "rip" },
	.note = REGISTER_ORDER(amd64_note),
	.thread_pointer_at = 21 * 8,
	.thread_pointer_size = 8,
	.context = REGISTER_ORDER(amd64_context),
	.trampolines = x32_trampolines,
	.trampoline_count = 1,
	.relocates_word = 10,
	.relocates_wide = 1,
};

const struct arch arch_i386 = {
	.word = 4,
	.address = 4,
	.sp = 4,
	.fp = 5,
	.pc = 8,
	.ra = 8,
	.chain = ARCH_CHAIN_RECORDS,
	.saved = I386_SAVED,
	.name = "i386",
	.elf = EM_386,
	.breakpad = true,
	.names = { i386_names, 8, 'r', "eip" },
	.note = REGISTER_ORDER(i386_note),
	/*
	 * offset of the base address in the note's first TLS entry, which belongs to the C library
	 */
	.tls_at = 4,
	.tls_size = 4,
	.context = REGISTER_ORDER(i386_context),
	.trampolines = i386_trampolines,
	.trampoline_count = 2,
	.is_signal_frame = is_i386_frame,
	.ucontext = { 52, 4, 8, 12, 16, 48, 44 },
	.relocates_word = 1,
};
