/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_PATH */
/* Goes down a path part by part; each part is opened in the folder that was opened before. */
#include "beneath.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { PART_SIZE = 256 /* NAME_MAX and a NUL */ };

/* The next part of the path, without the slashes before it.  False: it is none that may be followed. */
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

/* ELOOP and ENOTDIR are what the system says of a symbolic link. */
static int open_folder(int folder, const char *part, int *opened)
{
	*opened = openat(folder, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*opened >= 0)
		return 0;
	return errno == ELOOP || errno == ENOTDIR ? EXDEV : errno;
}

/* Takes `folder`, which is closed. */
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
