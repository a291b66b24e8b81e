/* SPDX-License-Identifier: MIT */
/* Templates of frames. */
#ifndef CAIRN_JIT_PRODUCER_DWARF_TEMPLATES_H
#define CAIRN_JIT_PRODUCER_DWARF_TEMPLATES_H

#include "rows.h"

/* Both return false where the machine has no such template, too. */
CAIRN_JIT_INTERNAL bool cairn_jit_write_frame_pointer(struct cairn_jit_rule *state);
CAIRN_JIT_INTERNAL bool cairn_jit_write_fixed_frame(struct cairn_jit_rule *state);

#endif
