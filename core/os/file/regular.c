/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_PATH */
/* Looks at a file by O_PATH, which opens nothing, and opens what it has looked at. */
#include "regular.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum {
	LOOKING = O_PATH | O_CLOEXEC,
	/* of a regular file neither of the last two does anything */
	READING = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
	NAME_SIZE = 32,
};

static int check_regular(int handle, struct stat *about)
{
	if (fstat(handle, about) != 0)
		return errno;
	if (S_ISDIR(about->st_mode))
		return EISDIR;
	return S_ISREG(about->st_mode) ? 0 : EINVAL;
}

/* Takes an open file if it is still the one that was looked at; else it is closed. */
static int check_opened(int opened, struct stat *about, int *fd)
{
	const struct stat seen = *about;

	if (opened < 0)
		return errno;
	int error = check_regular(opened, about);
	if (error == 0 && about->st_dev == seen.st_dev && about->st_ino == seen.st_ino) {
		*fd = opened;
		return 0;
	}
	close(opened);
	return error ? error : EINVAL;
}

int os_regular_reopen(int handle, struct stat *about, int *fd)
{
	char name[NAME_SIZE];
	int error = check_regular(handle, about);

	if (error)
		return error;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", handle);
	return check_opened(open(name, READING), about, fd);
}

int os_regular_open(int folder, const char *path, int flags, struct stat *about, int *fd)
{
	int handle = openat(folder, path, LOOKING | flags);

	if (handle < 0)
		return errno;
	int error = os_regular_reopen(handle, about, fd);
	if (error == ENOENT) /* the file is there, so it is /proc that is not */
		error = check_opened(openat(folder, path, READING | flags), about, fd);
	close(handle);
	return error;
}

int cairn_regular_file_open(const char *path)
{
	struct stat about;
	int fd = -1, error = os_regular_open(AT_FDCWD, path, 0, &about, &fd);

	if (error)
		errno = error;
	return error ? -1 : fd;
}
