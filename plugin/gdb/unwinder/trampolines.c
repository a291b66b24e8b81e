/* SPDX-License-Identifier: MIT */
/*
 * Recognizes signal trampolines that are the program's own, and adjusts the pc that GDB gets for
 * them.
 */
#include "trampolines.h"

enum {
	NEAR = 65, /* bytes around a trampoline in which SFrame code makes it the program's own */
	NEAR_STEP = 16,
};

bool trampoline_starts_own(struct unwinder *u, uint64_t start)
{
	struct cairn_module module;

	if (cairn_space_has_cfi(u->space, start))
		return false;
	/*
	 * GDB would use the rule of the preceding function, because it looks one byte before the pc
	 */
	if (cairn_space_has_cfi(u->space, start - 1))
		return true;
	if (cairn_space_module(u->space, start, &module) != CAIRN_OK)
		return true;
	for (uint64_t away = 1; away <= NEAR; away += NEAR_STEP)
		if (cairn_space_has_sframe(u->space, start - away) ||
		    cairn_space_has_sframe(u->space, start + away))
			return true;
	return false;
}

bool trampoline_is_own(struct unwinder *u, const struct cairn_registers *frame)
{
	uint64_t start;

	return cairn_find_signal_trampoline(u->space, frame, &start) &&
	       trampoline_starts_own(u, start);
}

void trampoline_restore_pc(struct unwinder *u, struct cairn_registers *frame)
{
	struct cairn_registers before = *frame;

	before.pc--;
	if (frame->machine == CAIRN_MACHINE_AMD64 && trampoline_is_own(u, &before))
		*frame = before;
}

void trampoline_advance_pc(struct unwinder *u, struct cairn_registers *caller)
{
	if (caller->machine == CAIRN_MACHINE_AMD64 && trampoline_is_own(u, caller))
		caller->pc++;
}
