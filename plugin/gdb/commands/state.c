/* SPDX-License-Identifier: MIT */
/* Commands about cairn itself: status, modules, sync, and the settings. */
#include "commands.h"

#include "show.h"

#include "queries/info_files.h"
#include "queries/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const policies[] = { "auto", "always", "off" };
static const char *const colors[] = { "auto", "on", "off" };

static const char *machine_name(enum cairn_machine machine)
{
	static const char *const names[] = { "unknown", "amd64", "aarch64", "s390x" };
	return names[machine];
}

static void append_presence(struct text *text, enum cairn_presence presence, const char *what)
{
	if (presence != CAIRN_PRESENCE_UNKNOWN)
		text_print(text, "  %s%s", presence == CAIRN_ABSENT ? "no " : "", what);
}

/* What GDB has of ours for the module; NULL: nothing. */
static const struct source_object *find_loaded_object(const struct session *s,
                                                      const struct cairn_module *m)
{
	for (size_t i = 0; i < s->sources.objects; i++) {
		const struct source_object *o = &s->sources.object[i];
		if (source_is(&o->id, m->build_id) && (o->program || o->bias == m->bias))
			return o;
	}
	return NULL;
}

/* Which symbols are there for a module, and are they in GDB?  The path is kept until the next call.
 */
static const char *find_symbols_path(struct session *s, const struct cairn_module *m, bool *in_gdb,
                                     struct cairn_fault *fault)
{
	static char path[4096];
	struct source_hit hit;
	const struct source_object *object = find_loaded_object(s, m);

	*fault = (struct cairn_fault){ CAIRN_NOT_FOUND, 0, "no build ID" };
	*in_gdb = object != NULL;
	if (object)
		return object->path;
	s->poll_at = m->low;
	if (m->build_id.size == 0 || sources_open(&s->sources, m, &hit, fault) != CAIRN_OK)
		return NULL;
	snprintf(path, sizeof(path), "%s", cairn_symbol_file_path(hit.file));
	sources_close(&s->sources, &hit);
	return path;
}

/* That there are none is the usual case, and not worth a line. */
static void print_module_symbols(struct command_call *call, const struct cairn_module *m)
{
	struct cairn_fault fault;
	bool in_gdb;
	const char *path = find_symbols_path(call->session, m, &in_gdb, &fault);

	if (path)
		reply_print(call, "    its symbols: %s%s", path, in_gdb ? ", in GDB" : "");
	else if (fault.status != CAIRN_NOT_FOUND)
		reply_print(call, "    no symbols: %s", fault.what);
}

/* One line: what is known without looking again. */
static void print_module(struct command_call *call, const struct cairn_module *m)
{
	show_address(call->line, m->low, 1);
	text_add(call->line, "-");
	show_address(call->line, m->high, 1);
	text_add(call->line, "  ");
	show_module_name(call->line, m);
	append_presence(call->line, m->sframe, "sframe");
	append_presence(call->line, m->cfi, "cfi");
	if (m->build_id.size) {
		text_add(call->line, "  build ID ");
		show_build_id(call->line, m);
	}
	reply_line(call);
	if (m->fault.status != CAIRN_OK)
		reply_print(call, "    its .sframe: %s at byte %" PRIu64 " (0x%" PRIx64 ")",
		            m->fault.what, m->fault.offset, m->fault.offset);
	print_module_symbols(call, m);
}

static void add_symbols_json(struct json_writer *json, struct session *s,
                             const struct cairn_module *m)
{
	struct cairn_fault fault;
	bool in_gdb;
	const char *path = find_symbols_path(s, m, &in_gdb, &fault);

	if (!path && fault.status == CAIRN_NOT_FOUND)
		return;
	json_begin_object(json, "symbols");
	json_add_bool(json, "in_gdb", in_gdb);
	json_add_string(json, path ? "file" : "why_not", path ? path : fault.what);
	json_end_object(json);
}

static void add_fault_json(struct json_writer *json, const struct cairn_fault *fault)
{
	if (fault->status == CAIRN_OK)
		return;
	json_begin_object(json, "fault");
	json_add_string(json, "what", fault->what);
	json_add_number(json, "offset", fault->offset);
	json_end_object(json);
}

static void add_module_json(struct json_writer *json, struct session *s,
                            const struct cairn_module *m)
{
	static const char *const states[] = { "unknown", "absent", "present" };

	json_begin_object(json, NULL);
	json_add_address(json, "low", m->low);
	json_add_address(json, "high", m->high);
	json_add_address(json, "bias", m->bias);
	if (m->name)
		json_add_string(json, "name", m->name);
	else
		json_add_null(json, "name");
	json_add_string(json, "machine", machine_name(m->machine));
	json_add_hex(json, "build_id", m->build_id);
	json_add_string(json, "sframe", states[m->sframe]);
	json_add_string(json, "cfi", states[m->cfi]);
	add_fault_json(json, &m->fault);
	add_symbols_json(json, s, m);
	json_end_object(json);
}

static void add_modules_json(struct json_writer *json, struct session *s)
{
	struct cairn_module module;
	size_t at = 0;

	json_begin_array(json, "modules");
	while (cairn_space_next_module(s->unwinder.space, &at, &module))
		add_module_json(json, s, &module);
	json_end_array(json);
}

static void print_modules_json(struct command_call *call)
{
	struct json_writer json = json_writer_to(call->line);

	json_begin_object(&json, NULL);
	add_modules_json(&json, call->session);
	json_end_object(&json);
	reply_line(call);
}

static void print_modules(struct command_call *call)
{
	struct cairn_module module;
	size_t at = 0;
	bool any = false;

	while (cairn_space_next_module(call->session->unwinder.space, &at, &module)) {
		print_module(call, &module);
		any = true;
	}
	if (!any)
		reply_print(call, "No modules yet: cairn learns of them when GDB shows a stack, or "
		                  "by \"cairn sync\".");
}

void command_modules(struct command_call *call)
{
	if (call->json)
		print_modules_json(call);
	else
		print_modules(call);
}

static void print_status_json(struct command_call *call)
{
	struct session *s = call->session;
	struct json_writer json = json_writer_to(call->line);

	json_begin_object(&json, NULL);
	json_add_string(&json, "version", cairn_version());
	json_add_number(&json, "gdb", (uint64_t)s->unwinder.gdb_major);
	json_add_string(&json, "unwinder", policies[s->unwinder.policy]);
	json_add_string(&json, "color", colors[s->color]);
	add_modules_json(&json, s);
	json_end_object(&json);
	reply_line(call);
}

void command_status(struct command_call *call)
{
	const struct session *s = call->session;

	if (call->json) {
		print_status_json(call);
		return;
	}
	reply_print(call, "cairn %s in GDB %d", cairn_version(), s->unwinder.gdb_major);
	reply_print(call, "Unwinder: %s", policies[s->unwinder.policy]);
	reply_print(call, "Modules:");
	print_modules(call);
}

/* One of the words, or count. */
static unsigned find_word_index(const char *word, const char *const *words, unsigned count)
{
	unsigned i = 0;

	while (i < count && strcmp(word, words[i]) != 0)
		i++;
	return i;
}

void command_set_unwinder(struct command_call *call)
{
	const char *word = command_call_expression(call);
	unsigned chosen = find_word_index(word, policies, 3);

	if (chosen == 3)
		reply_error(call, "the unwinder is auto, always or off, not \"%s\"", word);
	else if (chosen != call->session->unwinder.policy && reply_select_innermost(call))
		call->session->unwinder.policy = (enum unwind_policy)chosen;
}

void command_show_unwinder(struct command_call *call)
{
	reply_print(call, "The unwinder of cairn is \"%s\".",
	            policies[call->session->unwinder.policy]);
}

void command_set_color(struct command_call *call)
{
	const char *word = command_call_expression(call);
	unsigned chosen = find_word_index(word, colors, 3);

	if (chosen == 3)
		reply_error(call, "colour is auto, on or off, not \"%s\"", word);
	else
		call->session->color = chosen;
}

void command_show_color(struct command_call *call)
{
	reply_print(call, "Colour in cairn's output is \"%s\".", colors[call->session->color]);
}

/* Nothing to do but to have been called: the request told us which GDB this is. */
void command_ping(struct command_call *call)
{
	(void)call;
}

void command_load_reader(struct command_call *call)
{
	if (!reply_select_innermost(call))
		return;
	const char *path = command_call_path(call);
	const char *why = other_readers_load(&call->session->others, path);
	if (why)
		reply_error(call, "cannot load %s: %s", path, why);
}

void command_sync(struct command_call *call)
{
	static struct info_files files;
	struct session *s = call->session;

	if (!s->unwinder.target_read) {
		reply_error(call,
		            "there is no memory to read yet: start the program or open a core");
		return;
	}
	if (s->asked != PENDING_FILES) {
		if (call->asked)
			text_add(call->reply, "select-frame 0\n"); /* see reply_select_innermost */
		reply_capture_begin(call);
		reply_capture(call, "info files");
		reply_capture_end(call);
		s->asked = PENDING_FILES;
		return;
	}
	info_files_read((struct cairn_bytes){ (const uint8_t *)call->output, call->output_size },
	                &files);
	cairn_space_begin_modules(s->unwinder.space);
	size_t added = 0;
	for (size_t i = 0; i < files.count; i++) {
		struct cairn_host_module report = info_files_host_module(&files.modules[i]);
		added += cairn_space_add_module(s->unwinder.space, &report) == CAIRN_OK;
	}
	cairn_space_end_modules(s->unwinder.space);
	reply_set(call, "cairn_modules", added);
	reply_print(call, "%zu modules%s", added, files.cut ? "; there were more" : "");
}
