/* SPDX-License-Identifier: MIT */
/* Removes the unfinished file in a handler of the signals that end a process. */
#include "unfinished.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, ENDS = 3 };

static const int ends[ENDS] = { SIGINT, SIGTERM, SIGHUP };
static char unfinished[PATH_ROOM]; /* changes only while the signals are blocked */
static sigset_t before;

/* Remove the file, and raise the signal again with its default action, which ends the process. */
static void remove_unfinished(int number)
{
	if (unfinished[0])
		unlink(unfinished);
	signal(number, SIG_DFL);
	raise(number);
}

void os_unfinished_hold(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < ENDS; i++)
		sigaddset(&set, ends[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
}

/* Install the handler. Ignored signals stay ignored, as nohup(1) requires. */
static void handle_ends(void)
{
	const struct sigaction wanted = { .sa_handler = remove_unfinished };
	struct sigaction old;

	for (int i = 0; i < ENDS; i++)
		if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(ends[i], &wanted, NULL);
}

void os_unfinished_release(const char *path)
{
	size_t size = path ? strlen(path) : 0;

	if (size >= PATH_ROOM)
		size = 0;
	memcpy(unfinished, path ? path : "", size);
	unfinished[size] = '\0';
	if (size > 0)
		handle_ends();
	sigprocmask(SIG_SETMASK, &before, NULL);
}
