/* SPDX-License-Identifier: MIT */
/*
 * Generates the paths of module files and enumerates the candidates for a symbol file, best first.
 */
#include "symbol_path.h"

#include "base/encoding.h"
#include "base/path.h"
#include "cache.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

bool build_id_text(struct cairn_bytes build_id, char text[BUILD_ID_TEXT_MAX])
{
	if (build_id.size < 2 || build_id.size > BUILD_ID_MAX)
		return false;
	hex_encode(build_id, text);
	return true;
}

bool build_id_path(char *path, size_t size, const char *directory, size_t length,
                   struct cairn_bytes build_id, const char *extension)
{
	char text[BUILD_ID_TEXT_MAX];

	if (length > INT_MAX || !build_id_text(build_id, text))
		return false;
	const int written = snprintf(path, size, "%.*s/.build-id/%.2s/%s%s%s", (int)length,
	                             directory, text, text + 2, *extension ? "." : "", extension);
	return written > 0 && (size_t)written < size;
}

bool cairn_build_id_path(struct cairn_bytes build_id, const char *directory, const char *extension,
                         char *path, size_t size)
{
	return build_id_path(path, size, directory, strlen(directory), build_id, extension);
}

enum {
	STAGE_END,
	STAGE_BESIDE,
	STAGE_SYSTEM,
	STAGE_FETCHED,
	STAGE_CACHE,
	STAGE_NAMED, /* this stage and the following ones are repeated for each directory */
	STAGE_TREES,
	STAGE_STORES,
	STAGE_BOTH,
	STAGE_IDS,
};

static const unsigned char all_stages[] = { STAGE_BESIDE,  STAGE_NAMED, STAGE_TREES,
	                                    STAGE_STORES,  STAGE_IDS,   STAGE_SYSTEM,
	                                    STAGE_FETCHED, STAGE_CACHE, STAGE_END },
			   tree_stages[] = { STAGE_BOTH, STAGE_SYSTEM, STAGE_END };

static struct symbol_path begin_search(const unsigned char *stage, const char *binary,
                                       struct cairn_bytes id, const char *directories,
                                       const char *extension)
{
	return (struct symbol_path){ .binary = binary,
		                     .build_id = id,
		                     .directories = directories,
		                     .extension = extension,
		                     .stage = stage,
		                     .rest = directories };
}

struct symbol_path symbol_path(const char *binary, struct cairn_bytes build_id,
                               const char *directories, const char *extension)
{
	return begin_search(all_stages, binary, build_id, directories, extension);
}

struct symbol_path symbol_path_by_id(const char *binary, struct cairn_bytes id,
                                     const char *directories, const char *extension)
{
	return begin_search(all_stages + 2, binary, id, directories, extension);
}

struct symbol_path symbol_path_cached(struct cairn_bytes id, const char *extension)
{
	return begin_search(all_stages + 7, "", id, NULL, extension);
}

struct symbol_path build_id_trees(const char *directories, struct cairn_bytes build_id,
                                  const char *extension)
{
	return begin_search(tree_stages, "", build_id, directories, extension);
}

/*
 * Return the name KIND under which a store provides files with this extension, as in
 * DIRECTORY/buildid/ID/KIND (see os/store.h). Return NULL if stores do not contain such files.
 */
static const char *choose_kind(const char *extension)
{
	static const char *const kinds[][2] = { { "debug", "debuginfo" },
		                                { "", "executable" },
		                                { "gsym", "gsym" },
		                                { "sframe", "sframe" } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(extension, kinds[i][0]) == 0)
			return kinds[i][1];
	return NULL;
}

/*
 * Write the candidate path of a search stage. `directory` is used only in stages that are repeated
 * for each directory.
 */
static bool write_name(struct symbol_path *s, unsigned char stage, struct cairn_bytes directory)
{
	const char *name = (const char *)directory.data, *extension = s->extension;
	const size_t size = sizeof(s->path);
	char cache[OS_CACHE_PATH], id[BUILD_ID_TEXT_MAX];
	int written = -1;

	s->is_system = stage == STAGE_SYSTEM;
	switch (stage) {
	case STAGE_BESIDE:
		written = snprintf(s->path, size, "%s.%s", s->binary, extension);
		break;
	case STAGE_NAMED:
		written = snprintf(s->path, size, "%.*s/%s.%s", (int)directory.size, name,
		                   base_name_text(s->binary), extension);
		break;
	case STAGE_SYSTEM:
		return !s->no_system &&
		       build_id_path(s->path, size, SYSTEM_DEBUG_DIRECTORY,
		                     strlen(SYSTEM_DEBUG_DIRECTORY), s->build_id, extension);
	case STAGE_TREES:
	case STAGE_BOTH:
		return build_id_path(s->path, size, name, directory.size, s->build_id, extension);
	case STAGE_STORES:
		if (choose_kind(extension) && build_id_text(s->build_id, id))
			written = snprintf(s->path, size, "%.*s/buildid/%s/%s", (int)directory.size,
			                   name, id, choose_kind(extension));
		break;
	case STAGE_IDS:
		if (build_id_text(s->build_id, id))
			written = snprintf(s->path, size, "%.*s/%s.%s", (int)directory.size, name,
			                   id, extension);
		break;
	case STAGE_FETCHED:
	case STAGE_CACHE:
		if (stage == STAGE_FETCHED && strcmp(extension, "gsym") != 0)
			break;
		if (!s->no_cache && os_cache_directory(cache) && build_id_text(s->build_id, id))
			written =
				snprintf(s->path, size, "%s/%s.%s", cache, id,
			                 stage == STAGE_FETCHED ? SYMBOL_PATH_FETCHED : extension);
		break;
	}
	return written > 0 && written < SYMBOL_PATH_MAX;
}

bool symbol_path_next(struct symbol_path *search)
{
	while (*search->stage != STAGE_END) {
		struct cairn_bytes directory = search->store;
		unsigned char stage = *search->stage;
		if (stage < STAGE_NAMED) {
			search->stage++;
			search->rest = search->directories;
		} else if (directory.size > 0) {
			stage = STAGE_STORES;
			search->store.size = 0;
		} else if (!directory_list_next(&search->rest, &directory)) {
			search->stage++;
			search->rest = search->directories;
			continue;
		}
		if (!write_name(search, stage, directory))
			continue;
		if (stage == STAGE_BOTH)
			search->store = directory;
		return true;
	}
	return false;
}
