/* SPDX-License-Identifier: MIT */
/* Makes the names of files in a tree of build IDs. */
#include "build_id_path.h"

#include "base/directory_list.h"
#include "base/hex.h"

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

bool build_id_path(char *path, size_t size, const char *folder, size_t length,
                   struct cairn_bytes build_id, const char *extension)
{
	char text[BUILD_ID_TEXT_MAX];

	if (length > INT_MAX || !build_id_text(build_id, text))
		return false;
	const int written = snprintf(path, size, "%.*s/.build-id/%.2s/%s%s%s", (int)length, folder,
	                             text, text + 2, *extension ? "." : "", extension);
	return written > 0 && (size_t)written < size;
}

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

bool build_id_store_path(char *path, size_t size, const char *folder, size_t length,
                         struct cairn_bytes build_id, const char *extension)
{
	const char *kind = choose_kind(extension);
	char text[BUILD_ID_TEXT_MAX];

	if (!kind || length > INT_MAX || !build_id_text(build_id, text))
		return false;
	const int written =
		snprintf(path, size, "%.*s/buildid/%s/%s", (int)length, folder, text, kind);
	return written > 0 && (size_t)written < size;
}

bool cairn_build_id_path(struct cairn_bytes build_id, const char *folder, const char *extension,
                         char *path, size_t size)
{
	return build_id_path(path, size, folder, strlen(folder), build_id, extension);
}

struct build_id_trees build_id_trees(const char *folders, struct cairn_bytes build_id,
                                     const char *extension)
{
	return (struct build_id_trees){ .build_id = build_id,
		                        .extension = extension,
		                        .rest = folders };
}

bool build_id_trees_next(struct build_id_trees *trees)
{
	struct cairn_bytes folder;

	if (trees->store) {
		const char *store = trees->store;
		trees->store = NULL;
		if (build_id_store_path(trees->path, sizeof(trees->path), store, trees->store_size,
		                        trees->build_id, trees->extension))
			return true;
	}
	while (directory_list_next(&trees->rest, &folder)) {
		const char *name = (const char *)folder.data;
		if (build_id_path(trees->path, sizeof(trees->path), name, folder.size,
		                  trees->build_id, trees->extension)) {
			trees->store = name;
			trees->store_size = folder.size;
			return true;
		}
	}
	if (trees->is_last)
		return false;
	trees->is_last = true;
	return build_id_path(trees->path, sizeof(trees->path), SYSTEM_DEBUG_FOLDER,
	                     strlen(SYSTEM_DEBUG_FOLDER), trees->build_id, trees->extension);
}
