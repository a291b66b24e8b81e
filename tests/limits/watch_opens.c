/* SPDX-License-Identifier: MIT */
/*
 * Runs a command and tells whether it opened a file, of any type and by any name that leads there:
 *
 *	watch_opens PATH COMMAND [ARGUMENT...]
 *
 * Exit status: 3: it was opened; 0: it was not, whatever the command's own status was; 4: a signal ended the command;
 * 77: the kernel does not tell. To look at it, with O_PATH or stat(), does not count.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPENED = 3, SIGNALLED = 4, NOT_TOLD = 77 };

int main(int argc, char **argv)
{
	char events[4096];
	int status = 0;
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (argc < 3 || watch < 0 || inotify_add_watch(watch, argv[1], IN_OPEN) < 0) {
		perror("watch_opens");
		return NOT_TOLD;
	}
	pid_t pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return NOT_TOLD;
	if (read(watch, events, sizeof(events)) > 0)
		return OPENED;
	return WIFEXITED(status) ? 0 : SIGNALLED;
}
