/* SPDX-License-Identifier: MIT */
/*
 * Finds the files of libraries that may be loaded later, and puts objects with their symbols where
 * GDB will look.
 */
#include "prepared_libraries.h"

#include "common/base/files.h"
#include "common/session/loading.h"
#include "queries/gdb_state.h"
#include "symbols/debug_file_directory.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MAX = 4096 }; /* directory entries examined; programs have a few hundred files */

static const struct prepared_library *find_prepared(const struct prepared_libraries *p,
                                                    struct cairn_bytes build_id)
{
	for (size_t i = 0; i < p->count; i++)
		if (source_is(&p->of[i].id, build_id))
			return &p->of[i];
	return NULL;
}

bool prepared_libraries_has(struct command_call *call, const struct symbol_target *target)
{
	return find_prepared(&gdb_session(call)->prepared, target->module.build_id) != NULL;
}

/* Add the directory of the program with its slash, or nothing without a program. */
static void add_program_folder(struct command_call *call, struct text *text)
{
	const struct gdb_state *state = gdb_session(call)->state;

	for (size_t i = 0; state && i < state->files.count; i++) {
		struct cairn_bytes name = state->files.modules[i].host.name;
		if (!state->files.modules[i].program)
			continue;
		while (name.size > 0 && name.data[name.size - 1] != '/')
			name.size--;
		text_bytes(text, (const char *)name.data, name.size);
		return;
	}
}

/* Return true if the file has the name of a library: NAME.so or NAME.so.1. */
static bool is_library_name(const char *name)
{
	const char *so = strstr(name, ".so");

	return so && so != name && (so[3] == '\0' || so[3] == '.') &&
	       /* exclude NAME.so.gsym and NAME.so.sym */
	       strcmp(name + strlen(name) - 2, "ym") != 0;
}

/* Return true if the file has that build and no lines of its own, which GDB would read itself. */
static bool is_library(const char *path, struct cairn_bytes build_id, struct cairn_program *file)
{
	return cairn_program_read(path, file, NULL) == CAIRN_OK && !file->debug_info &&
	       file->build_id_size > 0 &&
	       (build_id.size == 0 || (file->build_id_size == build_id.size &&
	                               memcmp(file->build_id, build_id.data, build_id.size) == 0));
}

/*
 * Add a file's name without its last suffix, which is the name of the library if its symbols were
 * made beside it.
 */
static void add_without_suffix(struct text *text, const char *path)
{
	const char *dot = strrchr(path_last_part(path), '.');

	text_bytes(text, path, dot ? (size_t)(dot - path) : strlen(path));
}

/*
 * Find the library's file: the one that the user named, or one beside the symbols or the program.
 */
static bool find_library(struct command_call *call, const char *symbols, const char *named,
                         struct cairn_bytes build_id, struct cairn_program *file, struct text *path)
{
	enum { NAMED, BESIDE_SYMBOLS, BESIDE_PROGRAM, PLACES };

	for (unsigned place = 0; place < PLACES; place++) {
		text_reset(path);
		if (place == NAMED && named)
			path_add_absolute(path, named, strlen(named));
		else if (place == BESIDE_SYMBOLS)
			add_without_suffix(path, symbols);
		else if (place == BESIDE_PROGRAM) {
			add_program_folder(call, path);
			add_without_suffix(path, path_last_part(symbols));
		}
		if (path->data && !path->cut &&
		    (place == NAMED || is_library_name(path_last_part(path->data))) &&
		    is_library(path->data, build_id, file))
			return true;
	}
	return false;
}

/* Make GDB also search the directory of prepared libraries. */
static void name_folder(struct command_call *call)
{
	struct prepared_libraries *p = &gdb_session(call)->prepared;
	char folder[DEBUG_FILE_DIRECTORY_PATH_MAX];

	if (p->named)
		return;
	debug_file_directory_shared(&gdb_session(call)->directory, folder);
	text_print(gdb_call(call)->reply,
	           "with language c -- set $_cairn_directory = "
	           "$_gdb_setting_str(\"debug-file-directory\")\n"
	           "eval \"set debug-file-directory %%s:%s\", $_cairn_directory\n",
	           folder);
	p->named = true;
}

static bool keep_library(struct command_call *call, const struct plan_item *item,
                         const struct cairn_module *module, const char *symbols)
{
	struct gdb_session *s = gdb_session(call);
	struct prepared_library made = { source_id(module->build_id), item->object.fd,
		                         strdup(module->name), strdup(symbols) };

	if (made.library && made.symbols &&
	    debug_file_directory_share(&s->directory, made.fd, module->build_id)) {
		s->prepared.of[s->prepared.count++] = made;
		name_folder(call);
		return true;
	}
	memfile_close(made.fd);
	free(made.library);
	free(made.symbols);
	return false;
}

static bool prepare_file(struct command_call *call, const char *path,
                         const struct cairn_program *file)
{
	struct sources *sources = &call->session->sources;
	struct symbol_target target = { .module = source_program_module(file, 0), .program = file };
	struct plan_item item = { .object = { .fd = -1 } };
	struct source_hit hit;
	const char *why;

	target.module.name = path;
	if (gdb_session(call)->prepared.count == PREPARED_LIBRARIES_MAX ||
	    sources_open(sources, &target.module, &hit, NULL) != CAIRN_OK)
		return false;
	bool kept = loading_make_object(call, &target, &hit, &item, &why) &&
	            keep_library(call, &item, &target.module, cairn_symbol_file_path(hit.file));
	sources_close(sources, &hit);
	return kept;
}

bool prepared_libraries_prepare(struct command_call *call, const char *symbols,
                                struct cairn_bytes build_id, uint64_t offset, const char *named)
{
	const struct prepared_library *old = find_prepared(&gdb_session(call)->prepared, build_id);
	struct cairn_program *file = malloc(sizeof(*file));
	struct text path = { .data = NULL };
	bool ready = old && strcmp(old->symbols, symbols) == 0;

	if (!old && file && find_library(call, symbols, named, build_id, file, &path))
		ready = sources_add(&call->session->sources, symbols, build_id, offset) &&
		        prepare_file(call, path.data, file);
	text_finish(&path);
	free(file);
	return ready;
}

static bool is_loaded(struct command_call *call, struct cairn_bytes build_id)
{
	const struct loading *loading = call->context;
	struct symbol_target target;

	for (size_t i = 0; i < loading->list.count; i++)
		if (call->session->debugger->loader->read_target(call, i, &target) &&
		    target.module.build_id.size == build_id.size &&
		    memcmp(target.module.build_id.data, build_id.data, build_id.size) == 0)
			return true;
	return false;
}

static void try_library(struct command_call *call, const char *path, struct cairn_program *file)
{
	const struct cairn_bytes any = { (const uint8_t *)"", 0 };

	if (!is_library(path, any, file))
		return;
	const struct cairn_bytes id = { file->build_id, file->build_id_size };
	if (!find_prepared(&gdb_session(call)->prepared, id) && !is_loaded(call, id))
		prepare_file(call, path, file);
}

/* Try all libraries in a directory, whose name must end with a slash. */
static void search_folder(struct command_call *call, const char *folder, struct cairn_program *file)
{
	DIR *all = opendir(folder);
	struct text path = { .data = NULL };
	unsigned left = ENTRIES_MAX;

	for (const struct dirent *one; all && left > 0 && (one = readdir(all)) != NULL; left--) {
		if (!is_library_name(one->d_name))
			continue;
		text_reset(&path);
		text_print(&path, "%s%s", folder, one->d_name);
		if (path.data && !path.cut)
			try_library(call, path.data, file);
	}
	if (all)
		closedir(all);
	text_finish(&path);
}

static void search_directories(struct command_call *call, struct cairn_program *file)
{
	const char *at = call->session->sources.directories;
	struct text folder = { .data = NULL };

	for (; at && *at; at += *at == ':') {
		size_t size = strcspn(at, ":");
		text_reset(&folder);
		text_bytes(&folder, at, size);
		text_add(&folder, "/");
		if (folder.data && !folder.cut)
			search_folder(call, folder.data, file);
		at += size;
	}
	text_finish(&folder);
}

void prepared_libraries_search(struct command_call *call)
{
	struct prepared_libraries *p = &gdb_session(call)->prepared;
	struct cairn_program *file;
	struct text folder = { .data = NULL };

	add_program_folder(call, &folder);
	if (!p->searched && folder.size > 0 && (file = malloc(sizeof(*file))) != NULL) {
		p->searched = true;
		if (!folder.cut)
			search_folder(call, folder.data, file);
		search_directories(call, file);
		free(file);
	}
	text_finish(&folder);
}

void prepared_libraries_print(struct command_call *call)
{
	const struct prepared_libraries *p = &gdb_session(call)->prepared;
	const struct sources *sources = &call->session->sources;

	if (p->count > 0)
		reply_print(call, "GDB finds these symbols when it loads the library:");
	for (size_t i = 0; i < p->count; i++)
		reply_print(call, "  %s: %s", p->of[i].library, p->of[i].symbols);
	for (size_t i = 0; i < sources->given_count; i++) {
		const struct source *given = &sources->given[i];
		if (!find_prepared(p, (struct cairn_bytes){ given->id.data, given->id.size }))
			reply_print(call,
			            "%s: for its module, or at the next stop after it is loaded "
			            "(\"cairn symbols load\", auto-symbols)",
			            given->path);
	}
}
