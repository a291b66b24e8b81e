/* SPDX-License-Identifier: MIT */
/* Joins a source file path with its compilation directory or shortens it to the requested form. */
#include "paths.h"

#include <string.h>

/* Does the path begin with the folder? */
static bool is_inside(struct cairn_bytes path, struct cairn_bytes folder)
{
	return folder.size > 0 && path.size > folder.size &&
	       memcmp(path.data, folder.data, folder.size) == 0 && path.data[folder.size] == '/';
}

/* The folder of the line table that the path begins with, `from` that number on. */
static bool has_folder(const struct line_files *files, struct cairn_bytes path, size_t from,
                       size_t to)
{
	for (size_t i = from; i < files->directories && i < to; i++) {
		struct cairn_bytes folder = files->directory[i];
		if ((from == 0 || (folder.size > 0 && folder.data[0] == '/')) &&
		    is_inside(path, folder))
			return true;
	}
	return false;
}

/* `path` without its first bytes. */
static struct cairn_bytes skip_bytes(struct cairn_bytes path, size_t size)
{
	return (struct cairn_bytes){ path.data + size, path.size - size };
}

static struct cairn_bytes find_base_name(struct cairn_bytes path)
{
	size_t base = path.size;

	while (base > 0 && path.data[base - 1] != '/')
		base--;
	return skip_bytes(path, base);
}

void paths_shorten(struct unit *unit, const struct line_files *files, struct cairn_bytes path,
                   enum debuginfo_paths paths, struct cairn_location *location)
{
	location->file = path;
	if (paths == DEBUGINFO_PATH_NAME) {
		location->file = find_base_name(path);
		return;
	}
	if (paths == DEBUGINFO_PATH_WHOLE && path.data[0] == '/')
		return;
	struct cairn_bytes folder = line_tables_comp_dir(&unit->die);
	if (folder.size == 0)
		return;
	if (paths == DEBUGINFO_PATH_RELATIVE) {
		if (is_inside(path, folder) && !has_folder(files, path, 1, SIZE_MAX))
			location->file = skip_bytes(path, folder.size + 1);
	} else if (path.data[0] != '/' && !has_folder(files, path, 0, 1)) {
		location->directory = folder;
	}
}
