/* SPDX-License-Identifier: MIT */
/* Blocks the signals that end a server, and waits for such a signal. */
#include "end_signals.h"

#include <time.h>

void end_signals_block(sigset_t *ends)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigemptyset(ends);
	sigaddset(ends, SIGTERM);
	sigaddset(ends, SIGINT);
	sigaddset(ends, SIGHUP);
	pthread_sigmask(SIG_BLOCK, ends, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL); /* report a file size limit as EFBIG, like a full disk */
}

bool end_signals_wait(const sigset_t *ends, bool (*watch)(void *server), void *server)
{
	const struct timespec second = { 1, 0 };

	while (sigtimedwait(ends, NULL, &second) < 0)
		if (!watch(server))
			return false;
	return true;
}
