/* SPDX-License-Identifier: MIT */
/* Opens symbfiles for lookups, and reads, builds and caches their index. */
#include "session.h"

#include "base/fileid.h"
#include "os/cache/cache.h"
#include "os/file/atomic_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Record the modification time. It reveals a change that affects neither the size nor the ends of
 * the file.
 */
static void add_time(const char *path, struct symbfile_source *source)
{
	struct stat status;

	if (stat(path, &status) == 0) {
		source->mtime_seconds = (uint64_t)status.st_mtim.tv_sec;
		source->mtime_nanoseconds = (uint64_t)status.st_mtim.tv_nsec;
	}
}

static bool open_files(struct symbfile_session *s, const struct option_words *paths)
{
	for (size_t i = 0; i < paths->count; i++) {
		const char *path = paths->word[i];
		if (!input_open_unpacked(path, &s->file[i]))
			return false;
		s->path[i] = path;
		s->count++;
		s->source[i] = symbfile_source_of(s->file[i].bytes);
		add_time(path, &s->source[i]);
		s->use_cache &= strcmp(path, "-") != 0;
		struct symbfile file = symbfile_open(s->file[i].bytes);
		if (file.code != SYMBFILE_VALID) {
			struct cairn_fault fault = symbfile_fault(&file);
			print_fault_diagnostic(path, NULL, &fault, NULL);
			return false;
		}
	}
	return true;
}

/*
 * Name the cached file after the contents of the sources. The file itself records details of the
 * sources, which tell whether it is still valid.
 */
static bool name_cache(struct symbfile_session *s)
{
	char folder[OS_CACHE_PATH], hex[FILEID_HEX_SIZE];
	uint8_t ids[SYMBFILE_FILES_MAX * sizeof(s->source[0].id)];

	if (!os_cache_folder(folder))
		return false;
	for (size_t i = 0; i < s->count; i++)
		memcpy(ids + i * sizeof(s->source[i].id), s->source[i].id, sizeof(s->source[i].id));
	struct fileid id =
		fileid_of((struct cairn_bytes){ ids, s->count * sizeof(s->source[0].id) });
	fileid_to_hex(&id, hex);
	int size = snprintf(s->cache_path, sizeof(s->cache_path), "%s/%s.symindex", folder, hex);
	return size > 0 && (size_t)size < sizeof(s->cache_path);
}

static bool open_cache(struct symbfile_session *s)
{
	if (os_file_open_regular(s->cache_path, &s->cache) != 0)
		return false;
	s->from_cache =
		symbfile_index_open(s->cache.bytes, s->source, s->count, &s->index) == CAIRN_OK;
	if (!s->from_cache) {
		os_file_close(&s->cache);
		s->cache = (struct os_file){ .memory = NULL };
	}
	return s->from_cache;
}

/* Write the index to the cache. A failure only costs time, so it is not reported. */
static void write_index_cache(const struct symbfile_session *s)
{
	static const uint8_t zeros[8];
	struct symbfile_index_parts parts;
	struct cairn_bytes part[1 + 2 * SYMBFILE_INDEX_SECTIONS];
	char folder[OS_CACHE_PATH];
	size_t count = 0;

	if (!os_cache_folder(folder) || os_make_folders(folder) != 0)
		return;
	symbfile_index_layout(&s->index, s->source, s->count, &parts);
	part[count++] = (struct cairn_bytes){ (const uint8_t *)&parts.head, sizeof(parts.head) };
	for (size_t i = 0; i < SYMBFILE_INDEX_SECTIONS; i++) {
		part[count++] = parts.part[i];
		part[count++] = (struct cairn_bytes){ zeros, (8 - parts.part[i].size % 8) % 8 };
	}
	if (os_atomic_file_replace(s->cache_path, part, count) != 0)
		return;
}

/*
 * Report damaged files, and return true if all files are intact. The records before the damage are
 * used.
 */
static bool report_session_faults(const struct symbfile_session *s)
{
	bool sound = true;

	for (size_t i = 0; i < s->count; i++)
		if (s->built.fault[i].status != CAIRN_OK) {
			print_fault_diagnostic(s->path[i], NULL, &s->built.fault[i],
			                       "the part before it is used");
			sound = false;
		}
	return sound;
}

static bool make_index(struct symbfile_session *s, int *status)
{
	struct cairn_bytes files[SYMBFILE_FILES_MAX];

	for (size_t i = 0; i < s->count; i++)
		files[i] = s->file[i].bytes;
	enum cairn_status built = symbfile_build(files, s->count, NULL, &s->built);
	if (built != CAIRN_OK) {
		*status = fail_with(s->path[0],
		                    built == CAIRN_NO_MEMORY
		                            ? "out of memory"
		                            : "its ranges overlap too much to be indexed");
		return false;
	}
	s->index = s->built.index;
	bool sound = report_session_faults(s);
	if (sound && s->use_cache)
		write_index_cache(s);
	if (!sound)
		*status = EXIT_BROKEN;
	return true;
}

bool symbfile_session_open(const struct option_words *paths, bool use_cache,
                           struct symbfile_session *s, int *status)
{
	memset(s, 0, sizeof(*s));
	s->use_cache = use_cache;
	*status = EXIT_CLEAN;
	if (!open_files(s, paths)) {
		*status = EXIT_BROKEN;
		symbfile_session_close(s);
		return false;
	}
	s->use_cache = s->use_cache && name_cache(s);
	if (s->use_cache && open_cache(s))
		return true;
	if (make_index(s, status))
		return true;
	symbfile_session_close(s);
	return false;
}

void symbfile_session_close(struct symbfile_session *s)
{
	symbfile_built_free(&s->built);
	os_file_close(&s->cache);
	for (size_t i = 0; i < s->count; i++)
		os_file_close(&s->file[i]);
}
