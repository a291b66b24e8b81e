/* SPDX-License-Identifier: MIT */
/*
 * Loaded into the command line by LD_PRELOAD: at its end, when it has given up what it does not need, tries
 * one call of each right, and writes into the file $SANDBOX_PROBE what was refused.
 *
 *	landlock=7 seccomp=1 read=no write=no named=yes run=no network=no trace=no
 *
 * $SANDBOX_SECRET is a file that no command line names, in a folder where none may write, and $SANDBOX_NAMED one
 * that this one names.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif

static FILE *report;
static char secret[4096], named[4096];
static pid_t owner;

static const char *try_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno == EACCES || errno == EPERM ? "no" : "error";
	close(fd);
	return "yes";
}

/* In a process of its own, whose exit status tells. */
static const char *try_in_child(int (*attempt)(void))
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(attempt());
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "yes" : "no";
}

static int run_program(void)
{
	char name[] = "true", *words[] = { name, NULL }, *none[] = { NULL };

	execve("/bin/true", words, none);
	return 1;
}

static int trace_self(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : 1;
}

static const char *try_network(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0 ? "yes" : "no";
}

static void try_all(void)
{
	long version;

	if (!report || getpid() != owner)
		return;
	version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	fprintf(report, "landlock=%ld seccomp=%d read=%s write=%s named=%s", version,
	        prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0, try_open(secret, O_RDONLY),
	        try_open(secret, O_WRONLY), try_open(named, O_RDONLY));
	fprintf(report, " network=%s trace=%s", try_network(), try_in_child(trace_self));
	fprintf(report, " run=%s\n", try_in_child(run_program));
	fclose(report);
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("SANDBOX_PROBE"), *file = getenv("SANDBOX_SECRET"),
		   *other = getenv("SANDBOX_NAMED");

	if (!path || !file)
		return;
	snprintf(secret, sizeof(secret), "%s", file);
	snprintf(named, sizeof(named), "%s", other ? other : file);
	report = fopen(path, "we");
	owner = getpid();
	atexit(try_all);
}
