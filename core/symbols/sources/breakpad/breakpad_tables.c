/* SPDX-License-Identifier: MIT */
/* Collects the FILE and INLINE_ORIGIN records of a Breakpad file and resolves their numbers. */
#include "breakpad_parts.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t *find_last_byte(struct cairn_bytes text, uint8_t c)
{
	for (size_t i = text.size; i > 0; i--)
		if (text.data[i - 1] == c)
			return text.data + i - 1;
	return NULL;
}

/*
 * A path in two parts that cairn_location_path() joins to the same again: the separator falls away,
 * but for one that is all of the directory.  Paths that would not come out right are not parted.
 */
static struct function_file split_path(struct cairn_bytes path)
{
	const uint8_t *cut = find_last_byte(path, '/');
	struct function_file file = { { path.data, 0 }, path };

	if (!cut)
		cut = find_last_byte(path, '\\');
	if (!cut)
		return file;
	size_t directory = (size_t)(cut - path.data);
	bool is_root = directory == 0;
	bool doubled = directory > 0 && cut[-1] == *cut;
	if (doubled || directory + 1 == path.size || (is_root && *cut == '\\'))
		return file;
	file.directory.size = is_root ? 1 : directory;
	file.name = (struct cairn_bytes){ cut + 1, path.size - directory - 1 };
	return file;
}

/* False when memory is short.  What comes twice stays as it was. */
static bool add_breakpad_file(struct breakpad_tables *t, uint64_t number, struct cairn_bytes path)
{
	struct number_slot *slot = number_map_at(&t->file_map, number + 1);

	if (!slot || !array_grow(&t->file, &t->file_room, t->files + 1, sizeof(*t->file)))
		return false;
	if (slot->key != 0)
		return true;
	*slot = (struct number_slot){ number + 1, (uint32_t)t->files };
	t->file_map.count++;
	t->file[t->files++] = split_path(path);
	return true;
}

/* The number of its file is kept until all files are known. */
static bool add_origin(struct breakpad_tables *t, const struct breakpad_record *record)
{
	struct number_slot *slot = number_map_at(&t->origin_map, (uint64_t)record->origin + 1);

	if (!slot || !array_grow(&t->origin, &t->origin_room, t->origins + 1, sizeof(*t->origin)))
		return false;
	if (slot->key != 0)
		return true;
	*slot = (struct number_slot){ (uint64_t)record->origin + 1, (uint32_t)t->origins };
	t->origin_map.count++;
	t->origin[t->origins++] = (struct breakpad_origin){ record->name, record->file };
	return true;
}

static bool add_special_files(struct breakpad_tables *t)
{
	static const struct cairn_bytes unknown = { (const uint8_t *)"??", 2 };
	static const struct cairn_bytes empty = { (const uint8_t *)"", 0 };

	if (!array_grow(&t->file, &t->file_room, t->files + 2, sizeof(*t->file)))
		return false;
	t->file[t->files++] = (struct function_file){ empty, empty };
	t->unknown_file = (uint32_t)t->files;
	t->file[t->files++] = (struct function_file){ empty, unknown };
	return true;
}

enum cairn_status breakpad_tables_init(struct breakpad_tables *t, struct cairn_bytes bytes,
                                       struct polling *polling)
{
	struct breakpad in = breakpad_open(bytes);
	struct breakpad_record record;

	bool good = add_special_files(t);
	while (good && breakpad_next(&in, &record)) {
		polling_count(polling, 1);
		if (record.kind == BREAKPAD_FILE)
			good = t->files < UINT32_MAX &&
			       add_breakpad_file(t, record.file, record.name);
		else if (record.kind == BREAKPAD_ORIGIN)
			good = t->origins < UINT32_MAX && add_origin(t, &record);
	}
	for (size_t i = 0; good && i < t->origins; i++)
		t->origin[i].file = breakpad_file_index(t, t->origin[i].file);
	return good ? CAIRN_OK : CAIRN_NO_MEMORY;
}

void breakpad_tables_finish(struct breakpad_tables *t)
{
	free(t->file);
	free(t->file_map.slot);
	free(t->origin);
	free(t->origin_map.slot);
	*t = (struct breakpad_tables){ .files = 0 };
}

uint32_t breakpad_file_index(const struct breakpad_tables *t, uint64_t number)
{
	uint32_t index;

	return number_map_find(&t->file_map, (uint64_t)number + 1, &index) ? index : 0;
}

const struct breakpad_origin *breakpad_origin(const struct breakpad_tables *t, uint32_t number)
{
	uint32_t index;

	return number_map_find(&t->origin_map, (uint64_t)number + 1, &index) ? &t->origin[index]
	                                                                     : NULL;
}
