/* SPDX-License-Identifier: MIT */
/* What the user says about the library in the environment, which counts more than what the program says. */
#ifndef CAIRN_JIT_PRODUCER_ENVIRONMENT_H
#define CAIRN_JIT_PRODUCER_ENVIRONMENT_H

#include "jit_producer/base/parts.h"

struct cairn_jit_environment {
	bool off, events;
	bool chosen;           /* the user names the consumers: */
	unsigned consumers;    /* of enum cairn_jit_consumer */
	const char *directory; /* for a jitdump; NULL: not said */
};

/* Reads it; a set-user-ID program gets nothing. */
CAIRN_JIT_INTERNAL struct cairn_jit_environment cairn_jit_read_environment(void);

#endif
