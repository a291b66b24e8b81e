/* SPDX-License-Identifier: MIT */
/*
 * Runs one command and prints the processor time and the peak memory that it took:
 *
 *	timed SECONDS INPUT COMMAND [ARGUMENT...]
 *
 * INPUT is its standard input, and what it prints goes nowhere. One line: microseconds of user and system,
 * kilobytes at most, microseconds of the clock, exit status. A command that takes more than SECONDS of the
 * clock is ended, with the status 124. The times of a kernel that accounts precisely are better than those
 * of time(1), which prints hundredths of a second.
 */
#define _DEFAULT_SOURCE /* wait4() */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CANNOT_RUN = 127, TOO_LONG = 124 };

static volatile sig_atomic_t expired;

static void note_alarm(int signal)
{
	(void)signal;
	expired = 1;
}

static void run_command(const char *input, char **command)
{
	int in = open(input, O_RDONLY), out = open("/dev/null", O_WRONLY);

	if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(CANNOT_RUN);
	close(in);
	close(out);
	setpgid(0, 0); /* what it starts ends with it */
	execvp(command[0], command);
	_exit(CANNOT_RUN);
}

static long long microseconds(struct timeval time)
{
	return (long long)time.tv_sec * 1000000 + time.tv_usec;
}

static long long read_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Its status; one that ran too long is ended with all that it started. */
static int wait_for(pid_t child, struct rusage *usage)
{
	int status;

	while (wait4(child, &status, 0, usage) != child)
		if (expired)
			kill(-child, SIGKILL);
	if (expired)
		return TOO_LONG;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = note_alarm }; /* without SA_RESTART */
	struct rusage usage;

	if (argc < 4) {
		fprintf(stderr, "usage: timed SECONDS INPUT COMMAND [ARGUMENT...]\n");
		return 2;
	}
	sigaction(SIGALRM, &action, NULL);
	long long start = read_clock();
	pid_t child = fork();
	if (child == 0)
		run_command(argv[2], argv + 3);
	if (child < 0) {
		perror("timed: fork");
		return 1;
	}
	alarm((unsigned)strtoul(argv[1], NULL, 10));
	int status = wait_for(child, &usage);
	printf("%lld %ld %lld %d\n", microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
	       usage.ru_maxrss, read_clock() - start, status);
	return 0;
}
