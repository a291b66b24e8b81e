/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* MAP_NORESERVE */
/* Opens a file and maps it or copies its bytes into memory. */
#include "file.h"

#include "regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_ROOM = 1 << 16 };

static const uint8_t nothing[1];

static const struct os_file_guard *guard; /* NULL: none, and nothing is mapped */

void os_file_set_guard(const struct os_file_guard *by)
{
	guard = by;
}

/* What could not be guarded is not an error: it is copied. */
static bool map_whole(int fd, const struct stat *about, const char *path, struct os_file *file)
{
	size_t size = (size_t)about->st_size;

	if (!guard)
		return false;
	/*
	 * libelf writes to the headers of compressed sections; the file stays as it is.  Without MAP_NORESERVE the kernel
	 * would refuse a file that is larger than memory and swap.
	 */
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	if (memory == MAP_FAILED)
		return false;
	if (!guard->add(memory, size, about, path)) {
		munmap(memory, size);
		return false;
	}
	*file = (struct os_file){ .bytes = { memory, size }, .memory = memory, .mapped = true };
	return true;
}

/* More room for *memory; 0 or an errno value. */
static int grow_read_buffer(uint8_t **memory, size_t *room)
{
	size_t larger = *room ? 2 * *room : FIRST_ROOM;

	if (larger > OS_FILE_READ_MAX)
		return EFBIG;
	uint8_t *grown = realloc(*memory, larger);
	if (!grown)
		return ENOMEM;
	*memory = grown;
	*room = larger;
	return 0;
}

static int read_until_end(int fd, uint8_t **memory, size_t *size)
{
	size_t room = 0;
	ssize_t got = 1;
	int error = 0;

	while (got > 0 && error == 0) {
		if (*size == room)
			error = grow_read_buffer(memory, &room);
		if (error)
			break;
		do
			got = read(fd, *memory + *size, room - *size);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			error = errno;
		else
			*size += (size_t)got;
	}
	return error;
}

static int read_whole(int fd, struct os_file *file)
{
	uint8_t *memory = NULL;
	size_t size = 0;
	int error = read_until_end(fd, &memory, &size);

	if (error) {
		free(memory);
		return error;
	}
	*file = (struct os_file){ .bytes = { memory, size }, .memory = memory };
	return 0;
}

int os_file_read(int fd, uint64_t offset, void *memory, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t got =
			pread(fd, (uint8_t *)memory + done, size - done, (off_t)(offset + done));
		if (got < 0 && errno != EINTR)
			return errno;
		if (got == 0)
			return OS_FILE_TRUNCATED;
		done += got > 0 ? (size_t)got : 0;
	}
	return 0;
}

/* A file that is shorter than it was a moment ago was cut in between. */
static int copy_whole(int fd, const struct stat *about, struct os_file *file)
{
	size_t size = (size_t)about->st_size;
	uint8_t *memory = malloc(size);
	int error = memory ? os_file_read(fd, 0, memory, size) : ENOMEM;

	if (error) {
		free(memory);
		return error;
	}
	*file = (struct os_file){ .bytes = { memory, size }, .memory = memory };
	return 0;
}

static int64_t convert_to_nanoseconds(const struct timespec *time)
{
	return (int64_t)((uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec);
}

struct os_file_stamp os_file_stamp(const struct stat *about)
{
	return (struct os_file_stamp){ (uint64_t)about->st_dev, (uint64_t)about->st_ino,
		                       convert_to_nanoseconds(&about->st_mtim),
		                       convert_to_nanoseconds(&about->st_ctim) };
}

/* What has no size is empty: a file of the kernel may be one without an end, such as /proc/self/pagemap. */
static int open_regular(int fd, const struct stat *about, const char *path, struct os_file *file)
{
	if (about->st_size == 0) {
		*file = (struct os_file){ .bytes = { nothing, 0 } };
		return 0;
	}
	if ((uintmax_t)about->st_size > PTRDIFF_MAX)
		return EFBIG;
	int error = map_whole(fd, about, path, file) ? 0 : copy_whole(fd, about, file);
	if (error == 0)
		file->stamp = os_file_stamp(about);
	return error;
}

static int open_descriptor(int fd, const char *path, struct os_file *file)
{
	struct stat about;

	if (fstat(fd, &about) != 0)
		return errno;
	if (S_ISDIR(about.st_mode))
		return EISDIR;
	if (!S_ISREG(about.st_mode) || about.st_size == 0)
		return read_whole(fd, file);
	return open_regular(fd, &about, path, file);
}

int os_file_open(const char *path, struct os_file *file)
{
	if (strcmp(path, "-") == 0)
		return read_whole(STDIN_FILENO, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	int error = open_descriptor(fd, path, file);
	close(fd);
	return error;
}

int os_file_regular(const char *path, struct stat *about, int *fd)
{
	return os_regular_open(AT_FDCWD, path, 0, about, fd);
}

int os_file_open_regular(const char *path, struct os_file *file)
{
	struct stat about;
	int fd = -1;
	int error = os_file_regular(path, &about, &fd);

	if (error)
		return error;
	error = open_regular(fd, &about, path, file);
	close(fd);
	return error;
}

int os_file_open_by(const struct cairn_file_access *access, const char *path, struct os_file *file)
{
	struct cairn_open_file opened = { .path = path };

	if (!access || !access->open)
		return os_file_open_regular(path, file);
	const int error = access->open(access->context, path, &opened);
	if (error == 0)
		*file = (struct os_file){ .bytes = opened.bytes,
			                  .memory = opened.handle,
			                  .mapped = opened.mapped,
			                  .access = access };
	return error;
}

int os_file_open_descriptor(int fd, const char *path, struct os_file *file)
{
	struct stat about;

	if (fstat(fd, &about) != 0)
		return errno;
	return S_ISREG(about.st_mode) ? open_regular(fd, &about, path, file) : EINVAL;
}

void os_file_close(struct os_file *file)
{
	if (file->access) { /* it goes back to the host that opened it */
		struct cairn_open_file opened = { .bytes = file->bytes, .handle = file->memory };
		file->access->close(file->access->context, &opened);
	} else if (file->mapped) {
		guard->remove(file->memory);
		munmap(file->memory, file->bytes.size);
	} else {
		free(file->memory);
	}
	*file = (struct os_file){ .bytes = { nothing, 0 } };
}
