/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* fdatasync() */
/* Adds files to a store, and enumerates one. */
#include "store_folder.h"

#include "os/file/atomic_file.h"
#include "os/file/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PATH_ROOM = 4096,
	DEPTH = 3,
	FOLDER_MODE = 0777,
};

static int join_names(const char *folder, const char *rest, char path[PATH_ROOM])
{
	return snprintf(path, PATH_ROOM, "%s/%s", folder, rest) < PATH_ROOM ? 0 : ENAMETOOLONG;
}

/* Create the directories of a key. Their mode lets all readers of the store enter them. */
static int make_key_folders(const char *folder, char path[PATH_ROOM])
{
	if (mkdir(folder, FOLDER_MODE) != 0 && errno != EEXIST)
		return errno;
	for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/'));
	     *slash++ = '/') {
		*slash = '\0';
		if (mkdir(path, FOLDER_MODE) != 0 && errno != EEXIST) {
			const int error = errno;
			*slash = '/';
			return error;
		}
	}
	return 0;
}

/* Write the bytes and flush them to disk, before the file gets its name. */
static int fill_file(void *context, int fd)
{
	const struct cairn_bytes *bytes = context;
	const int error = os_write_all(fd, *bytes);

	if (error)
		return error;
	return fdatasync(fd) == 0 ? 0 : errno;
}

static bool look_at_file(const char *path, struct cairn_bytes bytes, bool *same)
{
	struct os_file file;

	if (os_file_open_regular(path, &file) != 0)
		return false;
	*same = file.bytes.size == bytes.size &&
	        (bytes.size == 0 || memcmp(file.bytes.data, bytes.data, bytes.size) == 0);
	os_file_close(&file);
	return true;
}

int store_put(const char *folder, const char *key, struct cairn_bytes bytes, bool replace,
              enum store_outcome *outcome)
{
	char path[PATH_ROOM];
	bool same = false;
	int error = join_names(folder, key, path);

	if (error)
		return error;
	const bool is_there = look_at_file(path, bytes, &same);
	*outcome = same ? STORE_SAME : is_there ? STORE_DIFFERS : STORE_ADDED;
	if (same || (is_there && !replace))
		return 0;
	*outcome = is_there ? STORE_REPLACED : STORE_ADDED;
	error = make_key_folders(folder, path);
	return error ? error : os_atomic_file_fill(path, fill_file, &bytes);
}

struct store_walk {
	const char *folder;
	void (*visit)(void *context, const char *path);
	void *context;
	DIR *open[DEPTH];
	size_t length[DEPTH];
	char path[PATH_ROOM]; /* relative to the store, with a slash after each directory */
	unsigned depth;
};

static DIR *open_below(const struct store_walk *walk)
{
	char path[PATH_ROOM];

	return join_names(walk->folder, walk->path, path) == 0 ? opendir(path) : NULL;
}

/*
 * Visit a file or enter a directory. Symbolic links and directories that are too deep for a key are
 * visited like files.
 */
static void visit_entry(struct store_walk *walk, const char *name)
{
	const size_t at = walk->length[walk->depth - 1];
	char whole[PATH_ROOM];
	struct stat about;

	if (snprintf(walk->path + at, PATH_ROOM - at, "%s", name) >= (int)(PATH_ROOM - at) ||
	    join_names(walk->folder, walk->path, whole) != 0 || lstat(whole, &about) != 0)
		return;
	if (!S_ISDIR(about.st_mode) || walk->depth == DEPTH) {
		walk->visit(walk->context, walk->path);
		return;
	}
	DIR *below = open_below(walk);
	const size_t length = strlen(walk->path);
	if (!below || length + 1 >= PATH_ROOM) {
		walk->visit(walk->context, walk->path);
		if (below)
			closedir(below);
		return;
	}
	walk->path[length] = '/';
	walk->path[length + 1] = '\0';
	walk->length[walk->depth] = length + 1;
	walk->open[walk->depth++] = below;
}

int store_walk(const char *folder, void (*visit)(void *context, const char *path), void *context)
{
	struct store_walk walk = { .folder = folder, .visit = visit, .context = context };
	const struct dirent *entry;

	walk.open[0] = opendir(folder);
	if (!walk.open[0])
		return errno;
	walk.depth = 1;
	while (walk.depth > 0) {
		entry = readdir(walk.open[walk.depth - 1]);
		if (!entry)
			closedir(walk.open[--walk.depth]);
		else if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			visit_entry(&walk, entry->d_name);
	}
	return 0;
}
