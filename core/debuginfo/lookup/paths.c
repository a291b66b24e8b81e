/* SPDX-License-Identifier: MIT */
/* Joins a source file path with its compilation directory or shortens it to the requested form. */
#include "paths.h"

#include <dwarf.h>
#include <string.h>

static struct cairn_bytes borrow_path_text(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

/* Does the path begin with the folder? */
static bool is_inside(const char *path, const char *folder)
{
	size_t size = folder ? strlen(folder) : 0;

	return size > 0 && strncmp(path, folder, size) == 0 && path[size] == '/';
}

/* The folder of the line table that the path begins with, `from` that number on. */
static bool has_folder(struct unit *unit, const char *path, size_t from, size_t to)
{
	const char *const *folders;
	Dwarf_Files *files;
	size_t file_count, count;

	if (dwarf_getsrcfiles(&unit->die, &files, &file_count) != 0 ||
	    dwarf_getsrcdirs(files, &folders, &count) != 0)
		return false;
	for (size_t i = from; i < count && i < to; i++)
		if (folders[i] && (from == 0 || folders[i][0] == '/') &&
		    is_inside(path, folders[i]))
			return true;
	return false;
}

void paths_shorten(struct unit *unit, const char *path, enum debuginfo_paths paths,
                   struct cairn_location *location)
{
	const char *slash = strrchr(path, '/'), *folder = NULL;
	Dwarf_Attribute attribute;

	location->file = borrow_path_text(path);
	if (paths == DEBUGINFO_PATH_NAME) {
		location->file = borrow_path_text(slash ? slash + 1 : path);
		return;
	}
	if (dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute))
		folder = dwarf_formstring(&attribute);
	if (!folder)
		return;
	if (paths == DEBUGINFO_PATH_RELATIVE) {
		if (is_inside(path, folder) && !has_folder(unit, path, 1, SIZE_MAX))
			location->file = borrow_path_text(path + strlen(folder) + 1);
	} else if (path[0] != '/' && !has_folder(unit, path, 0, 1)) {
		location->directory = borrow_path_text(folder);
	}
}
