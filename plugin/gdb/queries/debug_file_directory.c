/* SPDX-License-Identifier: MIT */
/* Creates and removes the .build-id links to symbol objects in a private debug-file-directory. */
#define _GNU_SOURCE /* nftw flags, mkdtemp */
#include "debug_file_directory.h"

#include "common/base/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	DEEP = 8, /* maximum number of directories that are open during removal */
	/*
	 * age in seconds below which an unlocked directory is kept, because its creator may be
	 * about to lock it
	 */
	YOUNG = 60,
	/* lowest descriptor number for the lock, above the numbers that GDB and its children use */
	LOCK_FROM = 64,
};

#define PREFIX "cairn-gdb-"
#define PATTERN PREFIX "XXXXXX"

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	remove(path);
	return 0;
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, DEEP, FTW_DEPTH | FTW_PHYS);
}

/*
 * Return true if the directory belongs to this user, is old enough to have been locked, and is not
 * locked, which shows that its GDB has ended.
 */
static bool is_left(int directory)
{
	struct stat status;

	return fstat(directory, &status) == 0 && status.st_uid == geteuid() &&
	       time(NULL) - status.st_mtime > YOUNG && flock(directory, LOCK_EX | LOCK_NB) == 0;
}

/* Remove directories in `parent` that killed GDBs have left behind. */
static void remove_dead_roots(const char *parent)
{
	char path[DEBUG_FILE_DIRECTORY_ROOT_MAX];
	DIR *all = opendir(parent);

	if (!all)
		return;
	for (const struct dirent *one; (one = readdir(all)) != NULL;) {
		if (strncmp(one->d_name, PREFIX, strlen(PREFIX)) != 0 ||
		    strlen(one->d_name) != strlen(PATTERN) ||
		    (size_t)snprintf(path, sizeof(path), "%s/%s", parent, one->d_name) >=
		            sizeof(path))
			continue;
		int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (directory >= 0 && is_left(directory))
			remove_tree(path);
		if (directory >= 0)
			close(directory);
	}
	closedir(all);
}

/* Lock the directory. The lock ends with the process. */
static void lock_root(const char *root)
{
	int directory = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (directory >= 0 && fcntl(directory, F_DUPFD_CLOEXEC, LOCK_FROM) >= 0)
		flock(directory, LOCK_EX | LOCK_NB);
	if (directory >= 0)
		close(directory);
}

/*
 * Create the directory in `parent`. The path must not contain colons or spaces, because GDB splits
 * the debug-file-directory setting at colons and ends it at spaces.
 */
static bool make_root(struct debug_file_directory *d, const char *parent)
{
	int size = -1;

	if (parent && path_is_plain(parent))
		size = snprintf(d->root, sizeof(d->root), "%s/" PATTERN, parent);
	if (size > 0 && (size_t)size < sizeof(d->root) && mkdtemp(d->root)) {
		d->owner = getpid();
		lock_root(d->root);
		remove_dead_roots(parent);
		return true;
	}
	d->root[0] = '\0';
	return false;
}

static bool has_root(struct debug_file_directory *d)
{
	return d->root[0] || make_root(d, getenv("XDG_RUNTIME_DIR")) ||
	       make_root(d, getenv("TMPDIR")) || make_root(d, "/tmp") || make_root(d, "/dev/shm") ||
	       make_root(d, "/var/tmp");
}

void debug_file_directory_path(const struct debug_file_directory *d, int fd,
                               char directory[DEBUG_FILE_DIRECTORY_PATH_MAX])
{
	directory[0] = '\0';
	if (d->root[0])
		snprintf(directory, DEBUG_FILE_DIRECTORY_PATH_MAX, "%s/%d", d->root, fd);
}

enum { ID_MAX = 64 };

/*
 * Create a link to the object at the build-ID path below `directory`. Also succeeds if the link
 * already exists.
 */
static bool add_link(const char *directory, int fd, struct cairn_bytes build_id)
{
	char path[DEBUG_FILE_DIRECTORY_PATH_MAX + 3 * ID_MAX], target[40];
	bool made = cairn_build_id_path(build_id, directory, "debug", path, sizeof(path));

	for (char *slash = path + strlen(directory); made && slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		made = mkdir(path, S_IRWXU) == 0 || errno == EEXIST;
		*slash = '/';
	}
	snprintf(target, sizeof(target), "/proc/self/fd/%d", fd);
	return made && symlink(target, path) == 0;
}

bool debug_file_directory_add(struct debug_file_directory *d, int fd, struct cairn_bytes build_id)
{
	char path[DEBUG_FILE_DIRECTORY_PATH_MAX];

	if (!has_root(d))
		return false;
	debug_file_directory_path(d, fd, path);
	if (add_link(path, fd, build_id))
		return true;
	debug_file_directory_remove(d, fd);
	return false;
}

void debug_file_directory_shared(const struct debug_file_directory *d,
                                 char directory[DEBUG_FILE_DIRECTORY_PATH_MAX])
{
	directory[0] = '\0';
	if (d->root[0])
		snprintf(directory, DEBUG_FILE_DIRECTORY_PATH_MAX, "%s/libraries", d->root);
}

bool debug_file_directory_share(struct debug_file_directory *d, int fd, struct cairn_bytes build_id)
{
	char path[DEBUG_FILE_DIRECTORY_PATH_MAX];

	if (!has_root(d))
		return false;
	debug_file_directory_shared(d, path);
	return add_link(path, fd, build_id);
}

void debug_file_directory_remove(const struct debug_file_directory *d, int fd)
{
	char directory[DEBUG_FILE_DIRECTORY_PATH_MAX];

	debug_file_directory_path(d, fd, directory);
	if (*directory)
		remove_tree(directory);
}

void debug_file_directory_finish(const struct debug_file_directory *d)
{
	if (d->root[0] && getpid() == d->owner)
		remove_tree(d->root);
}
