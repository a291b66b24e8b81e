/* SPDX-License-Identifier: MIT */
/*
 * One step by searching the stack for a return address: the last method, and a guess that may take what an
 * earlier call left behind.  Minidumps of programs whose files nobody has allow no other.
 */
#include "methods.h"

enum {
	WORDS_FIRST =
		160, /* words that are searched: the innermost frame may be large, and its callee */
	WORDS_LATER = 40, /* unknown; others rarely have more than these (as Breakpad has it) */
};

static void fill_scanned_caller(struct unwind_context *u, uint64_t at, uint64_t pc)
{
	struct cairn_registers *caller = &u->step->caller;
	const unsigned fp = u->arch->fp;

	unwind_return_to(u, CAIRN_UNWIND_METHOD_SCAN, at + u->arch->word, pc);
	u->step->guessed = true;
	register_set(caller, u->arch->sp, u->step->cfa);
	/* one that points further up may be the caller's own, so that the chain goes on */
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
