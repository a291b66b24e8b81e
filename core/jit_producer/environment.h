/* SPDX-License-Identifier: MIT */
/* The user's settings in the environment, which override the program's. */
#ifndef CAIRN_JIT_PRODUCER_ENVIRONMENT_H
#define CAIRN_JIT_PRODUCER_ENVIRONMENT_H

#include "jit_producer/base/parts.h"

struct cairn_jit_environment {
	bool off, events;
	bool chosen;           /* `consumers` was set by the user */
	unsigned consumers;    /* flags of enum cairn_jit_consumer */
	const char *directory; /* directory of jitdumps; NULL if not set */
};

/* Read the settings. They are ignored in a set-user-ID program. */
CAIRN_JIT_INTERNAL struct cairn_jit_environment cairn_jit_read_environment(void);

#endif
