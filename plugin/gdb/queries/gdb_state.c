/* SPDX-License-Identifier: MIT */
/* Queries GDB for its modules, and compares them with the symbol objects that GDB has received. */
#include "gdb_state.h"

#include "debug_file_directory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum answer gdb_state_request(struct command_call *call, const char *more)
{
	const struct sources *sources = &call->session->sources;
	struct text *questions = gdb_begin_orders(call);
	/*
	 * at least one object belongs to the program; only GDB's list of all files contains such
	 * objects
	 */
	bool has_shelved = false;

	for (size_t i = 0; i < sources->objects; i++)
		has_shelved = has_shelved || sources->object[i].program;
	text_add(questions, "printf \"%d\\n\", $_inferior\ninfo files\n");
	if (has_shelved)
		text_add(questions, LIST_OF_FILES "\n");
	text_add(questions, more);
	return gdb_send_orders(call, PENDING_GDB_STATE);
}

bool gdb_state_lists_object(const struct gdb_session *session, const struct source_object *object,
                            const char *said)
{
	char name[DEBUG_FILE_DIRECTORY_PATH_MAX + 8];

	if (object->program) {
		debug_file_directory_path(&session->directory, object->fd, name);
		strcat(name, "/");
	} else {
		snprintf(name, sizeof(name), " in /proc/self/fd/%d\n", object->fd);
	}
	return strstr(said, name) != NULL;
}

static const struct info_files_module *find_program(const struct gdb_state *state)
{
	for (size_t i = 0; i < state->files.count; i++)
		if (state->files.modules[i].program)
			return &state->files.modules[i];
	return NULL;
}

/*
 * Return true if GDB has read symbols from the program's file and not from another file that the
 * user has specified. The line `Symbols from "FILE".` precedes the first list of sections.
 */
static bool is_program_symbol_file(const struct gdb_state *state, const char *said)
{
	const struct info_files_module *program = find_program(state);
	const char *end = strstr(said, "\n\t`"), *quote = strchr(said, '"');

	if (!quote || !program || (end && quote > end))
		return true;
	return strncmp(quote + 1, (const char *)program->host.name.data, program->host.name.size) ==
	               0 &&
	       quote[1 + program->host.name.size] == '"';
}

static void copy_name(struct cairn_bytes name, char copy[CAIRN_HOST_MODULE_NAME_MAX + 1])
{
	size_t size =
		name.size < CAIRN_HOST_MODULE_NAME_MAX ? name.size : CAIRN_HOST_MODULE_NAME_MAX;

	memcpy(copy, name.data, size);
	copy[size] = '\0';
}

static const struct cairn_program *read_program(struct gdb_state *state,
                                                const struct info_files_module *m,
                                                struct cairn_error *error)
{
	if (m->on_target)
		return NULL;
	copy_name(m->host.name, state->path);
	return cairn_program_read(state->path, &state->program, error) == CAIRN_OK ? &state->program
	                                                                           : NULL;
}

/* Return the program's load bias. GDB keeps the last bias when the process ends. */
static uint64_t find_bias(const struct info_files_module *m, const struct cairn_program *program)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < program->sections; i++) {
		const struct cairn_section *s = &program->section[i];
		if (m->host.text.low < m->host.text.high && strcmp(s->name, ".text") == 0)
			return m->host.text.low - s->range.low;
		if (s->range.low < s->range.high && s->range.low < lowest)
			lowest = s->range.low;
	}
	return m->host.low - lowest;
}

/*
 * Update the bias of the program's object, because GDB has relocated the object with the program.
 */
static void move_object(struct gdb_state *state, struct source_object *object)
{
	const struct info_files_module *m = find_program(state);
	const struct cairn_program *program = m ? read_program(state, m, NULL) : NULL;

	if (program)
		object->bias = find_bias(m, program);
}

/* Check which of this inferior's objects GDB still has, and drop the inferior's other objects. */
static void check_objects(struct gdb_session *session, struct gdb_state *state, const char *said)
{
	struct sources *sources = &session->shared.sources;

	for (size_t i = sources->objects; i-- > 0;) {
		struct source_object *o = &sources->object[i];
		if (o->inferior != state->inferior)
			continue;
		o->present = gdb_state_lists_object(session, o, said);
		if (!o->present)
			sources_drop(sources, i);
		else if (o->program)
			move_object(state, o);
	}
}

struct gdb_state *gdb_state_read(struct command_call *call)
{
	struct gdb_session *session = gdb_session(call);
	const char *said = gdb_call(call)->output;
	size_t first = strcspn(said, "\n");

	if (!session->state)
		session->state = calloc(1, sizeof(*session->state));
	struct gdb_state *state = session->state;
	if (!state) {
		reply_error(call, "out of memory");
		return NULL;
	}
	state->inferior = (int)strtol(said, NULL, 10);
	state->alive = gdb_call(call)->request->thread;
	info_files_read((struct cairn_bytes){ (const uint8_t *)said + first, strlen(said + first) },
	                &state->files);
	state->whole = is_program_symbol_file(state, said + first);
	if (state->alive) /* addresses are final only while a process exists */
		info_files_report(&state->files, call->session->space);
	check_objects(session, state, said);
	return state;
}

static bool describe_program(struct gdb_state *state, const struct info_files_module *m,
                             struct cairn_module *module)
{
	const struct cairn_program *program = m->program ? read_program(state, m, NULL) : NULL;

	if (program)
		*module = source_program_module(program, find_bias(m, program));
	return program != NULL;
}

/* Read the build ID from the program's file if the process's memory does not contain it. */
static void complete_build_id(struct gdb_state *state, const struct info_files_module *m,
                              struct cairn_module *module)
{
	const struct cairn_program *program =
		m->program && module->build_id.size == 0 ? read_program(state, m, NULL) : NULL;

	if (program && program->build_id_hidden)
		module->build_id =
			(struct cairn_bytes){ program->build_id, program->build_id_size };
}

bool gdb_state_module(struct command_call *call, struct gdb_state *state, size_t index,
                      struct cairn_module *module)
{
	const struct info_files_module *m = &state->files.modules[index];
	bool read =
		state->alive &&
		cairn_space_module(call->session->space, info_files_pc(m), module) == CAIRN_OK &&
		module->has_headers;
	/* use the program's file if no process exists or the process runs another program */
	if (!read && !describe_program(state, m, module))
		return false;
	complete_build_id(state, m, module);
	copy_name(m->host.name, state->name);
	module->name = state->name;
	return true;
}

const struct cairn_program *gdb_state_program(struct gdb_state *state, size_t index,
                                              const struct cairn_module *module)
{
	const struct info_files_module *m = &state->files.modules[index];
	const struct cairn_program *program =
		m->program && state->whole ? read_program(state, m, NULL) : NULL;

	if (!program || program->debug_info || program->build_id_size == 0 ||
	    program->build_id_size != module->build_id.size ||
	    memcmp(program->build_id, module->build_id.data, program->build_id_size) != 0)
		return NULL;
	return program;
}

bool gdb_state_check(struct command_call *call)
{
	struct gdb_state *state = gdb_session(call)->state;
	const struct info_files_module *m = find_program(state);
	struct cairn_error error = { .text = "on another machine" };

	if (state->alive && gdb_session(call)->unwinder.target_read)
		return true;
	if (!m)
		reply_error(call, "no program yet: load one with \"file\", or open a core");
	else if (!read_program(state, m, &error))
		reply_error(call, "%.*s: %s", (int)m->host.name.size,
		            (const char *)m->host.name.data, error.text);
	return !call->failed;
}
