/* SPDX-License-Identifier: MIT */
/* Finds the SFrame table that was made for a module, by the rules of files of symbols. */
#include "module_files.h"
#include "symbol_path.h"

#include "os/file/file.h"

#include <stdio.h>
#include <string.h>

enum { SFRAME_FILE_ID_MAX = 64 }; /* bytes of a build ID */

struct search {
	struct cairn_space *space;
	uint64_t pc;
	struct cairn_bytes build_id;
	const char *directories;
	char *path;
	size_t size;
	bool found;
};

/* The file is copied: nothing that happens to it meanwhile reaches the host. */
static void try_file(struct search *s, const char *path)
{
	struct cairn_fault fault;
	struct os_file file;

	if (s->found || os_file_open_regular(path, &file) != 0)
		return;
	s->found = cairn_space_give_sframe(s->space, s->pc, file.bytes, &fault) == CAIRN_OK;
	if (s->found)
		snprintf(s->path, s->size, "%s", path);
	os_file_close(&file);
}

/* The places for one path of the binary. */
static void try_binary(void *context, const char *binary)
{
	struct search *s = context;
	struct symbol_path places;

	if (s->found || strlen(binary) >= MODULE_PATH_MAX)
		return;
	places = symbol_path(binary, s->build_id, s->directories, "sframe");
	while (!s->found && symbol_path_next(&places))
		try_file(s, places.path);
}

/* What lies beside it alone: the other places were looked at. */
static void try_beside(void *context, const char *binary)
{
	char path[MODULE_PATH_MAX + sizeof(".sframe")];
	struct search *s = context;

	if (!s->found && binary[0] == '/' && strlen(binary) < MODULE_PATH_MAX) {
		snprintf(path, sizeof(path), "%s.sframe", binary);
		try_file(s, path);
	}
}

enum cairn_status cairn_sframe_file_find(struct cairn_space *space, uint64_t pc, const char *binary,
                                         const char *directories, char *path, size_t size)
{
	uint8_t id[SFRAME_FILE_ID_MAX];
	struct cairn_module module;
	struct search s = { space, pc, { id, 0 }, directories, path, size, false };

	if (cairn_space_module(space, pc, &module) != CAIRN_OK || module.build_id.size > sizeof(id))
		return CAIRN_NOT_FOUND;
	/* its pointers are good until the next call on the space */
	const uint64_t low = module.low;
	char name[MODULE_PATH_MAX] = "/";
	if (module.build_id.size > 0)
		memcpy(id, module.build_id.data, module.build_id.size);
	s.build_id.size = module.build_id.size;
	if (binary || (module.name && module.name[0] == '/'))
		snprintf(name, sizeof(name), "%s", binary ? binary : module.name);
	try_binary(&s, name);
	if (!binary && !s.found) {
		module_paths_traced(low, try_beside, &s);
		module_paths_open(try_beside, &s);
	}
	return s.found ? CAIRN_OK : CAIRN_NOT_FOUND;
}
