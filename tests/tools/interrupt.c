/* SPDX-License-Identifier: MIT */
/*
 * Loaded into the command line by LD_PRELOAD: before the call whose number is $INTERRUPT_AT, among those that change
 * what is on the disk, SIGINT comes as from Ctrl-C: to the command and its workers.  A process that the command's
 * rights do not bind sends it, and the call waits until it has.  At the end the file $CALLS gets how many calls there were.
 */
#undef _FILE_OFFSET_BITS /* open and open64 are two names here */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Descriptors that no command opens itself. */
enum { ASK = 900, ANSWER, REPORT };

static atomic_ulong calls;
static unsigned long interrupted;

static void *find(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

static int raw_write(int fd, const void *bytes, size_t size)
{
	ssize_t (*put)(int, const void *, size_t);

	*(void **)&put = find("write");
	return put(fd, bytes, size) == (ssize_t)size ? 0 : -1;
}

/* Another session's process, which nobody waits for: each byte asks for a signal to the group. */
static void send_signals(int ask, int answer, pid_t group)
{
	char byte;

	setsid();
	while (read(ask, &byte, 1) == 1)
		if (kill(-group, SIGINT) != 0 || raw_write(answer, &byte, 1) != 0)
			break;
	_exit(0);
}

/* Makes the process that sends signals; its parent exits, so that the command has no child of ours. */
static void begin_sender(void)
{
	int ask[2], answer[2];
	pid_t group = getpgrp();

	if (pipe(ask) != 0 || pipe(answer) != 0)
		abort();
	pid_t between = fork();
	if (between == 0) {
		close(ask[1]);
		close(answer[0]);
		if (fork() == 0)
			send_signals(ask[0], answer[1], group);
		_exit(0);
	}
	if (between < 0 || waitpid(between, NULL, 0) != between || dup2(ask[1], ASK) != ASK ||
	    dup2(answer[0], ANSWER) != ANSWER)
		abort();
	close(ask[0]);
	close(ask[1]);
	close(answer[0]);
	close(answer[1]);
	fcntl(ASK, F_SETFD, FD_CLOEXEC);
	fcntl(ANSWER, F_SETFD, FD_CLOEXEC);
}

__attribute__((constructor)) static void begin(void)
{
	const char *number = getenv("INTERRUPT_AT"), *path = getenv("CALLS");

	if (!number || !path)
		return;
	signal(SIGINT, SIG_DFL);
	int report = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (report < 0 || dup3(report, REPORT, O_CLOEXEC) != REPORT)
		abort();
	close(report);
	begin_sender();
	atomic_store(&calls, 0);
	interrupted = strtoul(number, NULL, 10);
}

__attribute__((destructor)) static void end(void)
{
	char line[32];
	int size = snprintf(line, sizeof(line), "%lu\n", atomic_load(&calls));

	if (interrupted == 0 && fcntl(REPORT, F_GETFD) >= 0)
		(void)raw_write(REPORT, line, (size_t)size);
}

static void count_call(void)
{
	char byte = 0;

	if (atomic_fetch_add(&calls, 1) + 1 != interrupted)
		return;
	if (raw_write(ASK, &byte, 1) != 0 || read(ANSWER, &byte, 1) != 1)
		abort();
}

#define NEXT(type, name, ...)      \
	type (*next)(__VA_ARGS__); \
	*(void **)&next = find(name)

/* Those that create a file. */
#define OPEN(name)                                                        \
	int name(const char *path, int flags, ...)                        \
	{                                                                 \
		va_list more;                                             \
		NEXT(int, #name, const char *, int, ...);                 \
		va_start(more, flags);                                    \
		mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; \
		va_end(more);                                             \
		if (flags & O_CREAT)                                      \
			count_call();                                     \
		return next(path, flags, mode);                           \
	}
OPEN(open)
OPEN(open64)

#define MKSTEMP(name)                     \
	int name(char *pattern)           \
	{                                 \
		NEXT(int, #name, char *); \
		count_call();             \
		return next(pattern);     \
	}
MKSTEMP(mkstemp)
MKSTEMP(mkstemp64)

ssize_t write(int fd, const void *bytes, size_t size)
{
	struct stat about;
	NEXT(ssize_t, "write", int, const void *, size_t);
	if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode))
		count_call();
	return next(fd, bytes, size);
}

int fchmod(int fd, mode_t mode)
{
	NEXT(int, "fchmod", int, mode_t);
	count_call();
	return next(fd, mode);
}

int fsync(int fd)
{
	NEXT(int, "fsync", int);
	count_call();
	return next(fd);
}

int rename(const char *from, const char *to)
{
	NEXT(int, "rename", const char *, const char *);
	count_call();
	return next(from, to);
}

int mkdir(const char *path, mode_t mode)
{
	NEXT(int, "mkdir", const char *, mode_t);
	count_call();
	return next(path, mode);
}

int unlink(const char *path)
{
	NEXT(int, "unlink", const char *);
	count_call();
	return next(path);
}

/* So that each command has a moment after its last change, too. */
int close(int fd)
{
	struct stat about;
	NEXT(int, "close", int);
	if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
	    (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
		count_call();
	return next(fd);
}
