/* SPDX-License-Identifier: MIT */
/* Begins a process that goes on when this one ends. */
#define _DEFAULT_SOURCE /* flock(), nice() */
#include "background.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

enum { NICENESS = 10 };

bool os_background_begin(const char *folder)
{
	/* the folder itself is the lock, so that no file is left of it */
	int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool here = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 && fork() == 0;

	/* the lock lasts until both have closed it, and the new process does that when it ends */
	if (lock >= 0 && !here)
		close(lock);
	if (!here)
		return false;
	/* nobody who waits for the end of the command's output has to wait for this process */
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	bool ok = nowhere >= 0 && setsid() >= 0;
	for (int i = STDIN_FILENO; ok && i <= STDERR_FILENO; i++)
		ok = dup2(nowhere, i) >= 0;
	if (!ok || nice(NICENESS) == -1)
		os_background_end();
	return true;
}

_Noreturn void os_background_end(void)
{
	_exit(0);
}
