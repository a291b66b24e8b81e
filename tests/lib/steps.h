/* SPDX-License-Identifier: MIT */
/* cairn_unwind() with one set of options each, as tests ask for it. */
#ifndef TESTS_STEPS_H
#define TESTS_STEPS_H

#include <cairn.h>

static inline bool step_by_any(struct cairn_space *space, const struct cairn_registers *frame,
                               enum cairn_frame_kind kind, struct cairn_step *step)
{
	return cairn_unwind(space, frame, kind, NULL, step);
}

static inline bool step_by(enum cairn_unwind_by by, bool unchecked, struct cairn_space *space,
                           const struct cairn_registers *frame, enum cairn_frame_kind kind,
                           struct cairn_step *step)
{
	struct cairn_unwind_options options = CAIRN_UNWIND_OPTIONS;

	options.by = by;
	options.accept_any_return = unchecked;
	return cairn_unwind(space, frame, kind, &options, step);
}

static inline bool step_by_sframe(struct cairn_space *space, const struct cairn_registers *frame,
                                  enum cairn_frame_kind kind, struct cairn_step *step)
{
	return step_by(CAIRN_UNWIND_BY_SFRAME, false, space, frame, kind, step);
}

static inline bool step_unchecked(struct cairn_space *space, const struct cairn_registers *frame,
                                  enum cairn_frame_kind kind, struct cairn_step *step)
{
	return step_by(CAIRN_UNWIND_BY_SFRAME, true, space, frame, kind, step);
}

static inline bool step_by_code(struct cairn_space *space, const struct cairn_registers *frame,
                                enum cairn_frame_kind kind, struct cairn_step *step)
{
	return step_by(CAIRN_UNWIND_BY_CODE, false, space, frame, kind, step);
}

#endif
