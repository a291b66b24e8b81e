/* SPDX-License-Identifier: MIT */
/*
 * Opens files and maps or copies their contents. A file whose name comes from input is first
 * examined through an O_PATH handle, which does not open the file; then the handle is reopened for
 * reading.
 */
#define _GNU_SOURCE /* O_PATH, MAP_NORESERVE; glibc's posix_madvise() ignores DONTNEED */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_CAPACITY = 1 << 16 };

static const uint8_t nothing[1];

static const struct os_file_guard *guard; /* NULL if files are copied instead of mapped */

void os_file_set_guard(const struct os_file_guard *by)
{
	guard = by;
}

/* Map a file. Returns false if the file cannot be mapped or guarded; the caller then copies it. */
static bool map_whole(int fd, const struct stat *about, const char *path, struct os_file *file)
{
	size_t size = (size_t)about->st_size;

	if (!guard)
		return false;
	/*
	 * PROT_WRITE is set because libelf writes to the headers of compressed sections;
	 * MAP_PRIVATE keeps the file unchanged. Without MAP_NORESERVE the kernel would refuse to
	 * map a file larger than memory and swap.
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

static int read_whole(int fd, struct os_file *file)
{
	uint8_t *memory = NULL;
	size_t size = 0, capacity = 0;
	ssize_t got = 1;
	int error = 0;

	while (got > 0 && error == 0) {
		if (size == capacity) {
			capacity = capacity ? 2 * capacity : FIRST_CAPACITY;
			uint8_t *grown =
				capacity > OS_FILE_READ_MAX ? NULL : realloc(memory, capacity);
			if (!grown) {
				error = capacity > OS_FILE_READ_MAX ? EFBIG : ENOMEM;
				break;
			}
			memory = grown;
		}
		do
			got = read(fd, memory + size, capacity - size);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			error = errno;
		else
			size += (size_t)got;
	}
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

/* Copy a file. Fails with OS_FILE_TRUNCATED if the file has been truncated after fstat(). */
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

/*
 * Map or copy a regular file. A file of size 0 is treated as empty without reading it, because
 * kernel files such as /proc/self/pagemap may be endless.
 */
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

enum {
	LOOKING = O_PATH | O_CLOEXEC,
	/*
	 * O_NONBLOCK and O_NOCTTY affect only other files, such as a pipe or terminal that has
	 * replaced the examined file
	 */
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

/*
 * Accept an opened descriptor if it refers to the file that has been examined; otherwise close it.
 */
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

int os_regular_open(int directory, const char *path, int flags, struct stat *about, int *fd)
{
	int handle = openat(directory, path, LOOKING | flags);

	if (handle < 0)
		return errno;
	int error = os_regular_reopen(handle, about, fd);
	/* ENOENT means that /proc is not mounted, because the file itself exists */
	if (error == ENOENT)
		error = check_opened(openat(directory, path, READING | flags), about, fd);
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
	if (file->access) {
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

static uintptr_t find_page_size(void)
{
	const long size = sysconf(_SC_PAGESIZE);

	return size > 0 ? (uintptr_t)size : 4096;
}

void os_file_release_pages(struct cairn_bytes part)
{
	uintptr_t page = find_page_size();
	uintptr_t low = ((uintptr_t)part.data + page - 1) / page * page;
	uintptr_t high = ((uintptr_t)part.data + part.size) / page * page;

	if (low < high)
		(void)madvise((void *)low, high - low, MADV_DONTNEED);
}

void os_file_read_apart(const struct os_file *file)
{
	if (file->mapped && file->bytes.size > 0)
		(void)madvise(file->memory, file->bytes.size, MADV_RANDOM);
}

void os_file_read_soon(struct cairn_bytes part)
{
	const uintptr_t page = find_page_size();
	const uintptr_t low = (uintptr_t)part.data / page * page;

	if (part.size > 0)
		(void)madvise((void *)low, (uintptr_t)part.data + part.size - low, MADV_WILLNEED);
}

/*
 * Opens a path below a directory one component at a time, each relative to the directory opened for
 * the previous one.
 */

enum { PART_SIZE = 256 /* NAME_MAX and a NUL */ };

/*
 * Take the next component from the path, without leading slashes. Returns false if the component is
 * empty, too long, "." or "..".
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
static int open_part(int directory, const char *part, int *opened)
{
	*opened = openat(directory, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*opened >= 0)
		return 0;
	return errno == ELOOP || errno == ENOTDIR ? EXDEV : errno;
}

static int open_below(int directory, const char *path, struct stat *about, int *fd)
{
	char part[PART_SIZE];
	int error = 0, inner;

	while (error == 0) {
		if (!take_part(&path, part)) {
			error = EXDEV;
		} else if (*path == '\0') {
			error = os_regular_open(directory, part, O_NOFOLLOW, about, fd);
			break;
		} else if ((error = open_part(directory, part, &inner)) == 0) {
			close(directory);
			directory = inner;
		}
	}
	close(directory);
	return error;
}

int os_open_beneath(const char *directory, const char *path, struct stat *about, int *fd)
{
	const int root = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		return errno;
	if (path[0] != '/')
		return open_below(root, path, about, fd);
	close(root);
	return EXDEV;
}
