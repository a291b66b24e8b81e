/* SPDX-License-Identifier: MIT */
/*
 * Starts programs, waits for children, kills children that exceed a deadline, and forks a process
 * that outlives the command.
 */
#define _GNU_SOURCE /* pipe2() */
#include "children.h"

#include "channel.h"
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	/*
	 * milliseconds between checks; SIGCHLD ends the wait early unless another thread receives
	 * it
	 */
	NAP = 20,
	CANNOT_START = 127,
};

void os_child_restore_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
}

/*
 * Execute the program in the child. Calls only async-signal-safe functions, because other threads
 * of the parent may have held locks during the fork.
 */
static _Noreturn void become_program(const struct os_program *program, int report, pid_t parent)
{
	const int streams[] = { program->input, program->output, program->error };
	const struct rlimit memory = { (rlim_t)program->memory, (rlim_t)program->memory };
	const struct rlimit no_core = { 0, 0 };
	bool ok = true;

	os_child_restore_signals();
	for (int i = STDIN_FILENO; ok && i <= STDERR_FILENO; i++)
		ok = streams[i] < 0 || dup2(streams[i], i) >= 0;
	if (ok && (!program->owns_group || setpgid(0, 0) == 0) &&
	    (program->memory == 0 ||
	     (setrlimit(RLIMIT_AS, &memory) == 0 && setrlimit(RLIMIT_CORE, &no_core) == 0)) &&
	    (!program->ends_with_parent || os_end_with_parent(parent) == 0))
		execvp(program->words[0], (char *const *)program->words);
	const int error = errno;
	while (write(report, &error, sizeof(error)) < 0 && errno == EINTR)
		continue;
	_exit(CANNOT_START);
}

int os_child_start(const struct os_program *program, pid_t *pid)
{
	const pid_t parent = getpid();
	int report[2], error = 0;
	ssize_t size;

	if (pipe2(report, O_CLOEXEC) != 0)
		return errno;
	*pid = fork();
	if (*pid == 0)
		become_program(program, report[1], parent);
	if (*pid < 0)
		error = errno;
	close(report[1]);
	if (!error) {
		/* A successful exec closes the pipe without writing an error to it. */
		while ((size = read(report[0], &error, sizeof(error))) < 0 && errno == EINTR)
			continue;
		if (size == (ssize_t)sizeof(error)) {
			os_child_end(*pid, 0, NULL);
			error = error ? error : EPERM;
		}
	}
	close(report[0]);
	return error;
}

bool os_child_await(pid_t pid, uint64_t until)
{
	const struct timespec nap = { 0, NAP * 1000000L };
	const int options = WEXITED | WNOWAIT | (until == CHANNEL_NEVER ? 0 : WNOHANG);
	sigset_t children, before;
	siginfo_t info;
	bool ended;

	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &children, &before);
	for (;;) {
		info.si_pid = 0;
		/* waitid() fails for an exited child if the process ignores SIGCHLD */
		ended = waitid(P_PID, (id_t)pid, &info, options) == 0 ? info.si_pid != 0
		                                                      : errno != EINTR;
		if (ended || channel_clock() >= until)
			break;
		sigtimedwait(&children, NULL, &nap);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ended;
}

int os_child_end(pid_t pid, uint64_t until, bool *is_late)
{
	const bool late = until == 0 || !os_child_await(pid, until);
	int status = -1;

	if (late)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (is_late)
		*is_late = late;
	return status;
}

/*
 * Read to the end of the pipe and store the bytes that fit. Returns 0 or an errno value; ETIMEDOUT
 * if the deadline passes first.
 */
static int read_output(int fd, char *said, size_t capacity)
{
	const uint64_t deadline = channel_clock() + OS_RUN_SECONDS * 1000;
	char beyond[512];
	size_t size = 0;

	for (;;) {
		struct pollfd ready = { fd, POLLIN, 0 };
		const uint64_t now = channel_clock();
		bool full = size + 1 >= capacity;
		ssize_t got;

		said[size] = '\0';
		if (now >= deadline || poll(&ready, 1, (int)(deadline - now)) == 0)
			return ETIMEDOUT;
		got = read(fd, full ? beyond : said + size,
		           full ? sizeof(beyond) : capacity - 1 - size);
		if (got == 0)
			return 0;
		if (got < 0 && errno != EINTR)
			return errno;
		size += got > 0 && !full ? (size_t)got : 0;
	}
}

int os_run(const char *const argv[], char *said, size_t capacity)
{
	const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int ends[2], error = errno;
	pid_t pid;

	said[0] = '\0';
	if (nothing < 0)
		return error;
	if (pipe2(ends, O_CLOEXEC) != 0) {
		error = errno;
		close(nothing);
		return error;
	}
	const struct os_program program = {
		.words = argv, .input = nothing, .output = ends[1], .error = ends[1]
	};
	error = os_child_start(&program, &pid);
	close(nothing);
	close(ends[1]);
	if (error == 0) {
		error = read_output(ends[0], said, capacity);
		os_child_end(pid, error ? 0 : CHANNEL_NEVER, NULL);
	}
	close(ends[0]);
	return error;
}

enum { NICENESS = 10 };

bool os_background_begin(const char *directory)
{
	/* Lock the directory itself, because a separate lock file would be left behind. */
	int lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool here = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 && fork() == 0;

	/*
	 * The kernel releases the lock when both processes have closed the descriptor. The
	 * background process keeps it open until it exits.
	 */
	if (lock >= 0 && !here)
		close(lock);
	if (!here)
		return false;
	/*
	 * Close the standard streams. Otherwise, a program that reads the command's output would
	 * wait for the background process.
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
