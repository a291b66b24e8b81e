/* SPDX-License-Identifier: MIT */
/* Finds build IDs by their beginning. */
#include "debug_ids.h"

#include "base/directory_list.h"
#include "base/hex.h"
#include "formats/elf/elf.h"
#include "os/file/file.h"
#include "os/module/symbol_path.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FOLDER_PATH = 4096,
	FILES_MAX = 1 << 16, /* of a folder of a tree that are looked at */
};

static struct debug_id make_debug_id(struct cairn_bytes build_id)
{
	struct debug_id id = { .size = 0 };

	if (build_id.size == 0 || build_id.size > QUERY_ID_MAX)
		return id;
	memcpy(id.build_id, build_id.data, build_id.size);
	memcpy(id.debug_id, build_id.data,
	       build_id.size < QUERY_DEBUG_ID ? build_id.size : QUERY_DEBUG_ID);
	id.size = (uint8_t)build_id.size;
	return id;
}

static struct debug_id read_program_id(const char *path)
{
	struct debug_id id = { .size = 0 };
	struct os_file file;
	struct elf elf;

	if (os_file_open_regular(path, &file) != 0)
		return id;
	if (elf_opens(file.bytes, &elf))
		id = make_debug_id(elf_build_id(&elf));
	os_file_close(&file);
	return id;
}

void debug_ids_open(const struct worker_options *options, struct debug_ids *ids)
{
	*ids = (struct debug_ids){ .next = 0 };
	ids->program = calloc(options->program_count + 1, sizeof(*ids->program));
	for (size_t i = 0; ids->program && i < options->program_count; i++)
		ids->program[ids->program_count++] = read_program_id(options->programs[i]);
}

static const struct debug_id *search_ids(const struct debug_id *id, size_t count,
                                         const uint8_t debug_id[QUERY_DEBUG_ID])
{
	for (size_t i = 0; i < count; i++)
		if (id[i].size > 0 && memcmp(id[i].debug_id, debug_id, QUERY_DEBUG_ID) == 0)
			return &id[i];
	return NULL;
}

/* The digits of a build ID, but for `known` bytes that are those of the debug ID, and an ending or none: "cdef0123.debug". */
static bool read_file_name(const char *name, const uint8_t debug_id[QUERY_DEBUG_ID], size_t known,
                           struct debug_id *id)
{
	uint8_t build_id[QUERY_ID_MAX];
	const size_t digits = strcspn(name, ".");

	if (digits % 2 != 0 || digits / 2 + known > QUERY_ID_MAX)
		return false;
	memcpy(build_id, debug_id, known);
	if (!hex_read((struct cairn_bytes){ (const uint8_t *)name, digits }, build_id + known,
	              digits / 2))
		return false;
	*id = make_debug_id((struct cairn_bytes){ build_id, digits / 2 + known });
	return memcmp(id->debug_id, debug_id, QUERY_DEBUG_ID) == 0;
}

static bool search_folder(const char *path, const uint8_t debug_id[QUERY_DEBUG_ID], size_t known,
                          struct debug_id *found)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	bool is_found = false;

	for (unsigned i = 0; folder && !is_found && i < FILES_MAX && (entry = readdir(folder)); i++)
		is_found = read_file_name(entry->d_name, debug_id, known, found);
	if (folder)
		closedir(folder);
	return is_found;
}

/* A tree of build IDs, whose folders are named by the first byte; a store; files that are named by whole build IDs. */
static bool search_folders_of(const char *folder, size_t size,
                              const uint8_t debug_id[QUERY_DEBUG_ID], struct debug_id *found)
{
	const struct cairn_bytes beginning = { debug_id, 2 };
	char path[FOLDER_PATH];

	if (size > FOLDER_PATH / 2 ||
	    !build_id_path(path, sizeof(path), folder, size, beginning, ""))
		return false;
	*strrchr(path, '/') = '\0';
	if (search_folder(path, debug_id, 1, found))
		return true;
	snprintf(path, sizeof(path), "%.*s/buildid", (int)size, folder);
	if (search_folder(path, debug_id, 0, found))
		return true;
	snprintf(path, sizeof(path), "%.*s", (int)size, folder);
	return search_folder(path, debug_id, 0, found);
}

static bool search_trees(const char *folders, const uint8_t debug_id[QUERY_DEBUG_ID],
                         struct debug_id *found)
{
	struct cairn_bytes folder;

	while (directory_list_next(&folders, &folder))
		if (search_folders_of((const char *)folder.data, folder.size, debug_id, found))
			return true;
	return false;
}

size_t debug_ids_find(struct debug_ids *ids, const char *folders,
                      const uint8_t debug_id[QUERY_DEBUG_ID], uint8_t build_id[QUERY_ID_MAX])
{
	const struct debug_id *known = search_ids(ids->program, ids->program_count, debug_id);
	struct debug_id found;

	if (!known)
		known = search_ids(ids->known, DEBUG_IDS_KNOWN, debug_id);
	if (!known && search_trees(folders, debug_id, &found)) {
		ids->known[ids->next] = found;
		known = &ids->known[ids->next];
		ids->next = (ids->next + 1) % DEBUG_IDS_KNOWN;
	}
	memcpy(build_id, known ? known->build_id : debug_id, known ? known->size : QUERY_DEBUG_ID);
	return known ? known->size : QUERY_DEBUG_ID;
}
