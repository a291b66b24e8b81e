/* SPDX-License-Identifier: MIT */
/*
 * Loaded into a server by LD_PRELOAD: writes into the file $RECORD_DISK what the server asks of its disk, in order,
 * and when it answers an upload.  A line each, of words between tabs:
 *
 *	write FILE    sync FILE-OR-FOLDER    rename FROM TO    mkdir FOLDER    remove PATH    answer STATUS
 *
 * Calls of other threads wait meanwhile, so that the order of lines is that of the calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int record_fd = -1;

/* Before the server gives up what it does not need. */
__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("RECORD_DISK");

	if (path)
		record_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void *find(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

/* By a write() of its own; the caller holds the lock. */
static void record(const char *what, const char *first, const char *second)
{
	char line[3 * 4096];
	ssize_t (*put)(int, const void *, size_t);

	*(void **)&put = find("write");
	int size = snprintf(line, sizeof(line), "%s\t%s%s%s\n", what, first, second ? "\t" : "",
	                    second ? second : "");
	if (record_fd >= 0 && size > 0 && put(record_fd, line, (size_t)size) != size)
		abort();
}

/* The path of an open file; "" when it is none, such as a socket. */
static void name_of(int fd, char path[4096])
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t size = readlink(link, path, 4095);
	path[size > 0 && path[0] == '/' ? size : 0] = '\0';
}

static void record_file(const char *what, int fd)
{
	char path[4096];

	name_of(fd, path);
	if (path[0])
		record(what, path, NULL);
}

/* The first line of an answer. */
static void record_answer(const void *bytes, size_t size)
{
	char status[4] = "";

	if (size < 12 || memcmp(bytes, "HTTP/1.1 ", 9) != 0)
		return;
	memcpy(status, (const char *)bytes + 9, 3);
	if (strcmp(status, "100") != 0)
		record("answer", status, NULL);
}

#define BEGIN(type, name, ...)        \
	type (*next)(__VA_ARGS__);    \
	*(void **)&next = find(name); \
	pthread_mutex_lock(&order)

#define END(result)                   \
	pthread_mutex_unlock(&order); \
	return result

ssize_t write(int fd, const void *bytes, size_t size)
{
	BEGIN(ssize_t, "write", int, const void *, size_t);
	record_file("write", fd);
	record_answer(bytes, size);
	ssize_t done = next(fd, bytes, size);
	END(done);
}

int fsync(int fd)
{
	BEGIN(int, "fsync", int);
	int failed = next(fd);
	if (!failed)
		record_file("sync", fd);
	END(failed);
}

int rename(const char *from, const char *to)
{
	BEGIN(int, "rename", const char *, const char *);
	record("rename", from, to);
	int failed = next(from, to);
	END(failed);
}

int mkdir(const char *path, mode_t mode)
{
	BEGIN(int, "mkdir", const char *, mode_t);
	int failed = next(path, mode);
	if (!failed)
		record("mkdir", path, NULL);
	END(failed);
}

int unlink(const char *path)
{
	BEGIN(int, "unlink", const char *);
	int failed = next(path);
	if (!failed)
		record("remove", path, NULL);
	END(failed);
}

int remove(const char *path)
{
	BEGIN(int, "remove", const char *);
	int failed = next(path);
	if (!failed)
		record("remove", path, NULL);
	END(failed);
}

ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
	BEGIN(ssize_t, "send", int, const void *, size_t, int);
	record_answer(bytes, size);
	ssize_t done = next(fd, bytes, size, flags);
	END(done);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	BEGIN(ssize_t, "sendmsg", int, const struct msghdr *, int);
	if (message->msg_iovlen > 0)
		record_answer(message->msg_iov[0].iov_base, message->msg_iov[0].iov_len);
	ssize_t done = next(fd, message, flags);
	END(done);
}

ssize_t writev(int fd, const struct iovec *pieces, int count)
{
	BEGIN(ssize_t, "writev", int, const struct iovec *, int);
	if (count > 0)
		record_answer(pieces[0].iov_base, pieces[0].iov_len);
	ssize_t done = next(fd, pieces, count);
	END(done);
}
