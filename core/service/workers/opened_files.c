/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* strdup() */
/* Remembers what opened files looked like, and looks again. */
#include "opened_files.h"

#include "base/array_grow.h"

#include <stdlib.h>
#include <string.h>

static bool stamp_file(const char *path, struct opened_file *file)
{
	struct stat about;

	if (stat(path, &about) != 0)
		return false;
	file->stamp = os_file_stamp(&about);
	file->size = (uint64_t)about.st_size;
	return true;
}

static bool is_noted(const struct opened_files *files, const char *path)
{
	for (size_t i = 0; i < files->count; i++)
		if (strcmp(files->file[i].path, path) == 0)
			return true;
	return false;
}

void opened_files_add(struct opened_files *files, const char *path)
{
	struct opened_file file = { .path = NULL };

	if (is_noted(files, path))
		return;
	if (files->count >= OPENED_FILES_MAX || !stamp_file(path, &file) ||
	    !array_grow(&files->file, &files->room, files->count + 1, sizeof(file)) ||
	    !(file.path = strdup(path))) {
		files->failed = true;
		return;
	}
	files->file[files->count++] = file;
}

bool opened_files_have_changed(const struct opened_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct opened_file *was = &files->file[i];
		struct opened_file now;
		if (!stamp_file(was->path, &now) || now.size != was->size ||
		    memcmp(&now.stamp, &was->stamp, sizeof(now.stamp)) != 0)
			return true;
	}
	return files->failed;
}

void opened_files_clear(struct opened_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->file[i].path);
	files->count = 0;
	files->failed = false;
}
