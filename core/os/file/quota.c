/* SPDX-License-Identifier: MIT */
/* Counts the blocks of files below a directory and limits them. */
#include "quota.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void os_quota_init(struct os_quota *quota, uint64_t bytes)
{
	uint64_t blocks = bytes == 0 ? UINT64_MAX : bytes / OS_QUOTA_BLOCK;

	quota->most = blocks > SIZE_MAX ? SIZE_MAX : (size_t)blocks;
	atomic_init(&quota->used, 0);
}

size_t os_quota_blocks(uint64_t size)
{
	uint64_t full = size / OS_QUOTA_BLOCK;

	return full >= SIZE_MAX ? SIZE_MAX : (size_t)full + 1;
}

static bool is_left(const struct os_quota *quota, size_t used, size_t blocks)
{
	return used <= quota->most && quota->most - used >= blocks;
}

bool os_quota_has(const struct os_quota *quota, size_t blocks)
{
	return !quota || is_left(quota, atomic_load(&quota->used), blocks);
}

bool os_quota_take(struct os_quota *quota, size_t blocks)
{
	size_t used = quota ? atomic_load(&quota->used) : 0;

	while (quota && is_left(quota, used, blocks))
		if (atomic_compare_exchange_weak(&quota->used, &used, used + blocks))
			return true;
	return !quota;
}

void os_quota_give(struct os_quota *quota, size_t blocks)
{
	size_t used = quota ? atomic_load(&quota->used) : 0;

	while (quota && !atomic_compare_exchange_weak(&quota->used, &used,
	                                              used > blocks ? used - blocks : 0))
		;
}

static int count_folder(struct os_quota *quota, int fd, unsigned depth);

/* Count one entry of a directory. Entries that disappeared meanwhile are ignored. */
static int count_entry(struct os_quota *quota, int folder, const char *name, unsigned depth)
{
	struct stat about;

	if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : errno;
	size_t blocks = os_quota_blocks(S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0);
	size_t used = atomic_load(&quota->used);
	atomic_store(&quota->used, blocks > SIZE_MAX - used ? SIZE_MAX : used + blocks);
	if (!S_ISDIR(about.st_mode))
		return 0;
	int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? errno : count_folder(quota, fd, depth + 1);
}

/* Count the entries of a directory, and close `fd`. */
static int count_folder(struct os_quota *quota, int fd, unsigned depth)
{
	DIR *folder = depth < OS_QUOTA_FOLDERS_MAX ? fdopendir(fd) : NULL;
	struct dirent *entry;
	int error = 0;

	if (!folder) {
		error = depth < OS_QUOTA_FOLDERS_MAX ? errno : ELOOP;
		close(fd);
		return error;
	}
	while (error == 0 && (entry = readdir(folder)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			error = count_entry(quota, dirfd(folder), entry->d_name, depth);
	closedir(folder);
	return error;
}

int os_quota_count(struct os_quota *quota, const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? errno : count_folder(quota, fd, 0);
}
