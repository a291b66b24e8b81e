/* SPDX-License-Identifier: MIT */
/* Finds the SFrame table that was made for a module, by the rules of files of symbols. */
#include "module_files.h"

#include "base/fault.h"
#include "symbol_path.h"

#include "formats/elf/elf.h"
#include "os/file/file.h"

#include <stdio.h>
#include <string.h>

enum { SFRAME_FILE_ID_MAX = 64 }; /* bytes of a build ID */

struct search {
	struct cairn_space *space;
	uint64_t pc;
	struct cairn_bytes build_id;
	const char *directories;
	bool no_system, no_cache;
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
	places.no_system = s->no_system;
	places.no_cache = s->no_cache;
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

enum cairn_status cairn_sframe_file_find(struct cairn_space *space, uint64_t pc,
                                         const struct cairn_sframe_search *search, char *path,
                                         size_t size)
{
	uint8_t id[SFRAME_FILE_ID_MAX];
	struct cairn_module module;
	const char *binary = search ? search->binary : NULL;
	const char *folders = search ? search->folders : NULL;
	const bool is_whole = search && search->size >= sizeof(*search);
	struct search s = { .space = space,
		            .pc = pc,
		            .build_id = { id, 0 },
		            .directories = folders,
		            .no_system = is_whole && search->no_system_folders,
		            .no_cache = is_whole && search->no_cache,
		            .path = path,
		            .size = size };

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

/* Is it what `cairn sframe create` makes: an ELF file with a table? */
static enum cairn_status check_file(struct cairn_bytes bytes, struct cairn_fault *fault)
{
	struct elf_section section;
	struct elf elf;
	enum cairn_status status = elf_open(bytes, &elf, fault);

	if (status != CAIRN_OK || elf_find_section(&elf, ".sframe", &section))
		return status;
	return fault_set(fault, CAIRN_NOT_FOUND, "no .sframe in the file");
}

bool cairn_sframe_file_belongs(const char *path, struct cairn_bytes build_id)
{
	struct cairn_fault fault;
	struct os_file file;

	if (os_file_open_regular(path, &file) != 0)
		return false;
	const bool belongs =
		check_file(file.bytes, &fault) == CAIRN_OK && elf_is_of_build(file.bytes, build_id);
	os_file_close(&file);
	return belongs;
}

enum cairn_status cairn_sframe_file_locate(const char *binary, struct cairn_bytes build_id,
                                           const char *directories, char *path, size_t size)
{
	struct symbol_path places = symbol_path(binary, build_id, directories, "sframe");

	while (symbol_path_next(&places))
		if (cairn_sframe_file_belongs(places.path, build_id)) {
			snprintf(path, size, "%s", places.path);
			return CAIRN_OK;
		}
	return CAIRN_NOT_FOUND;
}

enum cairn_status cairn_sframe_file_add(struct cairn_space *space, const char *path,
                                        size_t *modules, struct cairn_fault *fault)
{
	struct cairn_module module;
	struct cairn_fault ignored;
	struct os_file file;
	size_t at = 0;
	const int error = os_file_open_regular(path, &file);

	*modules = 0;
	if (error) {
		return fault_set(fault, CAIRN_UNREADABLE, "cannot be read");
	}
	const enum cairn_status status = check_file(file.bytes, fault);
	while (status == CAIRN_OK && cairn_space_next_module(space, &at, &module)) {
		if (module.build_id.size == 0 || !elf_is_of_build(file.bytes, module.build_id))
			continue;
		const enum cairn_status given =
			cairn_space_give_sframe(space, module.low, file.bytes, &ignored);
		*modules += given == CAIRN_OK || given == CAIRN_NOT_FOUND;
	}
	os_file_close(&file);
	return status;
}
