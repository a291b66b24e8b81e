/* SPDX-License-Identifier: MIT */
/* Keeps the list of SFrame files given by the user, and finds the file for a module. */
#include "side_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool side_files_add(struct side_files *files, const char *path)
{
	for (unsigned i = 0; i < files->count; i++)
		if (strcmp(files->path[i], path) == 0)
			return true;
	if (files->count == SIDE_FILES_MAX)
		return false;
	files->path[files->count] = strdup(path);
	return files->path[files->count] && ++files->count;
}

bool side_files_give(const struct side_files *files, struct cairn_space *space, uint64_t pc,
                     const char *directories)
{
	enum { PATH = 4096 };
	struct cairn_sframe_search search = CAIRN_SFRAME_SEARCH;
	struct cairn_fault fault;
	char path[PATH];
	size_t modules;

	if (!cairn_space_wants_sframe(space, pc))
		return false;
	for (unsigned i = 0; i < files->count; i++)
		if (cairn_sframe_file_add(space, files->path[i], &modules, &fault) == CAIRN_OK &&
		    cairn_space_has_sframe(space, pc))
			return true;
	search.folders = directories;
	return cairn_sframe_file_find(space, pc, &search, path, PATH) == CAIRN_OK;
}

/* Return the path of the user's file of that build, or NULL. */
static const char *find_named(const struct side_files *files, struct cairn_bytes build_id)
{
	for (unsigned i = 0; i < files->count && build_id.size > 0; i++)
		if (cairn_sframe_file_belongs(files->path[i], build_id))
			return files->path[i];
	return NULL;
}

bool side_files_find(const struct side_files *files, const char *binary,
                     struct cairn_bytes build_id, const char *directories, char *path, size_t size)
{
	const char *named = find_named(files, build_id);

	if (named)
		snprintf(path, size, "%s", named);
	return named ||
	       cairn_sframe_file_locate(binary, build_id, directories, path, size) == CAIRN_OK;
}

bool side_files_has_named(const struct side_files *files, struct cairn_bytes build_id)
{
	return find_named(files, build_id) != NULL;
}

void side_files_finish(struct side_files *files)
{
	for (unsigned i = 0; i < files->count; i++)
		free(files->path[i]);
	files->count = 0;
}
