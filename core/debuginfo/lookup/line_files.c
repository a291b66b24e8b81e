/* SPDX-License-Identifier: MIT */
/* Reads the directories and files of one line table, and joins the path of a file on demand. */
#include "line_files.h"

#include <stdlib.h>

static const uint8_t nothing[1];

static struct cairn_bytes read_entry_text(const struct dwarf_line *line,
                                          const struct dwarf_line_entry *entry)
{
	const struct dwarf_bases bases = { 0 };
	struct cairn_bytes text = { nothing, 0 };

	if (!dwarf_text(line->sections, &line->unit, &bases, &entry->path, &text))
		text = (struct cairn_bytes){ nothing, 0 };
	return text;
}

static bool add_directory(struct line_files *files, struct cairn_bytes path, struct budget *budget)
{
	if (!budget_text(budget, path.size) ||
	    !budget_room(budget, &files->directory, &files->directory_room, files->directories + 1,
	                 sizeof(path)))
		return false;
	files->directory[files->directories++] = path;
	return true;
}

bool line_files_add(struct line_files *files, const struct dwarf_line *line,
                    const struct dwarf_line_entry *entry, struct budget *budget)
{
	struct line_file file = { .name = read_entry_text(line, entry),
		                  .directory = entry->directory };

	if (!budget_text(budget, file.name.size) ||
	    !budget_room(budget, &files->file, &files->file_room, files->files + 1, sizeof(file)))
		return false;
	files->file[files->files++] = file;
	return true;
}

bool line_files_read(struct line_files *files, struct dwarf_line *line, struct cairn_bytes comp_dir,
                     struct budget *budget)
{
	struct dwarf_line_entry entry;

	*files = (struct line_files){ .first = line->unit.version < 5 };
	if (line->unit.version < 5 && !add_directory(files, comp_dir, budget))
		return false;
	while (dwarf_next_directory(line, &entry))
		if (!budget_work(budget, line->directories.formats) ||
		    !add_directory(files, read_entry_text(line, &entry), budget))
			return false;
	while (dwarf_next_file(line, &entry))
		if (!budget_work(budget, line->files.formats) ||
		    !line_files_add(files, line, &entry, budget))
			return false;
	return true;
}

void line_files_finish(struct line_files *files)
{
	free(files->directory);
	free(files->file);
	*files = (struct line_files){ .file = NULL };
}

static bool is_absolute(struct cairn_bytes path)
{
	return path.size > 0 && (path.data[0] == '/' || path.data[0] == '\\' ||
	                         (path.size > 2 && path.data[1] == ':' &&
	                          (path.data[2] == '\\' || path.data[2] == '/')));
}

/* The directory with what separates it from a name; empty when it is not known, or not needed. */
static struct cairn_bytes find_directory(const struct line_files *files,
                                         const struct line_file *file)
{
	if (file->directory >= files->directories || is_absolute(file->name))
		return (struct cairn_bytes){ nothing, 0 };
	return files->directory[file->directory];
}

struct cairn_bytes line_files_path(struct line_files *files, uint64_t number,
                                   struct string_store *texts)
{
	if (number < files->first || number - files->first >= files->files)
		return (struct cairn_bytes){ nothing, 0 };
	struct line_file *file = &files->file[number - files->first];
	struct cairn_bytes directory = find_directory(files, file);
	bool apart = directory.size > 0 && directory.data[directory.size - 1] != '/';
	struct cairn_bytes parts[] = { directory,
		                       apart ? TEXT("/") : (struct cairn_bytes){ nothing, 0 },
		                       file->name };

	if (!file->path.data && !string_store_add(texts, parts, 3, &file->path))
		file->path = (struct cairn_bytes){ nothing, 0 };
	return file->path;
}
