/* SPDX-License-Identifier: MIT */
/*
 * Opens a recording that is a directory, as written by `perf record --threads`: a header file, and
 * one file of records per perf thread.
 */
#include "profile.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DIRECTORY_PATH = 4096 };

bool profile_is_directory(const char *path)
{
	struct stat about;

	return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool add_records(struct profile_directory *d, const struct os_file *file, size_t *room)
{
	size_t bytes_room = *room;

	if (!array_grow(&d->files, room, d->count + 1, sizeof(*d->files)) ||
	    !array_grow(&d->bytes, &bytes_room, d->count + 1, sizeof(*d->bytes)))
		return false;
	d->files[d->count] = *file;
	d->bytes[d->count++] = file->bytes;
	return true;
}

/* Open the record files, which are numbered from 0 without gaps. */
static int open_records(const char *directory, struct profile_directory *d)
{
	char path[DIRECTORY_PATH];
	struct os_file file;
	size_t room = 0;
	int error = 0;

	while (error == 0) {
		const int size = snprintf(path, sizeof(path), "%s/data.%zu", directory, d->count);
		if (size < 0 || (size_t)size >= sizeof(path))
			return ENAMETOOLONG;
		error = os_file_open_regular(path, &file);
		if (error == 0 && d->count == PROFILE_DIRECTORY_FILES_MAX) {
			os_file_close(&file);
			return EMFILE;
		}
		if (error == 0 && !add_records(d, &file, &room)) {
			os_file_close(&file);
			return ENOMEM;
		}
	}
	return error == ENOENT ? 0 : error;
}

bool profile_open_directory(const char *path, struct os_file *head, struct profile_directory *d)
{
	char name[DIRECTORY_PATH];
	const int size = snprintf(name, sizeof(name), "%s/data", path);
	int error = size < 0 || (size_t)size >= sizeof(name) ? ENAMETOOLONG : 0;

	if (error == 0)
		error = os_file_open_regular(name, head);
	if (error == 0) {
		error = open_records(path, d);
		if (error == 0)
			return true;
		profile_close_directory(d);
		os_file_close(head);
	}
	return refuse_with(path, "cannot read a recording in this directory: %s", strerror(error));
}

void profile_close_directory(struct profile_directory *d)
{
	for (size_t i = 0; i < d->count; i++)
		os_file_close(&d->files[i]);
	free(d->files);
	free(d->bytes);
	*d = (struct profile_directory){ .count = 0 };
}
