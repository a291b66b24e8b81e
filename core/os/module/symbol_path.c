/* SPDX-License-Identifier: MIT */
/* Enumerates the candidate paths of a symbol file for a binary, best first. */
#include "symbol_path.h"

#include "base/base_name.h"
#include "base/directory_list.h"
#include "os/cache/cache.h"

#include "build_id_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	STAGE_BESIDE,
	STAGE_NAMED,
	STAGE_TREES,
	STAGE_STORES,
	STAGE_IDS,
	STAGE_SYSTEM,
	STAGE_FETCHED,
	STAGE_CACHE,
	STAGE_END
};

struct symbol_path symbol_path(const char *binary, struct cairn_bytes build_id,
                               const char *directories, const char *extension)
{
	return (struct symbol_path){ .binary = binary,
		                     .build_id = build_id,
		                     .directories = directories,
		                     .extension = extension,
		                     .rest = directories };
}

struct symbol_path symbol_path_by_id(const char *binary, struct cairn_bytes id,
                                     const char *directories, const char *extension)
{
	struct symbol_path search = symbol_path(binary, id, directories, extension);

	search.stage = STAGE_TREES;
	return search;
}

struct symbol_path symbol_path_cached(struct cairn_bytes id, const char *extension)
{
	return (struct symbol_path){
		.binary = "", .build_id = id, .extension = extension, .stage = STAGE_CACHE
	};
}

static bool fits_symbol_path(int length)
{
	return length > 0 && length < SYMBOL_PATH_MAX;
}

static bool write_tree(struct symbol_path *s, const char *directory, int length)
{
	return build_id_path(s->path, sizeof(s->path), directory, (size_t)length, s->build_id,
	                     s->extension);
}

static bool write_cache(struct symbol_path *s, const char *extension)
{
	char folder[OS_CACHE_PATH], hex[BUILD_ID_TEXT_MAX];

	return os_cache_folder(folder) && build_id_text(s->build_id, hex) &&
	       fits_symbol_path(
		       snprintf(s->path, sizeof(s->path), "%s/%s.%s", folder, hex, extension));
}

static bool write_in_directory(struct symbol_path *s, const char *directory, int length)
{
	char hex[BUILD_ID_TEXT_MAX];

	if (s->stage == STAGE_TREES)
		return write_tree(s, directory, length);
	if (s->stage == STAGE_STORES)
		return build_id_store_path(s->path, sizeof(s->path), directory, (size_t)length,
		                           s->build_id, s->extension);
	if (s->stage == STAGE_IDS)
		return build_id_text(s->build_id, hex) &&
		       fits_symbol_path(snprintf(s->path, sizeof(s->path), "%.*s/%s.%s", length,
		                                 directory, hex, s->extension));
	return fits_symbol_path(snprintf(s->path, sizeof(s->path), "%.*s/%s.%s", length, directory,
	                                 base_name_text(s->binary), s->extension));
}

/* One name of a stage that has just one. */
static bool write_single(struct symbol_path *s)
{
	switch (s->stage++) {
	case STAGE_BESIDE:
		return fits_symbol_path(
			snprintf(s->path, sizeof(s->path), "%s.%s", s->binary, s->extension));
	case STAGE_SYSTEM:
		return !s->no_system &&
		       write_tree(s, SYSTEM_DEBUG_FOLDER, (int)strlen(SYSTEM_DEBUG_FOLDER));
	case STAGE_FETCHED:
		return strcmp(s->extension, "gsym") == 0 && write_cache(s, SYMBOL_PATH_FETCHED);
	case STAGE_CACHE:
		return write_cache(s, s->extension);
	}
	return false;
}

bool symbol_path_next(struct symbol_path *search)
{
	struct cairn_bytes directory;

	while (search->stage < (search->no_cache ? STAGE_FETCHED : STAGE_END)) {
		bool many = search->stage >= STAGE_NAMED && search->stage <= STAGE_IDS;
		if (!many) {
			if (write_single(search))
				return true;
		} else if (!directory_list_next(&search->rest, &directory)) {
			search->stage++;
			search->rest = search->directories;
		} else if (write_in_directory(search, (const char *)directory.data,
		                              (int)directory.size)) {
			return true;
		}
	}
	return false;
}

bool library_path_next(struct library_path *search)
{
	/* of Debian for each machine, and of other systems; a build ID tells libraries of two machines apart */
	static const char *const folders[] = {
		"/usr/lib/x86_64-linux-gnu",
		"/lib/x86_64-linux-gnu",
		"/usr/lib/aarch64-linux-gnu",
		"/lib/aarch64-linux-gnu",
		"/usr/lib/i386-linux-gnu",
		"/lib/i386-linux-gnu",
		"/usr/lib/arm-linux-gnueabihf",
		"/lib/arm-linux-gnueabihf",
		"/usr/lib/riscv64-linux-gnu",
		"/lib/riscv64-linux-gnu",
		"/usr/lib/powerpc64le-linux-gnu",
		"/lib/powerpc64le-linux-gnu",
		"/usr/lib/s390x-linux-gnu",
		"/lib/s390x-linux-gnu",
		"/usr/lib64",
		"/lib64",
		"/usr/lib",
		"/lib",
		"/usr/local/lib64",
		"/usr/local/lib",
	};
	const struct cairn_bytes name = search->name;
	const char *root = search->sysroot ? search->sysroot : "";
	struct cairn_bytes directory;

	if (name.size == 0 || name.size >= SYMBOL_PATH_MAX || memchr(name.data, '/', name.size) ||
	    memchr(name.data, '\0', name.size))
		return false;
	while (directory_list_next(&search->directories, &directory))
		if (fits_symbol_path(snprintf(search->path, sizeof(search->path), "%.*s/%.*s",
		                              (int)directory.size, (const char *)directory.data,
		                              (int)name.size, (const char *)name.data)))
			return true;
	while (!search->no_system && search->at < sizeof(folders) / sizeof(*folders))
		if (fits_symbol_path(snprintf(search->path, sizeof(search->path), "%s%s/%.*s", root,
		                              folders[search->at++], (int)name.size,
		                              (const char *)name.data)))
			return true;
	return false;
}
