/* SPDX-License-Identifier: MIT */
/* Writes a temporary file, flushes it and its directory to disk and renames it into place. */
#include "durable.h"

#include "stale_files.h"
#include "write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char prefix[] = ".new-";

enum {
	FOLDER_MODE = 0777, /* reduced by the umask, like FILE_MODE */
	FILE_MODE = 0666,
	NAMES_TRIED = 100, /* names may be left over from processes with the same pid */
};

/*
 * Create a temporary file. mkstemp() is not used because its files are readable by their owner
 * alone.
 */
static int create_unique_file(const char *folder, struct os_durable *file)
{
	static atomic_uint number;

	int length = snprintf(file->path, sizeof(file->path), "%s/%s%ld-%u", folder, prefix,
	                      (long)getpid(), atomic_fetch_add(&number, 1));
	if (length < 0 || (size_t)length >= sizeof(file->path))
		return ENAMETOOLONG;
	file->fd = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	return file->fd < 0 ? errno : 0;
}

int os_durable_begin(const char *folder, struct os_quota *quota, struct os_durable *file)
{
	size_t blocks = os_quota_blocks(0);
	int error = EEXIST;

	*file = (struct os_durable){ .fd = -1, .quota = quota };
	os_remove_stale_files(folder, prefix);
	if (!os_quota_take(quota, blocks))
		return EDQUOT;
	for (unsigned i = 0; i < NAMES_TRIED && error == EEXIST; i++)
		error = create_unique_file(folder, file);
	if (error)
		os_quota_give(quota, blocks);
	else
		file->blocks = blocks;
	return error;
}

static bool draw_blocks(struct os_durable *file, uint64_t size)
{
	size_t blocks = os_quota_blocks(size);

	if (blocks <= file->blocks)
		return true;
	if (!os_quota_take(file->quota, blocks - file->blocks))
		return false;
	file->blocks = blocks;
	return true;
}

int os_durable_write(struct os_durable *file, struct cairn_bytes bytes)
{
	if (!draw_blocks(file, file->size + bytes.size))
		return EDQUOT;
	const int error = os_write_all(file->fd, bytes);
	if (error == 0)
		file->size += bytes.size;
	return error;
}

/*
 * Flush the directory of `path` to disk. Errors are ignored because some file systems do not
 * support it.
 */
static void flush_folder_of(const char *path)
{
	char folder[OS_DURABLE_PATH_MAX];
	const char *slash = strrchr(path, '/');
	int length = slash ? snprintf(folder, sizeof(folder), "%.*s/", (int)(slash - path), path)
	                   : snprintf(folder, sizeof(folder), ".");

	if (length < 0 || (size_t)length >= sizeof(folder))
		return;
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

int os_durable_flush(struct os_durable *file)
{
	return fsync(file->fd) != 0 ? errno : 0;
}

static size_t count_blocks_at(const char *path)
{
	struct stat about;

	if (lstat(path, &about) != 0)
		return 0;
	return os_quota_blocks(S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0);
}

int os_durable_rename(struct os_durable *file, const char *path)
{
	size_t replaced = count_blocks_at(path);

	if (rename(file->path, path) != 0)
		return errno;
	os_quota_give(file->quota, replaced);
	close(file->fd);
	file->fd = -1;
	flush_folder_of(path);
	return 0;
}

int os_durable_commit(struct os_durable *file, const char *path)
{
	int error = os_durable_flush(file);

	return error ? error : os_durable_rename(file, path);
}

void os_durable_abandon(struct os_durable *file)
{
	if (file->fd < 0)
		return;
	if (unlink(file->path) == 0)
		os_quota_give(file->quota, file->blocks);
	close(file->fd);
	file->fd = -1;
}

int os_durable_remove(const char *path, struct os_quota *quota)
{
	size_t blocks = count_blocks_at(path);

	if (remove(path) != 0)
		return errno;
	os_quota_give(quota, blocks);
	return 0;
}

static int make_folder(const char *path, struct os_quota *quota)
{
	size_t blocks = os_quota_blocks(0);

	if (!os_quota_take(quota, blocks))
		return access(path, F_OK) == 0 ? 0 : EDQUOT;
	if (mkdir(path, FOLDER_MODE) == 0) {
		flush_folder_of(path);
		return 0;
	}
	os_quota_give(quota, blocks);
	return errno == EEXIST ? 0 : errno;
}

int os_durable_folders(const char *path, struct os_quota *quota)
{
	char part[OS_DURABLE_PATH_MAX];
	size_t length = strlen(path);

	if (length == 0 || length >= sizeof(part))
		return length ? ENAMETOOLONG : ENOENT;
	memcpy(part, path, length + 1);
	for (size_t i = 1; i <= length; i++) {
		if (part[i] != '/' && part[i] != '\0')
			continue;
		char was = part[i];
		part[i] = '\0';
		int error = make_folder(part, quota);
		if (error)
			return error;
		part[i] = was;
	}
	return 0;
}
