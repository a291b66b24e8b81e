/* SPDX-License-Identifier: MIT */
/* Hands symbols to GDB and removes them, with commands that GDB executes. */
#include "gdb_loader.h"

#include "jit_code.h"
#include "prepared_libraries.h"
#include "symbol_handover.h"

#include "common/base/files.h"
#include "queries/breakpoints.h"
#include "queries/gdb_state.h"
#include "queries/inferiors.h"
#include "queries/value.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum answer list_targets(struct command_call *call, struct target_list *list,
                                bool to_release)
{
	if (!gdb_has_answered(call, PENDING_GDB_STATE)) {
		gdb_session(call)->linker_list.known = false;
		return gdb_state_request(call,
		                         to_release ? breakpoints_question : INFERIORS_QUESTION);
	}
	const struct gdb_state *state = gdb_state_read(call);
	if (!state)
		return ANSWER_FAILED;
	*list = (struct target_list){ state->inferior, state->alive, state->files.count };
	return ANSWER_READY;
}

static bool read_target(struct command_call *call, size_t index, struct symbol_target *target)
{
	struct gdb_state *state = gdb_session(call)->state;

	if (!gdb_state_module(call, state, index, &target->module))
		return false;
	target->text = state->files.modules[index].host.text;
	target->program = gdb_state_program(state, index, &target->module);
	target->can_be_added = state->alive || target->program;
	return true;
}

static bool has_module(struct command_call *call, const char *name)
{
	const struct gdb_state *state = gdb_session(call)->state;
	size_t size = strlen(name);

	for (size_t i = 0; i < state->files.count; i++) {
		struct cairn_bytes one = state->files.modules[i].host.name;
		if (one.size == size && memcmp(one.data, name, size) == 0)
			return true;
	}
	return false;
}

static bool is_script(int directory, const char *name)
{
	static const char *const ends[] = { "-gdb.gdb", "-gdb.py", "-gdb.scm" };
	char path[PATH_MAX];
	const ssize_t size = readlinkat(directory, name, path, sizeof(path));

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		const ssize_t length = (ssize_t)strlen(ends[i]);
		if (size >= length && memcmp(path + size - length, ends[i], (size_t)length) == 0)
			return true;
	}
	return false;
}

/*
 * Return true if GDB is running a script that belongs to a program or a library (PROGRAM-gdb.gdb,
 * -gdb.py). GDB does that while it reads the file, and crashes if the file is reread meanwhile. It
 * does not announce this, but it has the script open.
 */
static bool is_reading(void)
{
	DIR *all = opendir("/proc/self/fd");
	bool running = false;

	if (!all)
		return false;
	for (const struct dirent *one; !running && (one = readdir(all)) != NULL;)
		running = is_script(dirfd(all), one->d_name);
	closedir(all);
	return running;
}

static void free_go_program(struct gdb_session *s)
{
	free((void *)(uintptr_t)s->go_program.data);
	s->go_program = (struct cairn_bytes){ NULL, 0 };
}

/* Return true if the module's file exists with its build ID and is a Go program. */
static bool is_go_program(const struct symbol_target *target)
{
	struct cairn_program *file = malloc(sizeof(*file));
	bool found = false;

	if (file && cairn_program_read(target->module.name, file, NULL) == CAIRN_OK &&
	    file->build_id_size == target->module.build_id.size &&
	    memcmp(file->build_id, target->module.build_id.data, file->build_id_size) == 0)
		for (size_t i = 0; i < file->sections; i++)
			found = found || strcmp(file->section[i].name, ".gopclntab") == 0 ||
			        strcmp(file->section[i].name, ".data.rel.ro.gopclntab") == 0;
	free(file);
	return found;
}

/*
 * Provide the file of a Go program for the object: such a program lacks .eh_frame, but its function
 * table contains unwind rules.
 */
static void set_options(struct command_call *call, const struct symbol_target *target,
                        struct cairn_object_options *options)
{
	struct gdb_session *s = gdb_session(call);

	free_go_program(s);
	if (is_go_program(target) && file_bytes_read(target->module.name, &s->go_program))
		options->program = s->go_program;
}

static bool place_object(struct command_call *call, const struct plan_item *item, const char **why)
{
	const struct source_object *o = &item->object;

	free_go_program(gdb_session(call));
	if (!o->program || debug_file_directory_add(&gdb_session(call)->directory, o->fd,
	                                            (struct cairn_bytes){ o->id.data, o->id.size }))
		return true;
	*why = "cannot create a folder in $TMPDIR, /tmp, /dev/shm or /var/tmp; start GDB with "
	       "TMPDIR set to a writable folder";
	return false;
}

/* Remove the objects. The output still has the breakpoints that list_targets() queried. */
static enum answer release_objects(struct command_call *call, const struct target_list *list)
{
	const struct sources *sources = &call->session->sources;
	struct text *orders = gdb_begin_orders(call), enabled = { .data = NULL };

	if (gdb_has_answered(call, PENDING_LOADED))
		return ANSWER_READY;
	breakpoints_enabled(gdb_call(call)->output, &enabled);
	if (enabled.size)
		text_print(orders, "disable%s\n", enabled.data);
	for (size_t i = 0; i < sources->objects; i++)
		if (sources->object[i].inferior == list->inferior && !sources->object[i].present)
			symbol_handover_remove(orders, &sources->object[i], list->alive);
	if (enabled.size)
		text_print(orders, "enable%s\n", enabled.data);
	text_finish(&enabled);
	gdb_order_innermost(call);
	return gdb_send_orders(call, PENDING_LOADED);
}

/*
 * Run `cairn` in a shell, because the network is only accessed by a separate program at the user's
 * request, never within GDB.
 */
static enum answer run_program(struct command_call *call, const char *const *words)
{
	struct text *orders = gdb_begin_orders(call);

	if (gdb_has_answered(call, PENDING_FETCH))
		return ANSWER_READY;
	text_add(orders, "shell cairn");
	for (; *words; words++)
		text_print(orders, " '%s'", *words);
	text_add(orders, " >/dev/null\n");
	return gdb_send_orders(call, PENDING_FETCH);
}

static void look_again(struct session *session)
{
	((struct gdb_session *)session)->linker_list.known = false;
	((struct gdb_session *)session)->prepared.searched = false;
}

const struct symbol_loader gdb_loader = {
	.add_later = "; start the program first to add other symbols",
	.list_targets = list_targets,
	.read_target = read_target,
	.has_module = has_module,
	.check_targets = gdb_state_check,
	.is_reading = is_reading,
	.set_options = set_options,
	.place_object = place_object,
	.prepare_library = prepared_libraries_prepare,
	.is_prepared = prepared_libraries_has,
	.print_prepared = prepared_libraries_print,
	.plan_code = jit_code_plan,
	.ask_own_lines = symbol_handover_ask_own,
	.take_objects = symbol_handover_take,
	.release_objects = release_objects,
	.run_program = run_program,
	.look_again = look_again,
};
