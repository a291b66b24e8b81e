/* SPDX-License-Identifier: MIT */
/*
 * Writes temporary files and renames them into place, limits the disk blocks that directories use,
 * and removes temporary files left by killed processes.
 */
#include "atomic_file.h"

#include "file.h"
#include "guard.h"
#include "write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool has_form(const char *name, const char *prefix)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
	size_t length = strlen(prefix);

	return strncmp(name, prefix, length) == 0 && name[length] != '\0' &&
	       name[length + strspn(name + length, letters)] == '\0';
}

static bool is_leftover(int directory, const char *name)
{
	struct stat about;

	return fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
	       difftime(time(NULL), about.st_mtime) > (double)OS_STALE_FILE_SECONDS;
}

/*
 * Remove this user's stale regular files from `directory` whose name is `prefix` followed by
 * letters, digits and dashes. Failures are ignored.
 */
static void os_remove_stale_files(const char *directory, const char *prefix)
{
	DIR *entries = opendir(directory);
	struct dirent *entry;

	if (!entries)
		return;
	while ((entry = readdir(entries)) != NULL)
		if (has_form(entry->d_name, prefix) && is_leftover(dirfd(entries), entry->d_name))
			unlinkat(dirfd(entries), entry->d_name, 0);
	closedir(entries);
}

enum { PATH_SIZE = 4096, FILE_MODE = 0666, PRIVATE_DIRECTORY_MODE = 0700, PERMISSIONS = 0777 };

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
 * Set the mode of the replaced file or, for a new file, the default mode. mkstemp() grants access
 * only to the owner.
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
 * Write a template for mkstemp() in the directory that contains `path`, and remove temporary files
 * that killed processes have left there.
 */
static int name_beside(const char *path, char beside[PATH_SIZE])
{
	static const char prefix[] = ".cairn-";
	const char *slash = strrchr(path, '/');
	int directory = slash ? (int)(slash - path) + 1 : 0;

	if (snprintf(beside, PATH_SIZE, "%.*s.", directory, path) < PATH_SIZE)
		os_remove_stale_files(beside, prefix);
	return snprintf(beside, PATH_SIZE, "%.*s%sXXXXXX", directory, path, prefix) < PATH_SIZE
	               ? 0
	               : ENAMETOOLONG;
}

static int write_beside(const char *path, const struct contents *contents)
{
	char beside[PATH_SIZE];

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

int os_make_directories(const char *path)
{
	char part[PATH_SIZE];
	size_t size = strlen(path);

	if (size == 0 || size >= sizeof(part))
		return ENAMETOOLONG;
	memcpy(part, path, size + 1);
	for (size_t at = 1; at <= size; at++) {
		if (part[at] != '/' && part[at] != '\0')
			continue;
		part[at] = '\0';
		if (mkdir(part, PRIVATE_DIRECTORY_MODE) != 0 && errno != EEXIST)
			return errno;
		part[at] = path[at];
	}
	return 0;
}

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

static int count_directory(struct os_quota *quota, int fd, unsigned depth);

/* Count a directory entry. Ignores an entry that another process has just removed. */
static int count_entry(struct os_quota *quota, int directory, const char *name, unsigned depth)
{
	struct stat about;

	if (fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : errno;
	size_t blocks = os_quota_blocks(S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0);
	size_t used = atomic_load(&quota->used);
	atomic_store(&quota->used, blocks > SIZE_MAX - used ? SIZE_MAX : used + blocks);
	if (!S_ISDIR(about.st_mode))
		return 0;
	int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? errno : count_directory(quota, fd, depth + 1);
}

static int count_directory(struct os_quota *quota, int fd, unsigned depth)
{
	DIR *directory = depth < OS_QUOTA_DIRECTORIES_MAX ? fdopendir(fd) : NULL;
	struct dirent *entry;
	int error = 0;

	if (!directory) {
		error = depth < OS_QUOTA_DIRECTORIES_MAX ? errno : ELOOP;
		close(fd);
		return error;
	}
	while (error == 0 && (entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			error = count_entry(quota, dirfd(directory), entry->d_name, depth);
	closedir(directory);
	return error;
}

int os_quota_count(struct os_quota *quota, const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? errno : count_directory(quota, fd, 0);
}

static const char durable_prefix[] = ".new-";

enum {
	SHARED_DIRECTORY_MODE = 0777, /* the umask reduces this mode and SHARED_FILE_MODE */
	SHARED_FILE_MODE = 0666,
	/*
	 * maximum number of attempts; each fails if an earlier process with the same pid has left a
	 * file with this name
	 */
	NAMES_TRIED = 100,
};

/* Create a temporary file without mkstemp(), whose files only the owner can read. */
static int create_unique_file(const char *directory, struct os_durable *file)
{
	static atomic_uint number;

	int length = snprintf(file->path, sizeof(file->path), "%s/%s%ld-%u", directory,
	                      durable_prefix, (long)getpid(), atomic_fetch_add(&number, 1));
	if (length < 0 || (size_t)length >= sizeof(file->path))
		return ENAMETOOLONG;
	file->fd = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, SHARED_FILE_MODE);
	return file->fd < 0 ? errno : 0;
}

int os_durable_begin(const char *directory, struct os_quota *quota, struct os_durable *file)
{
	size_t blocks = os_quota_blocks(0);
	int error = EEXIST;

	*file = (struct os_durable){ .fd = -1, .quota = quota };
	os_remove_stale_files(directory, durable_prefix);
	if (!os_quota_take(quota, blocks))
		return EDQUOT;
	for (unsigned i = 0; i < NAMES_TRIED && error == EEXIST; i++)
		error = create_unique_file(directory, file);
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
 * Flush the directory that contains `path` to disk. Ignore errors, because some file systems do not
 * support this.
 */
static void flush_directory_of(const char *path)
{
	char directory[OS_DURABLE_PATH_MAX];
	const char *slash = strrchr(path, '/');
	int length =
		slash ? snprintf(directory, sizeof(directory), "%.*s/", (int)(slash - path), path)
		      : snprintf(directory, sizeof(directory), ".");

	if (length < 0 || (size_t)length >= sizeof(directory))
		return;
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
	flush_directory_of(path);
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

static int make_durable_directory(const char *path, struct os_quota *quota)
{
	size_t blocks = os_quota_blocks(0);

	if (!os_quota_take(quota, blocks))
		return access(path, F_OK) == 0 ? 0 : EDQUOT;
	if (mkdir(path, SHARED_DIRECTORY_MODE) == 0) {
		flush_directory_of(path);
		return 0;
	}
	os_quota_give(quota, blocks);
	return errno == EEXIST ? 0 : errno;
}

int os_durable_directories(const char *path, struct os_quota *quota)
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
		int error = make_durable_directory(part, quota);
		if (error)
			return error;
		part[i] = was;
	}
	return 0;
}

enum { SIGNALS = 3 };

static const int end_signals[SIGNALS] = { SIGINT, SIGTERM, SIGHUP };
/* path of the unfinished file; changed only while end_signals are blocked */
static char unfinished[PATH_SIZE];
static sigset_t mask_before;

/*
 * Remove the unfinished file, and raise the signal again with its default action, which ends the
 * process.
 */
static void remove_unfinished(int number)
{
	if (unfinished[0])
		unlink(unfinished);
	signal(number, SIG_DFL);
	raise(number);
}

void os_unfinished_hold(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < SIGNALS; i++)
		sigaddset(&set, end_signals[i]);
	sigprocmask(SIG_BLOCK, &set, &mask_before);
}

/*
 * Install remove_unfinished() as the handler of end_signals. Ignored signals stay ignored, as
 * nohup(1) requires.
 */
static void handle_end_signals(void)
{
	const struct sigaction wanted = { .sa_handler = remove_unfinished };
	struct sigaction old;

	for (int i = 0; i < SIGNALS; i++)
		if (sigaction(end_signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(end_signals[i], &wanted, NULL);
}

void os_unfinished_release(const char *path)
{
	size_t size = path ? strlen(path) : 0;

	if (size >= PATH_SIZE)
		size = 0;
	memcpy(unfinished, path ? path : "", size);
	unfinished[size] = '\0';
	if (size > 0)
		handle_end_signals();
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}
