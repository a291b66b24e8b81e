/* SPDX-License-Identifier: MIT */
/* Reads the directories and files of a line table, and joins them to comparable paths. */
#include "lines_parts.h"

#include <string.h>

enum { PATH_USUAL = 256 }; /* bytes of a directory; a longer one counts for each of its files */

static const uint8_t nothing[1];
static const struct cairn_bytes slash = { (const uint8_t *)"/", 1 };

static bool is_absolute(struct cairn_bytes path)
{
	return path.size > 0 && (path.data[0] == '/' || path.data[0] == '\\' ||
	                         (path.size > 2 && path.data[1] == ':' &&
	                          (path.data[2] == '\\' || path.data[2] == '/')));
}

/* `left`/`right`, kept. */
static bool join_path(struct string_store *texts, struct cairn_bytes left, struct cairn_bytes right,
                      struct cairn_bytes *joined)
{
	bool ends = left.size > 0 && left.data[left.size - 1] == '/';
	bool apart = left.size > 0 && right.size > 0 && !ends;
	struct cairn_bytes parts[] = { left, apart ? slash : (struct cairn_bytes){ nothing, 0 },
		                       right };

	return string_store_add(texts, parts, 3, joined);
}

static struct cairn_bytes read_entry_path(const struct lines_source *source,
                                          const struct dwarf_line_entry *entry)
{
	struct cairn_bytes text = { nothing, 0 };

	if (!dwarf_text(source->sections, source->unit, source->bases, &entry->path, &text))
		text = (struct cairn_bytes){ nothing, 0 };
	return text;
}

/*
 * The directory `path` of the table, as seen from where the compiler ran.  In DWARF 5 the first one
 * is that place itself, and is taken as it is.
 */
static bool add_directory(struct lines *lines, const struct lines_source *source,
                          struct cairn_bytes path, bool first)
{
	struct cairn_bytes whole = path;

	if (!budget_room(lines->budget, &lines->directory, &lines->directory_room,
	                 lines->directories + 1, sizeof(*lines->directory)))
		return false;
	if (lines->relative && first)
		whole = (struct cairn_bytes){ nothing, 0 };
	else if (!is_absolute(path) && !first && !lines->relative &&
	         !join_path(source->texts, source->comp_dir, path, &whole))
		return false;
	lines->directory[lines->directories++] = whole;
	return true;
}

/* A name may hold directories of its own: they go to the directory, so that paths are comparable. */
static bool split_name(const struct lines_source *source, struct function_file *file)
{
	size_t base = file->name.size;
	struct cairn_bytes front = { file->name.data, 0 };

	while (base > 0 && file->name.data[base - 1] != '/')
		base--;
	if (base == 0)
		return true;
	front.size = base > 1 ? base - 1 : 1;
	if (is_absolute(file->name))
		file->directory = front;
	else if (!join_path(source->texts, file->directory, front, &file->directory))
		return false;
	file->name.data += base;
	file->name.size -= base;
	return true;
}

/* Writers join directory and name, so that many names in one long directory are much text. */
static bool charge_path(struct lines *lines, const struct function_file *file)
{
	size_t size = file->directory.size > PATH_USUAL ? file->directory.size : 0;

	return budget_memory(lines->budget, size) && budget_text(lines->budget, size) &&
	       budget_charge_text(lines->budget, file->name);
}

static bool append_file(struct lines *lines, struct function_file file)
{
	if (lines->files == UINT32_MAX ||
	    !budget_room(lines->budget, &lines->file, &lines->file_room, lines->files + 1,
	                 sizeof(*lines->file)))
		return false;
	lines->file[lines->files++] = file;
	return true;
}

bool lines_add_file(struct lines *lines, const struct lines_source *source,
                    const struct dwarf_line_entry *entry)
{
	struct function_file file = { { nothing, 0 }, read_entry_path(source, entry) };

	if (!budget_text(lines->budget, file.name.size))
		return false;
	if (entry->directory < lines->directories)
		file.directory = lines->directory[entry->directory];
	return split_name(source, &file) && charge_path(lines, &file) && append_file(lines, file);
}

bool lines_read_files(struct lines *lines, const struct lines_source *source,
                      struct dwarf_line *line)
{
	struct dwarf_line_entry entry;
	struct cairn_bytes empty = { nothing, 0 };

	lines->from_zero = line->unit.version >= 5;
	if (!append_file(lines, (struct function_file){ empty, empty }) ||
	    (!lines->from_zero && !add_directory(lines, source, source->comp_dir, true)))
		return false;
	while (dwarf_next_directory(line, &entry)) {
		struct cairn_bytes path = read_entry_path(source, &entry);
		if (!budget_work(lines->budget, line->directories.formats) ||
		    !budget_text(lines->budget, path.size) ||
		    !add_directory(lines, source, path,
		                   lines->from_zero && lines->directories == 0))
			return false;
	}
	while (dwarf_next_file(line, &entry))
		if (!budget_work(lines->budget, line->files.formats) ||
		    !lines_add_file(lines, source, &entry))
			return false;
	return true;
}

uint32_t lines_file(const struct lines *lines, uint64_t number)
{
	if (lines->from_zero)
		return number < lines->files - (lines->files > 0) ? (uint32_t)number + 1 : 0;
	return number < lines->files ? (uint32_t)number : 0;
}
