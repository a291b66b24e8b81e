/* SPDX-License-Identifier: MIT */
/* Finds the modules without lines, and runs the program cairn to fetch them. */
#include "missing_builds.h"

#include "common/base/path.h"

#include <stdio.h>
#include <unistd.h>

enum { PATH_ROOM = 64 }; /* length of a debug file's path without the build ID */

/*
 * Return true if the module's own file has DWARF, or a debug file exists where every debugger
 * looks.
 */
static bool has_debug_file(struct command_call *call, const struct symbol_target *target)
{
	struct loading *loading = call->context;
	char path[PATH_ROOM + 2 * SOURCES_ID];

	return (cairn_build_id_path(target->module.build_id, "/usr/lib/debug", "debug", path,
	                            sizeof(path)) &&
	        access(path, R_OK) == 0) ||
	       (cairn_program_read(target->module.name, &loading->file, NULL) == CAIRN_OK &&
	        loading->file.debug_info);
}

static bool has_lines(struct command_call *call, const struct symbol_target *target)
{
	const struct loading *loading = call->context;
	struct sources *sources = &call->session->sources;
	struct source_hit hit;

	const struct source_object *object =
		sources_object(sources, loading->list.inferior, &target->module);
	if (object && object->functions > 0)
		return true;
	call->session->poll_at = target->text.low;
	if (sources_open(sources, &target->module, &hit, NULL) != CAIRN_OK)
		return false;
	bool found = loading_find_sample(target, &hit) != 0;
	sources_close(sources, &hit);
	return found;
}

static void add_missing(struct command_call *call, const struct symbol_target *target,
                        struct missing_builds *missing)
{
	const struct cairn_bytes id = target->module.build_id;
	char *hex = missing->id[missing->count];

	if (id.size < 2 || id.size > SOURCES_ID)
		return;
	for (size_t i = 0; i < id.size; i++)
		snprintf(hex + 2 * i, 3, "%02x", id.data[i]);
	missing->count += !has_debug_file(call, target) && !has_lines(call, target);
}

void missing_builds_find(struct command_call *call, const char *name,
                         struct missing_builds *missing)
{
	const struct symbol_loader *loader = call->session->debugger->loader;
	const struct loading *loading = call->context;
	struct symbol_target target;

	missing->count = 0;
	for (size_t i = 0; i < loading->list.count && missing->count < SOURCES_MAX; i++)
		if (loader->read_target(call, i, &target) &&
		    (!name || path_is_called(target.module.name, name)))
			add_missing(call, &target, missing);
}

enum answer missing_builds_fetch(struct command_call *call, struct missing_builds *missing)
{
	const char *words[SOURCES_MAX + 3] = { "gsym", "fetch" };

	if (missing->count == 0)
		return ANSWER_READY;
	for (size_t i = 0; i < missing->count; i++)
		words[2 + i] = missing->id[i];
	enum answer answer = call->session->debugger->loader->run_program(call, words);
	if (answer == ANSWER_READY)
		sources_forget(&call->session->sources);
	return answer;
}
