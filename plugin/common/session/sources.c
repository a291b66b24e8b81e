/* SPDX-License-Identifier: MIT */
/*
 * Opens the symbol files of modules, caches them between commands, and records the objects that the
 * debugger has.
 */
#include "sources.h"

#include "common/base/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct source_id source_id(struct cairn_bytes build_id)
{
	struct source_id id = { .size = build_id.size < SOURCES_ID ? build_id.size : SOURCES_ID };

	if (id.size > 0)
		memcpy(id.data, build_id.data, id.size);
	return id;
}

bool source_is(const struct source_id *id, struct cairn_bytes build_id)
{
	return id->size > 0 && id->size == build_id.size &&
	       memcmp(id->data, build_id.data, id->size) == 0;
}

struct cairn_module source_program_module(const struct cairn_program *program, uint64_t bias)
{
	return (struct cairn_module){ .low = program->span.low + bias,
		                      .high = program->span.high + bias,
		                      .bias = bias,
		                      .machine = program->machine,
		                      .big_endian = program->big_endian,
		                      .build_id = { program->build_id, program->build_id_size },
		                      .has_headers = true };
}

bool sources_add(struct sources *s, const char *path, struct cairn_bytes build_id, uint64_t offset)
{
	char *copy = strdup(path);
	size_t i = 0;

	while (i < s->given_count && !source_is(&s->given[i].id, build_id))
		i++;
	if (!copy || i == SOURCES_MAX) {
		free(copy);
		return false;
	}
	if (i < s->given_count)
		free(s->given[i].path);
	else
		s->given_count++;
	s->given[i] = (struct source){ copy, source_id(build_id), offset };
	return true;
}

bool source_fingerprint_read(const char *path, struct source_fingerprint *print)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return false;
	*print =
		(struct source_fingerprint){ status.st_dev, status.st_ino, (uint64_t)status.st_size,
		                             status.st_mtim.tv_sec, status.st_mtim.tv_nsec };
	return true;
}

bool source_fingerprint_holds(const char *path, const struct source_fingerprint *a)
{
	struct source_fingerprint b;

	return source_fingerprint_read(path, &b) && a->device == b.device && a->inode == b.inode &&
	       a->size == b.size && a->seconds == b.seconds && a->nanoseconds == b.nanoseconds;
}

static bool is_unchanged(const struct source_cached_file *kept)
{
	return source_fingerprint_holds(cairn_symbols_path(kept->file), &kept->print);
}

/*
 * Return true if the cached file was opened by this path or, if `path` is NULL, found for this
 * build ID.
 */
static bool is_asked(const struct source_cached_file *kept, const char *path,
                     struct cairn_bytes build_id)
{
	if (!kept->file)
		return false;
	if (!path)
		return source_is(&kept->id, build_id);
	return kept->id.size == 0 && strcmp(cairn_symbols_path(kept->file), path) == 0;
}

static void forget_kept(struct source_cached_file *kept)
{
	cairn_symbols_free(kept->file);
	kept->file = NULL;
}

void sources_forget(struct sources *s)
{
	for (size_t i = 0; i < SOURCES_CACHED; i++)
		if (s->kept[i].file && s->kept[i].uses == 0)
			forget_kept(&s->kept[i]);
}

static bool reuse_kept_file(struct sources *s, const char *path, struct cairn_bytes build_id,
                            struct source_hit *hit)
{
	for (size_t i = 0; i < SOURCES_CACHED; i++) {
		struct source_cached_file *kept = &s->kept[i];
		if (!is_asked(kept, path, build_id))
			continue;
		if (is_unchanged(kept)) {
			kept->uses++;
			hit->file = kept->file;
			return true;
		}
		if (kept->uses == 0)
			forget_kept(kept);
	}
	return false;
}

/* Cache a file for later commands. Replaces an unused file if no entry is free. */
static void keep_file(struct sources *s, struct cairn_symbols *file, struct source_id id)
{
	struct source_cached_file *place = NULL;
	struct source_fingerprint print;

	if (!source_fingerprint_read(cairn_symbols_path(file), &print) ||
	    (cairn_symbols_format(file) == CAIRN_SYMBOLS_GSYM && print.size > SOURCES_CACHED_GSYM))
		return;
	for (size_t i = 0; i < SOURCES_CACHED && !(place && !place->file); i++) {
		struct source_cached_file *kept = &s->kept[(s->next_kept + i) % SOURCES_CACHED];
		if (!kept->file || (kept->uses == 0 && !place))
			place = kept;
	}
	if (!place)
		return;
	if (place->file)
		forget_kept(place);
	s->next_kept++;
	*place = (struct source_cached_file){ file, print, id, 1 };
}

/* Record an open file. If Ctrl-C interrupts this command, the next command closes the file. */
static enum cairn_status note_open(struct sources *s, struct source_hit *hit,
                                   struct cairn_error *error)
{
	if (s->open_count < SOURCES_OPEN) {
		s->open[s->open_count++] = hit->file;
		return CAIRN_OK;
	}
	if (error)
		*error = (struct cairn_error){ .status = CAIRN_LIMIT,
			                       .path = "",
			                       .part = "",
			                       .text = "too many files are open" };
	sources_close(s, hit);
	return CAIRN_LIMIT;
}

static void note_closed(struct sources *s, const struct cairn_symbols *file)
{
	for (size_t i = s->open_count; i-- > 0;)
		if (s->open[i] == file) {
			s->open[i] = s->open[--s->open_count];
			return;
		}
}

static enum cairn_status open_path(struct sources *s, const char *path, struct source_hit *hit,
                                   struct cairn_error *error)
{
	const struct cairn_bytes any = { (const uint8_t *)"", 0 };
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;

	options.poll = &s->poll;
	hit->offset = 0;
	if (reuse_kept_file(s, path, any, hit))
		return CAIRN_OK;
	enum cairn_status status = cairn_symbols_open(path, &options, &hit->file, error);
	if (status == CAIRN_OK)
		keep_file(s, hit->file, source_id(any));
	return status;
}

enum cairn_status sources_open_path(struct sources *s, const char *path, struct source_hit *hit,
                                    struct cairn_error *error)
{
	enum cairn_status status = open_path(s, path, hit, error);

	return status == CAIRN_OK ? note_open(s, hit, error) : status;
}

void sources_close(struct sources *s, struct source_hit *hit)
{
	note_closed(s, hit->file);
	for (size_t i = 0; i < SOURCES_CACHED; i++)
		if (s->kept[i].file == hit->file) {
			s->kept[i].uses--;
			return;
		}
	cairn_symbols_free(hit->file);
}

void sources_recover(struct sources *s)
{
	while (s->open_count > 0) {
		struct source_hit hit = { .file = s->open[s->open_count - 1] };
		sources_close(s, &hit);
	}
}

static enum cairn_status open_found(struct sources *s, const struct cairn_module *module,
                                    struct source_hit *hit, struct cairn_error *error)
{
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	/* without a build ID, use only the module's own file, which is certain to match */
	bool nameless = module->build_id.size == 0;

	options.build_id = module->build_id;
	options.poll = &s->poll;
	if (reuse_kept_file(s, nameless ? module->name : NULL, module->build_id, hit))
		return CAIRN_OK;
	enum cairn_status status = cairn_symbols_search(
		module->name ? module->name : "", s->directories, &options, &hit->file, error);
	if (status == CAIRN_OK)
		keep_file(s, hit->file, source_id(module->build_id));
	return status;
}

const struct source *sources_given(const struct sources *s, struct cairn_bytes build_id)
{
	for (size_t i = 0; i < s->given_count; i++)
		if (source_is(&s->given[i].id, build_id))
			return &s->given[i];
	return NULL;
}

enum cairn_status sources_open(struct sources *s, const struct cairn_module *module,
                               struct source_hit *hit, struct cairn_error *error)
{
	const struct source *given = sources_given(s, module->build_id);

	hit->offset = 0;
	enum cairn_status status =
		given ? open_path(s, given->path, hit, error) : open_found(s, module, hit, error);
	if (status == CAIRN_OK)
		status = note_open(s, hit, error);
	if (status != CAIRN_OK)
		return status;
	if (given)
		hit->offset = given->offset;
	/* addresses in a Breakpad file are relative to the start of the module */
	if (cairn_symbols_format(hit->file) == CAIRN_SYMBOLS_BREAKPAD)
		hit->offset += module->low - module->bias;
	return status;
}

struct source_object *sources_object(struct sources *s, int inferior,
                                     const struct cairn_module *module)
{
	for (size_t i = 0; i < s->objects; i++)
		if (s->object[i].inferior == inferior &&
		    source_is(&s->object[i].id, module->build_id) &&
		    (module->build_id.size > 0 || strcmp(s->object[i].module, module->name) == 0))
			return &s->object[i];
	return NULL;
}

void sources_release(struct sources *s, int fd)
{
	if (s->release)
		s->release(s->release_context, fd);
	memfile_close(fd);
}

void sources_drop(struct sources *s, size_t index)
{
	struct source_object gone = s->object[index];
	bool shared = false;

	s->object[index] = s->object[--s->objects];
	for (size_t i = 0; i < s->objects; i++)
		shared = shared || s->object[i].fd == gone.fd;
	if (!shared)
		sources_release(s, gone.fd);
	free(gone.path);
	free(gone.module);
}

bool side_files_add(struct side_files *files, const char *path)
{
	for (unsigned i = 0; i < files->count; i++)
		if (strcmp(files->path[i], path) == 0)
			return true;
	if (files->count == SIDE_FILES_MAX)
		return false;
	files->path[files->count] = strdup(path);
	return files->path[files->count] && ++files->count;
}

bool side_files_give(const struct side_files *files, struct cairn_space *space, uint64_t pc,
                     const char *directories)
{
	enum { PATH = 4096 };
	struct cairn_sframe_search search = CAIRN_SFRAME_SEARCH;
	struct cairn_fault fault;
	char path[PATH];
	size_t modules;

	if (!cairn_space_wants_sframe(space, pc))
		return false;
	for (unsigned i = 0; i < files->count; i++)
		if (cairn_sframe_file_add(space, files->path[i], &modules, &fault) == CAIRN_OK &&
		    cairn_space_has_sframe(space, pc))
			return true;
	search.directories = directories;
	return cairn_sframe_file_find(space, pc, &search, path, PATH) == CAIRN_OK;
}

static const char *find_named(const struct side_files *files, struct cairn_bytes build_id)
{
	for (unsigned i = 0; i < files->count && build_id.size > 0; i++)
		if (cairn_sframe_file_belongs(files->path[i], build_id))
			return files->path[i];
	return NULL;
}

bool side_files_find(const struct side_files *files, const char *binary,
                     struct cairn_bytes build_id, const char *directories, char *path, size_t size)
{
	const char *named = find_named(files, build_id);

	if (named)
		snprintf(path, size, "%s", named);
	return named ||
	       cairn_sframe_file_locate(binary, build_id, directories, path, size) == CAIRN_OK;
}

bool side_files_has_named(const struct side_files *files, struct cairn_bytes build_id)
{
	return find_named(files, build_id) != NULL;
}

void side_files_finish(struct side_files *files)
{
	for (unsigned i = 0; i < files->count; i++)
		free(files->path[i]);
	files->count = 0;
}
