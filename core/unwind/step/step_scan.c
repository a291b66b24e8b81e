/* SPDX-License-Identifier: MIT */
/*
 * Unwinds by searching the stack for a return address. This is the last method and a guess, which
 * may find a leftover of an earlier call. It is the only one that works for minidumps without the
 * program's files.
 */
#include "methods.h"

enum {
	/*
	 * words to search for the innermost frame, which may be large and include an unknown callee
	 */
	WORDS_FIRST = 160,
	/* words to search for other frames, which rarely have more (same value as Breakpad) */
	WORDS_LATER = 40,
};

static void fill_scanned_caller(struct unwind_context *u, uint64_t at, uint64_t pc)
{
	struct cairn_registers *caller = &u->step->caller;
	const unsigned fp = u->arch->fp;

	unwind_return_to(u, CAIRN_UNWIND_METHOD_SCAN, at + u->arch->word, pc);
	u->step->guessed = true;
	register_set(caller, u->arch->sp, u->step->cfa);
	/* a pointer further up may be the caller's own, so that the chain continues */
	if (register_known(u->frame, fp) && u->frame->value[fp] >= u->step->cfa)
		register_set(caller, fp, u->frame->value[fp]);
}

bool unwind_scan(struct cairn_space *space, const struct cairn_registers *frame,
                 enum cairn_frame_kind kind, struct cairn_step *step)
{
	struct unwind_context u = unwind_begin(space, frame, kind, step);
	const unsigned words = kind == CAIRN_FRAME_PC ? WORDS_FIRST : WORDS_LATER;
	uint64_t pc;

	*step = (struct cairn_step){ .stop = CAIRN_STOP_NONE };
	if (!u.arch || !register_known(frame, u.arch->sp))
		return unwind_stop(&u, CAIRN_STOP_CFA_UNKNOWN);
	const uint64_t sp = frame->value[u.arch->sp];
	for (unsigned i = 0; i < words; i++) {
		const uint64_t at = sp + (uint64_t)i * u.arch->word;
		if (at < sp || !unwind_read_word(&u, at, &pc))
			break;
		pc = arch_strip(frame->machine, pc, space->signature_bits);
		if (!unwind_may_be_return(&u, pc))
			continue;
		fill_scanned_caller(&u, at, pc);
		return true;
	}
	return unwind_stop(&u, CAIRN_STOP_NO_ROW);
}
