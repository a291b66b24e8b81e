/* SPDX-License-Identifier: MIT */
/* Examines all files below a directory, without recursion. */
#include "tree_files.h"

#include "base/memory.h"
#include "os/file/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct paths {
	char **path;
	size_t count, room;
};

static bool add_path(struct paths *paths, const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = malloc(size);

	if (!path || !array_grow(&paths->path, &paths->room, paths->count + 1, sizeof(char *))) {
		free(path);
		return false;
	}
	snprintf(path, size, "%s/%s", folder, name);
	paths->path[paths->count++] = path;
	return true;
}

static void report_unreadable(struct tree_files *files, const char *path, int error)
{
	files->unreadable_count++;
	files->unreadable(path, error);
}

/* Add all entries of a directory. Reports a directory that cannot be opened. */
static bool list_folder(struct tree_files *files, const char *folder, struct paths *found)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	bool enough = true;

	if (!directory) {
		report_unreadable(files, folder, errno);
		return true;
	}
	while (enough && (entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			enough = add_path(found, folder, entry->d_name);
	closedir(directory);
	return enough;
}

static bool add_file(struct tree_files *files, const char *path, const struct elf *elf)
{
	const struct cairn_bytes id = elf_build_id(elf);
	struct tree_file file = { .quality = files->rate(elf) };

	if (id.size == 0 || id.size > TREE_BUILD_ID_MAX) {
		files->unnamed++;
		return true;
	}
	file.size = (uint8_t)id.size;
	memcpy(file.build_id, id.data, id.size);
	file.path = strdup(path);
	if (file.path && ARRAY_APPEND(files->file, files->count, files->room, file))
		return true;
	free(file.path);
	return false;
}

/*
 * Examine a path. Symbolic links are not followed: their targets are in the tree as well, or are
 * not wanted.
 */
static bool look_at(struct tree_files *files, const char *path, struct paths *paths)
{
	struct os_file file;
	struct stat about;
	struct elf elf;

	if (lstat(path, &about) != 0) {
		report_unreadable(files, path, errno);
		return true;
	}
	if (S_ISDIR(about.st_mode))
		return list_folder(files, path, paths);
	if (!S_ISREG(about.st_mode))
		return true;
	files->seen++;
	const int error = os_file_open_regular(path, &file);
	if (error != 0) {
		report_unreadable(files, path, error);
		return true;
	}
	const bool enough = !elf_opens(file.bytes, &elf) || elf.type == ELF_TYPE_CORE ||
	                    add_file(files, path, &elf);
	os_file_close(&file);
	return enough;
}

static int compare_build_ids(const struct tree_file *a, const struct tree_file *b)
{
	return a->size != b->size ? a->size - b->size : memcmp(a->build_id, b->build_id, a->size);
}

/* The best file of a build ID comes first. */
static int sort_by_build_id(const void *left, const void *right)
{
	const struct tree_file *a = left, *b = right;
	int order = compare_build_ids(a, b);

	order = order ? order : b->quality - a->quality;
	return order ? order : strcmp(a->path, b->path);
}

static int sort_by_path(const void *left, const void *right)
{
	const struct tree_file *a = left, *b = right;

	return strcmp(a->path, b->path);
}

bool tree_files_find(struct tree_files *files, const char *folder)
{
	struct paths paths = { NULL, 0, 0 };
	bool enough = list_folder(files, folder, &paths);
	size_t kept = 0;

	while (enough && paths.count > 0) {
		char *path = paths.path[--paths.count];
		enough = look_at(files, path, &paths);
		free(path);
	}
	while (paths.count > 0)
		free(paths.path[--paths.count]);
	free(paths.path);
	if (files->count > 1)
		qsort(files->file, files->count, sizeof(*files->file), sort_by_build_id);
	for (size_t i = 0; i < files->count; i++) {
		if (kept && compare_build_ids(&files->file[kept - 1], &files->file[i]) == 0)
			free(files->file[i].path);
		else
			files->file[kept++] = files->file[i];
	}
	files->count = kept;
	if (kept > 1)
		qsort(files->file, kept, sizeof(*files->file), sort_by_path);
	return enough;
}

void tree_files_free(struct tree_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->file[i].path);
	free(files->file);
}
