/* SPDX-License-Identifier: MIT */
/*
 * Writes all bytes despite short writes. Creates unnamed files with memfd_create(), creates locked
 * temporary directories, and removes directories left by killed programs.
 */
#define _GNU_SOURCE
#include "write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int os_write_all(int fd, struct cairn_bytes bytes)
{
	for (size_t done = 0; done < bytes.size;) {
		ssize_t written = write(fd, bytes.data + done, bytes.size - done);
		if (written < 0 && errno != EINTR)
			return errno;
		done += written > 0 ? (size_t)written : 0;
	}
	return 0;
}

int os_write_all_at(int fd, struct cairn_bytes bytes, uint64_t at)
{
	for (size_t done = 0; done < bytes.size;) {
		ssize_t written =
			pwrite(fd, bytes.data + done, bytes.size - done, (off_t)(at + done));
		if (written < 0 && errno != EINTR)
			return errno;
		done += written > 0 ? (size_t)written : 0;
	}
	return 0;
}

bool os_may_write_at(int fd)
{
	struct stat about;

	return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
}

int os_write_piece(void *context, const void *bytes, size_t size)
{
	return os_write_all(*(const int *)context, (struct cairn_bytes){ bytes, size });
}

int os_close_written(int fd, int error)
{
	if (close(fd) != 0 && error == 0)
		error = errno;
	return error;
}

int os_unnamed_file(void)
{
	return memfd_create("cairn", MFD_CLOEXEC);
}

enum {
	LETTERS = 6, /* number of random characters that mkdtemp() generates */
	DIRECTORY_PATH = 4096,
	/*
	 * maximum number of attempts; each fails if another process removes the directory before we
	 * lock it
	 */
	TRIES = 16,
};

static bool is_own_directory(int directory)
{
	struct stat about;

	return fstat(directory, &about) == 0 && S_ISDIR(about.st_mode) &&
	       about.st_uid == geteuid() && about.st_nlink > 0;
}

/* Remove a subdirectory and the regular files in it. `name` ends with a slash. */
static void remove_inner_directory(int directory, const char *name)
{
	const int inner = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *entries = inner >= 0 ? fdopendir(inner) : NULL;
	struct dirent *entry;

	if (inner >= 0 && !entries)
		close(inner);
	while (entries && (entry = readdir(entries)))
		unlinkat(inner, entry->d_name, 0);
	if (entries)
		closedir(entries);
	unlinkat(directory, name, AT_REMOVEDIR);
}

static void remove_named(int beside, const char *name, int directory, const char *const *files)
{
	for (; *files; files++)
		if ((*files)[strlen(*files) - 1] == '/')
			remove_inner_directory(directory, *files);
		else
			unlinkat(directory, *files, 0);
	unlinkat(beside, name, AT_REMOVEDIR);
}

static void remove_unlocked(int beside, const char *name, const char *const *files)
{
	const int directory = openat(beside, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (directory < 0)
		return;
	if (is_own_directory(directory) && flock(directory, LOCK_EX | LOCK_NB) == 0)
		remove_named(beside, name, directory, files);
	close(directory);
}

static bool is_named_likewise(const char *entry, const char *name)
{
	const size_t size = strlen(name);

	return strlen(entry) == size && strncmp(entry, name, size - LETTERS) == 0;
}

static void remove_leftovers(const char *path, const char *const *files)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char beside[DIRECTORY_PATH] = ".";
	struct dirent *entry;

	if (slash && (size_t)(slash - path) + 1 < sizeof(beside)) {
		memcpy(beside, path, (size_t)(slash - path) + 1);
		beside[slash - path + 1] = '\0';
	}
	DIR *entries = opendir(beside);
	if (!entries)
		return;
	while ((entry = readdir(entries)))
		if (is_named_likewise(entry->d_name, name))
			remove_unlocked(dirfd(entries), entry->d_name, files);
	closedir(entries);
}

/*
 * Open and lock the directory. The descriptor is not close-on-exec, so that started programs
 * inherit the lock, which is released when the last of them exits.
 */
static int lock_directory(const char *path)
{
	const int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);

	if (directory >= 0 && flock(directory, LOCK_EX) == 0 && is_own_directory(directory))
		return directory;
	if (directory >= 0)
		close(directory);
	return -1;
}

int os_temporary_directory_make(char *path, const char *const *files, int *lock)
{
	char *letters = path + strlen(path) - LETTERS;

	*lock = -1;
	remove_leftovers(path, files);
	for (unsigned i = 0; i < TRIES && *lock < 0; i++) {
		memset(letters, 'X', LETTERS);
		if (!mkdtemp(path))
			return errno;
		*lock = lock_directory(path);
	}
	return *lock < 0 ? EBUSY : 0;
}

void os_temporary_directory_remove(const char *path, const char *const *files, int lock)
{
	if (lock < 0)
		return;
	remove_named(AT_FDCWD, path, lock, files);
	close(lock);
}
