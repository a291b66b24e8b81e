/* SPDX-License-Identifier: MIT */
/*
 * The commands modules, sframe and status, which show the modules that cairn has found, their
 * tables and symbols, and the settings.
 */
#include "commands.h"
#include "names.h"

#include "common/session/loading.h"

#include <inttypes.h>
#include <stdio.h>

enum { PATH_CAPACITY = 4096 };

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

/*
 * Return the path of the module's symbol file, or NULL after setting *error. Sets *loaded if the
 * debugger has loaded the symbols.
 */
static const char *find_symbols_path(struct session *s, const struct cairn_module *m,
                                     char path[PATH_CAPACITY], bool *loaded,
                                     struct cairn_error *error)
{
	struct source_hit hit;
	const struct source_object *object = find_loaded_object(s, m);

	error->status = CAIRN_NOT_FOUND;
	*loaded = object != NULL;
	if (object)
		return object->path;
	s->poll_at = m->low;
	if (m->build_id.size == 0 || sources_open(&s->sources, m, &hit, error) != CAIRN_OK)
		return NULL;
	snprintf(path, PATH_CAPACITY, "%s", cairn_symbols_path(hit.file));
	sources_close(&s->sources, &hit);
	return path;
}

/*
 * Print the path of the module's symbols, or an error. Prints nothing if no symbols are found,
 * because that is the normal case.
 */
static void print_module_symbols(struct command_call *call, const struct cairn_module *m)
{
	struct cairn_error error;
	char capacity[PATH_CAPACITY];
	bool loaded;
	const char *path = find_symbols_path(call->session, m, capacity, &loaded, &error);

	if (path)
		reply_print(call, "    its symbols: %s%s%s", path, loaded ? ", in " : "",
		            loaded ? debugger_name(call) : "");
	else if (error.status != CAIRN_NOT_FOUND)
		reply_print(call, "    no symbols: %s", error.text);
}

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
		text_add_hex(call->line, m->build_id);
	}
	if (m->registered)
		text_add(call->line, "  registered by the program (JIT)");
	reply_line(call);
	if (m->fault.status != CAIRN_OK)
		reply_print(call, "    its .sframe: %s at byte %" PRIu64 " (0x%" PRIx64 ")",
		            m->fault.what, m->fault.offset, m->fault.offset);
	print_module_symbols(call, m);
}

static void add_symbols_json(struct json_writer *json, struct session *s,
                             const struct cairn_module *m)
{
	struct debugger_status debugger;
	struct cairn_error error;
	char capacity[PATH_CAPACITY], key[16];
	bool loaded;
	const char *path = find_symbols_path(s, m, capacity, &loaded, &error);

	if (!path && error.status == CAIRN_NOT_FOUND)
		return;
	s->debugger->describe(s, &debugger);
	snprintf(key, sizeof(key), "in_%s", debugger.key);
	json_begin_object(json, "symbols");
	json_add_bool(json, key, loaded);
	json_add_string(json, path ? "file" : "why_not", path ? path : error.text);
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
	if (m->registered)
		json_add_bool(json, "registered", true);
	json_add_fault(json, "fault", &m->fault);
	add_symbols_json(json, s, m);
	json_end_object(json);
}

static void modules_add_json(struct json_writer *json, struct session *s)
{
	struct cairn_module module;
	size_t at = 0;

	json_begin_array(json, "modules");
	while (cairn_space_next_module(s->space, &at, &module))
		add_module_json(json, s, &module);
	json_end_array(json);
}

static void print_no_modules(struct command_call *call)
{
	struct debugger_status debugger;

	call->session->debugger->describe(call->session, &debugger);
	if (debugger.running)
		reply_print(call, "No modules yet: the process is running; stop it first.");
	else if (debugger.reports)
		reply_print(call, "No modules yet: no process and no core.");
	else
		reply_print(call,
		            "No modules yet: cairn learns of them when %s shows a stack, or "
		            "by \"cairn sync\".",
		            debugger.name);
}

static void modules_print(struct command_call *call)
{
	struct cairn_module module;
	size_t at = 0;
	bool any = false;

	while (cairn_space_next_module(call->session->space, &at, &module)) {
		print_module(call, &module);
		any = true;
	}
	if (!any)
		print_no_modules(call);
}

enum answer modules_read_registered_code(struct command_call *call)
{
	const struct debugger *debugger = call->session->debugger;

	return debugger->read_registered_code ? debugger->read_registered_code(call) : ANSWER_READY;
}

/*
 * Query the debugger for module names if a module lacks one. cairn finds some modules in memory,
 * where no names are available.
 */
static enum answer ask_names(struct command_call *call)
{
	struct cairn_module module;
	size_t at = 0;

	while (cairn_space_next_module(call->session->space, &at, &module))
		if (!module.name)
			return call->session->debugger->name_modules(call);
	return ANSWER_READY;
}

static enum answer show_modules(struct command_call *call)
{
	if (!call->json) {
		modules_print(call);
		return ANSWER_READY;
	}
	struct json_writer json = reply_begin_json(call);
	modules_add_json(&json, call->session);
	reply_end_json(call, &json);
	return ANSWER_READY;
}

const struct command command_modules = {
	.name = "cairn modules",
	.usage = "[-json]",
	.help = "List the modules that cairn knows, with their build IDs.",
	.example = "cairn modules -json",
	.steps = { modules_read_registered_code, ask_names, show_modules },
};

/*
 * Implements the command sframe, which shows the SFrame rule at an address and the table that
 * contains the rule.
 */

/* Summarize all tables in the module if the user has given no address. */
static bool find_tables(struct command_call *call, uint64_t pc, struct cairn_sframe_summary *t,
                        unsigned *version)
{
	*version = 1;
	if (words_count_operands(call->words) > 0 ||
	    !cairn_space_sframe_summary(call->session->space, pc, t))
		return false;
	while (*version < 3 && !(t->versions >> *version & 1))
		++*version;
	return true;
}

static void print_sframe_json(struct command_call *call, uint64_t pc, const struct cairn_rule *rule,
                              uint64_t bias)
{
	struct json_writer json = reply_begin_json(call);
	struct cairn_sframe_summary t;
	unsigned version;

	show_rule_json(&json, rule, bias);
	if (find_tables(call, pc, &t, &version)) {
		json_begin_object(&json, "table");
		json_add_address(&json, "low", t.low);
		json_add_number(&json, "version", version);
		json_add_number(&json, "tables", t.count);
		json_add_number(&json, "functions", t.functions);
		json_add_number(&json, "size", t.size);
		json_end_object(&json);
	}
	reply_end_json(call, &json);
}

static void print_sframe_text(struct command_call *call, uint64_t pc, const struct cairn_rule *rule,
                              uint64_t bias)
{
	struct cairn_sframe_summary t;
	unsigned version;

	text_print(call->line, "0x%" PRIx64 "-0x%" PRIx64 "  ", rule->start + bias,
	           rule->end + bias);
	show_rule(call->line, rule);
	reply_line(call);
	if (!find_tables(call, pc, &t, &version))
		return;
	text_print(call->line, "table at 0x%" PRIx64 ": version %u, %" PRIu64 " functions, ", t.low,
	           version, t.functions);
	text_print(call->line, "%" PRIu64 " bytes", t.size);
	if (t.count > 1)
		text_print(call->line, " in %zu tables", t.count);
	reply_line(call);
}

/* Evaluate the address operand or, without an operand, read the innermost frame's pc. */
static enum answer read_address(struct command_call *call, uint64_t *pc)
{
	struct cairn_registers frame;

	if (words_count_operands(call->words) > 0)
		return call->session->debugger->evaluate(call, words_operands(call->words), pc,
		                                         NULL);
	if (!read_innermost_frame(call, &frame))
		return ANSWER_FAILED;
	*pc = frame.pc;
	return ANSWER_READY;
}

static enum answer print_sframe(struct command_call *call)
{
	uint64_t pc = 0;
	struct cairn_module module;
	struct cairn_rule rule;
	struct cairn_fault fault;

	enum answer answer = read_address(call, &pc);
	if (answer != ANSWER_READY)
		return answer;
	if (cairn_space_module(call->session->space, pc, &module) != CAIRN_OK) {
		reply_error(call, "no module contains 0x%" PRIx64, pc);
		return ANSWER_FAILED;
	}
	enum cairn_status status = cairn_space_sframe_rule(call->session->space, pc, &rule, &fault);
	if (status != CAIRN_OK) {
		reply_error(call, "no unwind rule at 0x%" PRIx64 ": %s", pc, fault.what);
		return ANSWER_FAILED;
	}
	if (call->json)
		print_sframe_json(call, pc, &rule, module.bias);
	else
		print_sframe_text(call, pc, &rule, module.bias);
	return ANSWER_READY;
}

const struct command command_sframe = {
	.name = "cairn sframe",
	.usage = "[-json] [EXPRESSION]",
	.help = "Show the SFrame rule at an address; without an argument, at the innermost frame.",
	.example = "cairn sframe main",
	.steps = { innermost_find_module, print_sframe },
};

static void print_status_json(struct command_call *call)
{
	struct session *s = call->session;
	struct debugger_status debugger;
	struct json_writer json = reply_begin_json(call);

	s->debugger->describe(s, &debugger);
	json_add_string(&json, "version", cairn_version());
	json_add_number(&json, debugger.key, (uint64_t)debugger.major);
	if (debugger.unwinder)
		json_add_string(&json, "unwinder", debugger.unwinder);
	json_add_string(&json, "color", color_setting_name(s->color));
	modules_add_json(&json, s);
	reply_end_json(call, &json);
}

static enum answer show_status(struct command_call *call)
{
	const struct session *s = call->session;
	struct debugger_status debugger;

	if (call->json) {
		print_status_json(call);
		return ANSWER_READY;
	}
	s->debugger->describe(s, &debugger);
	reply_print(call, "cairn %s in %s %d", cairn_version(), debugger.name, debugger.major);
	if (debugger.unwinder)
		reply_print(call, "Unwinder: %s", debugger.unwinder);
	reply_print(call, "Modules:");
	modules_print(call);
	if (s->debugger->loader && s->debugger->loader->print_prepared)
		s->debugger->loader->print_prepared(call);
	reply_print(
		call,
		"Next: \"cairn symbols load\" gives names and lines where there are symbol files; "
		"\"help cairn\" lists all commands.");
	return ANSWER_READY;
}

const struct command command_status = {
	.name = "cairn status",
	.usage = "[-json]",
	.help = "Show cairn's version, its settings, and the modules that it knows.",
	.example = "cairn status",
	.steps = { show_status },
};
