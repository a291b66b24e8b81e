/* SPDX-License-Identifier: MIT */
/*
 * Takes from Linux's sets of registers what a context of a minidump has besides the integer registers:
 *
 *	amd64    r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base
 *	         ds es fs gs, 8 bytes each
 *	aarch64  x0 to x30 sp pc pstate, 8 bytes each; v0 to v31, fpsr:4 fpcr:4
 */
#include "writing.h"

#include "base/bytes.h"

#include <string.h>

enum {
	WORD = 8,
	AMD64_SET = 27 * WORD,
	AMD64_FLAGS = 18, /* words of the set */
	AMD64_FXSAVE = 512,
	ARM64_SET = 34 * WORD,
	ARM64_PSTATE = 33,
	ARM64_VECTORS = 512,
};

static uint64_t take_word(struct cairn_bytes set, size_t number)
{
	return bytes_u64(set.data + number * WORD, false);
}

static void take_amd64(const struct snapshot_thread *thread, struct minidump_context_rest *rest)
{
	static const uint8_t segments[] = { 17, 23, 24, 25, 26, 20 }; /* cs ds es fs gs ss */

	rest->known = thread->general.size >= AMD64_SET;
	for (size_t i = 0; rest->known && i < sizeof(segments); i++)
		rest->segment[i] = (uint16_t)take_word(thread->general, segments[i]);
	rest->flags = rest->known ? (uint32_t)take_word(thread->general, AMD64_FLAGS) : 0;
	if (thread->floats.size >= AMD64_FXSAVE)
		rest->vectors = (struct cairn_bytes){ thread->floats.data, AMD64_FXSAVE };
}

static void take_arm64(const struct snapshot_thread *thread, struct minidump_context_rest *rest)
{
	rest->known = thread->general.size >= ARM64_SET;
	rest->flags = rest->known ? (uint32_t)take_word(thread->general, ARM64_PSTATE) : 0;
	if (thread->floats.size < ARM64_VECTORS + WORD)
		return;
	rest->vectors = (struct cairn_bytes){ thread->floats.data, ARM64_VECTORS };
	rest->fp_status = bytes_u32(thread->floats.data + ARM64_VECTORS, false);
	rest->fp_control = bytes_u32(thread->floats.data + ARM64_VECTORS + 4, false);
}

struct minidump_registers writing_registers(const struct writing *w,
                                            const struct snapshot_thread *thread,
                                            struct minidump_context_rest *rest)
{
	struct minidump_registers registers = { .machine = w->machine,
		                                .pc = thread->registers.pc,
		                                .known = thread->registers.known };

	memcpy(registers.value, thread->registers.value, sizeof(registers.value));
	*rest = (struct minidump_context_rest){ .known = false };
	if (w->machine == MINIDUMP_MACHINE_AMD64)
		take_amd64(thread, rest);
	else
		take_arm64(thread, rest);
	return registers;
}
