/* SPDX-License-Identifier: MIT */
/* Lists the files of the builds in a cache directory and removes the least recently used ones. */
#include "sweep.h"

#include "fetched.h"

#include "base/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, BLOCK = 512, FILES_MAX = 1 << 20 };

struct swept_file {
	char *path;
	uint64_t bytes;
	int64_t used; /* seconds since 1970 */
	bool is_unfinished;
};

struct sweep {
	struct swept_file *file;
	size_t count, room;
	struct sweep_totals *totals;
};

static bool is_build(const char *name)
{
	return name[0] && strspn(name, "0123456789abcdef") == strlen(name);
}

/* Return true for the temporary names NAME.XXXXXX that the library uses during a download. */
static bool is_unfinished(const char *name)
{
	return strncmp(name, "debuginfo.", 10) == 0 || strncmp(name, "executable.", 11) == 0;
}

static void list_file(struct sweep *sweep, const char *path, const char *name)
{
	struct stat about;

	if (lstat(path, &about) != 0 || !S_ISREG(about.st_mode) || sweep->count >= FILES_MAX ||
	    !array_grow(&sweep->file, &sweep->room, sweep->count + 1, sizeof(*sweep->file)))
		return;
	struct swept_file *file = &sweep->file[sweep->count];
	const int64_t read = about.st_atime, written = about.st_mtime;
	*file = (struct swept_file){ .path = strdup(path),
		                     .bytes = (uint64_t)about.st_blocks * BLOCK,
		                     .used = read > written ? read : written,
		                     .is_unfinished = is_unfinished(name) };
	if (!file->path)
		return;
	sweep->count++;
	sweep->totals->bytes += file->bytes;
}

static void list_folder(struct sweep *sweep, const char *folder,
                        void (*each)(struct sweep *sweep, const char *path, const char *name))
{
	DIR *directory = opendir(folder);
	char path[PATH_SIZE];
	struct dirent *entry;

	while (directory && (entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.' && snprintf(path, sizeof(path), "%s/%s", folder,
		                                        entry->d_name) < (int)sizeof(path))
			each(sweep, path, entry->d_name);
	if (directory)
		closedir(directory);
}

static void list_build(struct sweep *sweep, const char *path, const char *name)
{
	struct stat about;

	if (is_build(name) && lstat(path, &about) == 0 && S_ISDIR(about.st_mode))
		list_folder(sweep, path, list_file);
}

static int compare_uses(const void *a, const void *b)
{
	const struct swept_file *one = a, *other = b;

	return one->used < other->used ? -1 : one->used > other->used;
}

/* Remove a file, and the directory of its build with the last file. */
static void remove_file(struct sweep *sweep, struct swept_file *file)
{
	if (unlink(file->path) != 0)
		return;
	sweep->totals->bytes -= file->bytes;
	sweep->totals->removed++;
	*strrchr(file->path, '/') = '\0';
	rmdir(file->path);
}

static void remove_files(struct sweep *sweep, uint64_t most, uint64_t wanted)
{
	const int64_t now = (int64_t)time(NULL);
	const bool is_full = sweep->totals->bytes > most;

	for (size_t i = 0; i < sweep->count; i++) {
		struct swept_file *file = &sweep->file[i];
		/*
		 * If the clock was set back, files can have timestamps in the future. Use the
		 * absolute difference as their age; otherwise they would never be removed.
		 */
		const int64_t age = file->used < now ? now - file->used : file->used - now;
		const bool is_stale = file->is_unfinished && age > FETCHED_STALE_SECONDS;
		const bool is_old = !file->is_unfinished && age > FETCHED_GRACE;
		if (is_stale || (is_full && is_old && sweep->totals->bytes > wanted))
			remove_file(sweep, file);
	}
}

void sweep_folder(const char *folder, uint64_t most, uint64_t wanted, struct sweep_totals *totals)
{
	struct sweep sweep = { .totals = totals };

	*totals = (struct sweep_totals){ .bytes = 0 };
	list_folder(&sweep, folder, list_build);
	if (sweep.count > 0)
		qsort(sweep.file, sweep.count, sizeof(*sweep.file), compare_uses);
	remove_files(&sweep, most, wanted);
	for (size_t i = 0; i < sweep.count; i++)
		free(sweep.file[i].path);
	free(sweep.file);
}
