/* SPDX-License-Identifier: MIT */
/*
 * Holds a process that has crashed, as the kernel holds it while a handler of core_pattern runs, for tests
 * of `cairn crash` where the kernel's setting is not ours:
 *
 *	hold_crash FOLDER PROGRAM [ARGUMENT...]
 *
 * The program runs in FOLDER and is traced. Its fatal signal is delivered, so that the kernel writes a
 * core into FOLDER if core_pattern is the plain name of a file; the process is then held where it
 * ends, with its memory and all of its /proc. "PID SIGNAL" is printed. When standard input ends, it is
 * let go. Exit status 77: it cannot be traced.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_traced(const char *directory, char **argv)
{
	const struct rlimit any = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_CORE, &any);
	if (chdir(directory) != 0 || ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		return 77;
	raise(SIGSTOP);
	execv(argv[0], argv);
	return 2;
}

/* Passes signals on until the process ends. The signal that ends it; 0: it ended by itself. */
static int follow_to_end(pid_t pid)
{
	int status, signal = 0;

	while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		int passed = WSTOPSIG(status);
		if (status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXIT << 8)))
			return signal;
		if (passed == SIGTRAP || passed == SIGSTOP)
			passed = 0;
		signal = passed ? passed : signal;
		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)passed);
	}
	return 0;
}

int main(int argc, char **argv)
{
	char byte;
	int status;

	if (argc < 3)
		return 2;
	pid_t pid = fork();
	if (pid == 0)
		_exit(run_traced(argv[1], argv + 2));
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return 77;
	ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL));
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	int signal = follow_to_end(pid);
	if (signal == 0)
		return 2;
	printf("%ld %d\n", (long)pid, signal);
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	waitpid(pid, &status, 0);
	return 0;
}
