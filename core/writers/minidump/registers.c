/* SPDX-License-Identifier: MIT */
/*
 * Extracts from Linux's register sets the parts of a minidump context besides the integer
 * registers.
 */
#include "writing.h"

#include "base/bytes.h"
#include "model/linux_sets.h"

#include <string.h>

static uint64_t take_word(struct cairn_bytes set, size_t number)
{
	return bytes_u64(set.data + number * LINUX_WORD, false);
}

static void take_amd64(const struct snapshot_thread *thread, struct minidump_context_rest *rest)
{
	rest->known = thread->general.size >= LINUX_AMD64_WORDS * LINUX_WORD;
	for (size_t i = 0; rest->known && i < LINUX_AMD64_SEGMENTS; i++)
		rest->segment[i] = (uint16_t)take_word(thread->general, linux_amd64_segments[i]);
	rest->flags = rest->known ? (uint32_t)take_word(thread->general, LINUX_AMD64_FLAGS) : 0;
	if (thread->floats.size >= LINUX_AMD64_FXSAVE)
		rest->vectors = (struct cairn_bytes){ thread->floats.data, LINUX_AMD64_FXSAVE };
}

static void take_arm64(const struct snapshot_thread *thread, struct minidump_context_rest *rest)
{
	rest->known = thread->general.size >= LINUX_ARM64_WORDS * LINUX_WORD;
	rest->flags = rest->known ? (uint32_t)take_word(thread->general, LINUX_ARM64_PSTATE) : 0;
	if (thread->floats.size < LINUX_ARM64_VECTORS + LINUX_WORD)
		return;
	rest->vectors = (struct cairn_bytes){ thread->floats.data, LINUX_ARM64_VECTORS };
	rest->fp_status = bytes_u32(thread->floats.data + LINUX_ARM64_VECTORS, false);
	rest->fp_control = bytes_u32(thread->floats.data + LINUX_ARM64_VECTORS + 4, false);
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
