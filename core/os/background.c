/* SPDX-License-Identifier: MIT */
/* Begins a process that goes on when this one ends. */
#define _DEFAULT_SOURCE /* flock(), nice() */
#include "background.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

enum { NICENESS = 10 };

/* The folder itself is the lock, so that no file is left of it; -1: another process has it. */
static int lock_folder(const char *folder)
{
	int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
		close(lock);
		return -1;
	}
	return lock;
}

/* Whoever waits for the end of the command's output does not wait for this. */
static bool leave_terminal(void)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	bool ok = nowhere >= 0 && setsid() >= 0;

	for (int i = STDIN_FILENO; ok && i <= STDERR_FILENO; i++)
		ok = dup2(nowhere, i) >= 0;
	return ok && nice(NICENESS) != -1;
}

bool os_background_begin(const char *folder)
{
	int lock = lock_folder(folder);
	bool here = lock >= 0 && fork() == 0;

	/* the lock lasts until both have closed it, and the new process does that when it ends */
	if (lock >= 0 && !here)
		close(lock);
	if (here && !leave_terminal())
		os_background_end();
	return here;
}

_Noreturn void os_background_end(void)
{
	_exit(0);
}
