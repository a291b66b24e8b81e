/* SPDX-License-Identifier: MIT */
/* Instructions of x86-64, for calls.c alone. */
#ifndef CAIRN_FORMATS_CALLS_X86_64_H
#define CAIRN_FORMATS_CALLS_X86_64_H

#include "calls.h"

bool calls_next_x86_64(struct cairn_bytes code, size_t at, struct calls_instruction *instruction);

#endif
