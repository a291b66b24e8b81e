/* SPDX-License-Identifier: MIT */
/* Forks a process that outlives the command. */
#define _DEFAULT_SOURCE /* flock(), nice() */
#include "background.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

enum { NICENESS = 10 };

bool os_background_begin(const char *folder)
{
	/* Lock the directory itself, because a lock file would be left behind. */
	int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool here = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 && fork() == 0;

	/*
	 * The lock is released when both processes have closed it; the new process holds it until
	 * it ends.
	 */
	if (lock >= 0 && !here)
		close(lock);
	if (!here)
		return false;
	/*
	 * Close the standard streams; a reader of the command's output would otherwise wait for
	 * this process.
	 */
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
