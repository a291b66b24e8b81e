/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_PATH */
/* Walks a path part by part, opening each relative to the directory before it. */
#include "beneath.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { PART_SIZE = 256 /* NAME_MAX and a NUL */ };

/*
 * Take the next part of the path, without leading slashes. Returns false if it must not be
 * followed.
 */
static bool take_part(const char **path, char part[PART_SIZE])
{
	size_t size;

	*path += strspn(*path, "/");
	size = strcspn(*path, "/");
	if (size == 0 || size >= PART_SIZE || (size == 1 && (*path)[0] == '.') ||
	    (size == 2 && memcmp(*path, "..", 2) == 0))
		return false;
	memcpy(part, *path, size);
	part[size] = '\0';
	*path += size;
	return true;
}

/* Open a subdirectory. The kernel reports a symbolic link as ELOOP or ENOTDIR. */
static int open_folder(int folder, const char *part, int *opened)
{
	*opened = openat(folder, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*opened >= 0)
		return 0;
	return errno == ELOOP || errno == ENOTDIR ? EXDEV : errno;
}

/* Open `path` below `folder`, and close `folder`. */
static int open_below(int folder, const char *path, struct stat *about, int *fd)
{
	char part[PART_SIZE];
	int error = 0, inner;

	while (error == 0) {
		if (!take_part(&path, part)) {
			error = EXDEV;
		} else if (*path == '\0') {
			error = os_regular_open(folder, part, O_NOFOLLOW, about, fd);
			break;
		} else if ((error = open_folder(folder, part, &inner)) == 0) {
			close(folder);
			folder = inner;
		}
	}
	close(folder);
	return error;
}

int os_open_beneath(const char *folder, const char *path, struct stat *about, int *fd)
{
	const int root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		return errno;
	if (path[0] != '/')
		return open_below(root, path, about, fd);
	close(root);
	return EXDEV;
}
