/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* pipe2(), environ */
/* Starts a program with a pipe as its output, and reads that until its end or a deadline. */
#include "run.h"

#include "channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

static int start_program(const char *const argv[], int output, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error != 0)
		return error;
	error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
	if (error == 0)
		error = posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Reads to the end of the pipe, and keeps what fits; ETIMEDOUT when the end does not come. */
static int read_output(int fd, char *said, size_t room)
{
	const uint64_t deadline = channel_clock() + OS_RUN_SECONDS * 1000;
	char beyond[512];
	size_t size = 0;

	for (;;) {
		struct pollfd ready = { fd, POLLIN, 0 };
		const uint64_t now = channel_clock();
		bool full = size + 1 >= room;
		ssize_t got;

		said[size] = '\0';
		if (now >= deadline || poll(&ready, 1, (int)(deadline - now)) == 0)
			return ETIMEDOUT;
		got = read(fd, full ? beyond : said + size,
		           full ? sizeof(beyond) : room - 1 - size);
		if (got == 0)
			return 0;
		if (got < 0 && errno != EINTR)
			return errno;
		size += got > 0 && !full ? (size_t)got : 0;
	}
}

int os_run(const char *const argv[], char *said, size_t room)
{
	int ends[2];
	pid_t pid;

	said[0] = '\0';
	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	int error = start_program(argv, ends[1], &pid);
	close(ends[1]);
	if (error == 0) {
		error = read_output(ends[0], said, room);
		if (error != 0)
			kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	return error;
}
