/* SPDX-License-Identifier: MIT */
/* Reports violated invariants in builds that check them. */
#include "invariant.h"

#ifdef CAIRN_INVARIANTS

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void invariant_fail(const char *condition, const char *file, int line)
{
	char text[512];
	int length =
		snprintf(text, sizeof(text), "%s:%d: does not hold: %s\n", file, line, condition);

	if (length > 0)
		(void)!write(STDERR_FILENO, text, strlen(text));
	raise(SIGABRT);
	__builtin_trap();
}

#else
typedef int invariant_unused;
#endif
