/* SPDX-License-Identifier: MIT */
/* Finds the ELF files below a folder, and of those with one build ID the one that knows most. */
#include "tree.h"

#include "base/array_grow.h"
#include "formats/elf/elf.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Paths that are still to be looked at. */
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

static void report_unreadable(struct tree *tree, const char *path, int error)
{
	tree->unreadable++;
	print_diagnostic(path, "cannot read: %s", strerror(error));
}

/* All names of a folder; one that cannot be opened is reported. */
static bool list_folder(struct tree *tree, const char *folder, struct paths *found)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	bool enough = true;

	if (!directory) {
		report_unreadable(tree, folder, errno);
		return true;
	}
	while (enough && (entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			enough = add_path(found, folder, entry->d_name);
	closedir(directory);
	return enough;
}

static bool add_file(struct tree *tree, const char *path, const struct elf *elf)
{
	struct cairn_bytes id = elf_build_id(elf);
	struct tree_file file = { .quality = tree->verb->rate(elf) };

	if (id.size == 0 || id.size > TREE_BUILD_ID_MAX) {
		tree->unnamed++;
		return true;
	}
	file.size = (uint8_t)id.size;
	memcpy(file.build_id, id.data, id.size);
	file.path = strdup(path);
	if (!file.path || !array_grow(&tree->file, &tree->room, tree->files + 1, sizeof(file))) {
		free(file.path);
		return false;
	}
	tree->file[tree->files++] = file;
	return true;
}

static bool look_into_file(struct tree *tree, const char *path)
{
	struct os_file file;
	struct elf elf;
	bool enough = true;
	int error = os_file_open_regular(path, &file);

	tree->seen++;
	if (error != 0) {
		report_unreadable(tree, path, error);
		return true;
	}
	if (elf_opens(file.bytes, &elf) && elf.type != ELF_TYPE_CORE)
		enough = add_file(tree, path, &elf);
	os_file_close(&file);
	return enough;
}

/* Links are not followed: what they lead to is in the tree itself, or was not meant. */
static bool look_at(struct tree *tree, const char *path, struct paths *paths)
{
	struct stat about;

	if (lstat(path, &about) != 0) {
		report_unreadable(tree, path, errno);
		return true;
	}
	if (S_ISDIR(about.st_mode))
		return list_folder(tree, path, paths);
	return !S_ISREG(about.st_mode) || look_into_file(tree, path);
}

static int compare_build_ids(const struct tree_file *a, const struct tree_file *b)
{
	return a->size != b->size ? a->size - b->size : memcmp(a->build_id, b->build_id, a->size);
}

/* The best one of a build ID comes first. */
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

static void choose_files(struct tree *tree)
{
	size_t kept = 0;

	if (tree->files > 1)
		qsort(tree->file, tree->files, sizeof(*tree->file), sort_by_build_id);
	for (size_t i = 0; i < tree->files; i++) {
		if (kept && compare_build_ids(&tree->file[kept - 1], &tree->file[i]) == 0)
			free(tree->file[i].path);
		else
			tree->file[kept++] = tree->file[i];
	}
	tree->files = kept;
	if (kept > 1)
		qsort(tree->file, kept, sizeof(*tree->file), sort_by_path);
}

bool tree_crawl(struct tree *tree)
{
	struct paths paths = { NULL, 0, 0 };
	bool enough = list_folder(tree, tree->folder, &paths);

	while (enough && paths.count > 0) {
		char *path = paths.path[--paths.count];
		enough = look_at(tree, path, &paths);
		free(path);
	}
	while (paths.count > 0)
		free(paths.path[--paths.count]);
	free(paths.path);
	if (!enough)
		print_diagnostic(tree->folder, "out of memory");
	choose_files(tree);
	return enough;
}
