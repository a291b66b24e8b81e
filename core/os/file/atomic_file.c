/* SPDX-License-Identifier: MIT */
/* Writes a temporary file beside the target, sets its mode and renames it into place. */
#include "atomic_file.h"

#include "write_all.h"

#include "file.h"
#include "guard.h"
#include "stale_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, FILE_MODE = 0666, FOLDER_MODE = 0700, PERMISSIONS = 0777 };

struct contents {
	int (*fill)(void *context, int fd);
	void *context;
};

struct part_list {
	const struct cairn_bytes *parts;
	size_t count;
};

static int write_parts(void *context, int fd)
{
	const struct part_list *list = context;
	int error = 0;

	for (size_t i = 0; i < list->count && error == 0; i++)
		error = os_write_all(fd, list->parts[i]);
	return error;
}

static int write_in_place(const char *path, const struct contents *contents)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? errno : os_close_written(fd, contents->fill(contents->context, fd));
}

/*
 * Set the mode of the replaced file, or the default mode; mkstemp() grants access to the owner
 * alone.
 */
static int give_usual_mode(int fd, const char *path)
{
	struct stat replaced;
	mode_t mask = umask(0), mode = FILE_MODE & ~mask;

	umask(mask);
	if (stat(path, &replaced) == 0 && S_ISREG(replaced.st_mode))
		mode = replaced.st_mode & PERMISSIONS;
	return fchmod(fd, mode) == 0 ? 0 : errno;
}

/*
 * Write a template for mkstemp() in the directory of `path`. Removes stale temporary files of
 * killed processes from that directory.
 */
static int name_beside(const char *path, char beside[PATH_ROOM])
{
	static const char prefix[] = ".cairn-";
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0;

	if (snprintf(beside, PATH_ROOM, "%.*s.", folder, path) < PATH_ROOM)
		os_remove_stale_files(beside, prefix);
	return snprintf(beside, PATH_ROOM, "%.*s%sXXXXXX", folder, path, prefix) < PATH_ROOM
	               ? 0
	               : ENAMETOOLONG;
}

static int write_beside(const char *path, const struct contents *contents)
{
	char beside[PATH_ROOM];

	if (name_beside(path, beside) != 0)
		return ENAMETOOLONG;
	int fd = mkstemp(beside);
	if (fd < 0)
		return errno;
	int error = contents->fill(contents->context, fd);
	if (error == 0)
		error = give_usual_mode(fd, path);
	error = os_close_written(fd, error);
	if (error == 0 && os_guard_is_truncated())
		error = OS_FILE_TRUNCATED;
	if (error == 0 && rename(beside, path) != 0)
		error = errno;
	if (error != 0)
		unlink(beside);
	return error;
}

static int replace_file(const char *path, const struct contents *contents)
{
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	int error = write_beside(path, contents);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

static int write_file(const char *path, const struct contents *contents)
{
	struct stat about;

	if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
		return S_ISDIR(about.st_mode) ? EISDIR : write_in_place(path, contents);
	return replace_file(path, contents);
}

int os_atomic_file_write(const char *path, const struct cairn_bytes *parts, size_t count)
{
	struct part_list list = { parts, count };

	return write_file(path, &(struct contents){ write_parts, &list });
}

int os_atomic_file_replace(const char *path, const struct cairn_bytes *parts, size_t count)
{
	struct part_list list = { parts, count };

	return replace_file(path, &(struct contents){ write_parts, &list });
}

int os_atomic_file_fill(const char *path, int (*fill)(void *context, int fd), void *context)
{
	return write_file(path, &(struct contents){ fill, context });
}

int os_make_folders(const char *path)
{
	char part[PATH_ROOM];
	size_t size = strlen(path);

	if (size == 0 || size >= sizeof(part))
		return ENAMETOOLONG;
	memcpy(part, path, size + 1);
	for (size_t at = 1; at <= size; at++) {
		if (part[at] != '/' && part[at] != '\0')
			continue;
		part[at] = '\0';
		if (mkdir(part, FOLDER_MODE) != 0 && errno != EEXIST)
			return errno;
		part[at] = path[at];
	}
	return 0;
}
