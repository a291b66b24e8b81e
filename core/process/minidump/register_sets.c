/* SPDX-License-Identifier: MIT */
/*
 * Converts the registers of a minidump's context other than integer registers to Linux's register
 * sets, the form that the writers of cores and minidumps expect.
 */
#include "minidump_records.h"

#include "model/linux_sets.h"

#include <string.h>

static void keep_amd64(struct snapshot *snapshot, const struct minidump_context_rest *rest,
                       struct snapshot_thread *thread)
{
	uint8_t set[LINUX_AMD64_WORDS * LINUX_WORD] = { 0 };

	linux_set_word(set, LINUX_AMD64_SYSTEM_CALL, UINT64_MAX); /* not in a system call */
	linux_set_word(set, LINUX_AMD64_FLAGS, rest->flags);
	for (unsigned i = 0; i < LINUX_AMD64_SEGMENTS; i++)
		linux_set_word(set, linux_amd64_segments[i], rest->segment[i]);
	if (rest->segment[0] == 0)
		linux_set_word(set, LINUX_AMD64_CS, LINUX_USER_CODE);
	if (rest->segment[LINUX_AMD64_SEGMENTS - 1] == 0)
		linux_set_word(set, LINUX_AMD64_SS, LINUX_USER_DATA);
	thread->general = snapshot_keep(snapshot, (struct cairn_bytes){ set, sizeof(set) });
	thread->floats = rest->vectors;
}

static void keep_arm64(struct snapshot *snapshot, const struct minidump_context_rest *rest,
                       struct snapshot_thread *thread)
{
	uint8_t set[LINUX_ARM64_WORDS * LINUX_WORD] = { 0 }, floats[LINUX_ARM64_FLOATS] = { 0 };

	linux_set_word(set, LINUX_ARM64_PSTATE, rest->flags);
	thread->general = snapshot_keep(snapshot, (struct cairn_bytes){ set, sizeof(set) });
	if (rest->vectors.size != LINUX_ARM64_VECTORS)
		return;
	memcpy(floats, rest->vectors.data, LINUX_ARM64_VECTORS);
	linux_set_word(floats, LINUX_ARM64_VECTORS / LINUX_WORD,
	               (uint64_t)rest->fp_control << 32 | rest->fp_status);
	thread->floats = snapshot_keep(snapshot, (struct cairn_bytes){ floats, sizeof(floats) });
}

void minidump_keep_sets(struct snapshot *snapshot, const struct minidump *dump,
                        enum minidump_machine machine, const struct minidump_part *context,
                        struct snapshot_thread *thread)
{
	struct minidump_context_rest rest;

	minidump_read_context_rest(dump, machine, context, &rest);
	thread->general = thread->floats = (struct cairn_bytes){ NULL, 0 };
	if (!rest.known)
		return;
	if (machine == MINIDUMP_MACHINE_AMD64)
		keep_amd64(snapshot, &rest, thread);
	else
		keep_arm64(snapshot, &rest, thread);
}
