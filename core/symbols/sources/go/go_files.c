/* SPDX-License-Identifier: MIT */
/* The files of a Go program by where their paths are in its table. */
#include "go_parts.h"

/* Up to the last slash, and what follows it. */
static struct function_file split_path(struct cairn_bytes path)
{
	size_t name = path.size;

	while (name > 0 && path.data[name - 1] != '/')
		name--;
	return (struct function_file){ .directory = { path.data, name > 1 ? name - 1 : name },
		                       .name = { path.data + name, path.size - name } };
}

/* The key of a path: where it is in the table. */
static uint64_t get_path_key(const struct gopclntab *table, struct cairn_bytes path)
{
	return (uint64_t)(path.data - table->bytes.data) + 1; /* 0 is none */
}

static bool add_file(struct go_functions *functions, struct cairn_bytes path)
{
	struct go_files *files = &functions->files;

	if (path.size == 0 || files->count == GO_FILES_MAX)
		return true;
	struct number_slot *slot =
		number_map_at(&files->map, get_path_key(&functions->program->table, path));
	if (!slot)
		return false;
	if (slot->key)
		return true;
	if (!array_grow(&files->file, &files->room, files->count + 1, sizeof(*files->file)))
		return false;
	slot->key = get_path_key(&functions->program->table, path);
	slot->number = (uint32_t)files->count;
	files->map.count++;
	files->file[files->count++] = split_path(path);
	return true;
}

bool go_functions_read_files(struct go_functions *functions)
{
	const struct gopclntab *table = &functions->program->table;
	struct go_files *files = &functions->files;
	struct cairn_bytes path;

	if (!array_grow(&files->file, &files->room, 1, sizeof(*files->file)))
		return false;
	path = (struct cairn_bytes){ table->bytes.data, 0 };
	files->file[files->count++] = (struct function_file){ path, path };
	for (uint64_t at = 0, i = 0; i <= table->files && gopclntab_next_file(table, &at, &path);
	     i++)
		if (!allowance_draw(&functions->work, 1 + path.size))
			return true;
		else if (!add_file(functions, path))
			return false;
	return true;
}

uint32_t go_functions_file(const struct go_functions *functions,
                           const struct gopclntab_function *function, int32_t value)
{
	const struct gopclntab *table = &functions->program->table;
	struct cairn_bytes path = gopclntab_file(table, function, value);
	uint32_t number;

	return path.size && number_map_find(&functions->files.map, get_path_key(table, path),
	                                    &number)
	               ? number
	               : 0;
}
