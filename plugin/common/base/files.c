/* SPDX-License-Identifier: MIT */
/* Resolves file names, reads whole files, and keeps unnamed files at fixed descriptors. */
#define _GNU_SOURCE /* memfd_create, dup3, seals */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRECTORY_MAX = 4096 };

void path_add_absolute(struct text *text, const char *name, size_t size)
{
	char here[DIRECTORY_MAX];
	const char *home = getenv("HOME");

	if (size >= 2 && memcmp(name, "~/", 2) == 0 && home) {
		text_add(text, home);
		name++;
		size--;
	} else if ((size == 0 || name[0] != '/') && getcwd(here, sizeof(here))) {
		text_add(text, here);
		text_add(text, strcmp(here, "/") == 0 ? "" : "/");
	}
	text_bytes(text, name, size);
}

bool path_is_plain(const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/-._+@,=~%";

	return path[0] == '/' && path[strspn(path, plain)] == '\0';
}

const char *path_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool path_is_called(const char *path, const char *name)
{
	return strcmp(path, name) == 0 || strcmp(path_last_part(path), name) == 0;
}

void path_add_list(struct text *text, const char *list)
{
	while (*list) {
		size_t size = strcspn(list, ":");
		if (size > 0 && text->size > 0)
			text_add(text, ":");
		if (size > 0)
			path_add_absolute(text, list, size);
		list += size + (list[size] == ':');
	}
}

bool file_bytes_read(const char *path, struct cairn_bytes *bytes)
{
	int fd = cairn_regular_file_open(path);
	struct stat status;
	uint8_t *data = NULL;

	if (fd < 0)
		return false;
	if (fstat(fd, &status) == 0 && status.st_size > 0 && status.st_size <= FILE_BYTES_MAX)
		data = malloc((size_t)status.st_size);
	if (data)
		*bytes = (struct cairn_bytes){ data, memfile_get(fd, (char *)data,
			                                         (size_t)status.st_size) };
	close(fd);
	return data != NULL;
}

bool memfile_free(int number)
{
	return fcntl(number, F_GETFD) < 0 && errno == EBADF;
}

/* Return a memfd, or an unlinked temporary file if memfd_create() is unavailable. */
static int create_unnamed_file(void)
{
	int fd = memfd_create("cairn", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	char path[] = "/tmp/cairn-XXXXXX";

	if (fd >= 0)
		return fd;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static bool write_all(int fd, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t done = write(fd, text, size);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		text += done;
		size -= (size_t)done;
	}
	return true;
}

/*
 * Disable access-time updates. GDB reads the file byte by byte, and the updates would take a fifth
 * of the time. Older kernels reject the flag, which does no harm.
 */
static void set_noatime_flag(int fd)
{
	int flags = FS_NOATIME_FL;

	ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

bool memfile_put(int number, const char *text, size_t size)
{
	int fd = create_unnamed_file();

	if (fd < 0)
		return false;
	set_noatime_flag(fd);
	bool done = write_all(fd, text, size) && dup3(fd, number, O_CLOEXEC) >= 0;
	close(fd);
	return done;
}

bool memfile_put_directory(int number)
{
	int fd = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return false;
	bool done = dup3(fd, number, O_CLOEXEC) >= 0;
	close(fd);
	return done;
}

/* lowest descriptor number for sealed files, above the numbers that GDB and its children use */
enum { SEALED_FROM = 64, SEALED_LEAST = 10 };

int memfile_sealed(const void *bytes, size_t size)
{
	int fd = create_unnamed_file(), at = -1;

	if (fd < 0)
		return -1;
	if (write_all(fd, bytes, size)) {
		/*
		 * Sealing fails for a temporary file, but is not necessary: other processes cannot
		 * open the file, because it has no name.
		 */
		fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
		at = fcntl(fd, F_DUPFD_CLOEXEC, SEALED_FROM);
		if (at < 0) /* SEALED_FROM exceeds the process's descriptor limit */
			at = fcntl(fd, F_DUPFD_CLOEXEC, SEALED_LEAST);
	}
	close(fd);
	return at;
}

size_t memfile_size(int number)
{
	struct stat status;

	return fstat(number, &status) == 0 && status.st_size > 0 ? (size_t)status.st_size : 0;
}

size_t memfile_get(int number, char *buffer, size_t size)
{
	size_t at = 0;

	while (at < size) {
		ssize_t done = pread(number, buffer + at, size - at, (off_t)at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			break;
		at += (size_t)done;
	}
	return at;
}

void memfile_empty(int number)
{
	while (ftruncate(number, 0) < 0 && errno == EINTR)
		continue;
}

void memfile_close(int number)
{
	close(number);
}
