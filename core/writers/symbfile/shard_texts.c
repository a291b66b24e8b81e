/* SPDX-License-Identifier: MIT */
/* Numbers the texts of one shard: names as they are, files as whole paths. */
#include "trees.h"

#include "base/memory_soon.h"

enum { PATH_ROOM = 8192 }; /* longer paths are cut */

static size_t find_seen(struct cairn_bytes text)
{
	return ((uintptr_t)text.data ^ (uintptr_t)text.data >> 16) % MAKER_SEEN;
}

void shard_text_soon(const struct symbfile_shard *shard, struct cairn_bytes text)
{
	memory_soon(&shard->seen[find_seen(text)], 0);
}

uint32_t shard_text(struct symbfile_shard *shard, struct cairn_bytes text)
{
	size_t at = find_seen(text);
	struct maker_seen_text *seen = &shard->seen[at];
	bool *written = &shard->seen_written[at / MAKER_SEEN_PART];

	if (*written && text.size > 0 && seen->data == text.data && seen->size == text.size)
		return seen->number;
	uint32_t number = string_pool_add(&shard->pool, text);
	if (number == STRING_POOL_FULL) {
		shard->out_of_memory = true;
		return 0;
	}
	*seen = (struct maker_seen_text){ text.data, text.size, number };
	*written = true;
	return number;
}

static uint32_t intern_path(struct symbfile_shard *shard, const struct function_file *file)
{
	char path[PATH_ROOM];
	struct cairn_location location = { .directory = file->directory, .file = file->name };
	size_t size = cairn_location_path(&location, path, sizeof(path));

	if (size >= sizeof(path))
		size = sizeof(path) - 1;
	uint32_t number =
		string_pool_add(&shard->pool, (struct cairn_bytes){ (const uint8_t *)path, size });
	shard->out_of_memory |= number == STRING_POOL_FULL;
	return number;
}

uint32_t shard_file(struct symbfile_shard *shard, const struct function *function, uint32_t file)
{
	static const struct function_file none = { { (const uint8_t *)"", 0 },
		                                   { (const uint8_t *)"", 0 } };

	/* an empty text means that it is not known: none at all would mean that of the frame around
	 */
	if (file == 0 || file >= function->file_count)
		return intern_path(shard, &none);
	if (!file_map_begin(&shard->file, function)) {
		shard->out_of_memory = true;
		return 0;
	}
	uint32_t *path = &shard->file.number[file];
	if (*path == FILE_MAP_NONE)
		*path = intern_path(shard, &function->files[file]);
	return *path;
}
