/* SPDX-License-Identifier: MIT */
/* Symbolizes addresses, and formats rules, modules and locations as text and JSON. */
#include "names.h"

#include "commands.h"
#include "common/base/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show_base(struct text *text, enum cairn_machine machine, uint16_t base)
{
	static const struct {
		uint16_t sp, fp;
	} names[] = { [CAIRN_MACHINE_NONE] = { 0xff, 0xff },
		      [CAIRN_MACHINE_AMD64] = { 7, 6 },
		      [CAIRN_MACHINE_AARCH64] = { 31, 29 },
		      [CAIRN_MACHINE_S390X] = { 15, 11 } };

	if (base == CAIRN_BASE_CFA)
		text_add(text, "cfa");
	else if (base == names[machine].sp)
		text_add(text, "sp");
	else if (base == names[machine].fp)
		text_add(text, "fp");
	else
		text_print(text, "r%u", base);
}

/* Format a register rule as "sp+16", "[cfa-8]", "u" (unchanged) or "undef". */
static void show_place(struct text *text, enum cairn_machine machine,
                       const struct cairn_register_rule *place)
{
	switch (place->kind) {
	case CAIRN_REGISTER_UNDEFINED:
		text_add(text, "undef");
		return;
	case CAIRN_REGISTER_SAME_VALUE:
		text_add(text, "u");
		return;
	case CAIRN_REGISTER_VALUE:
	case CAIRN_REGISTER_MEMORY:
		break;
	}
	bool memory = place->kind == CAIRN_REGISTER_MEMORY;
	text_add(text, memory ? "[" : "");
	show_base(text, machine, place->base);
	text_print(text, "%+" PRId64 "%s", place->offset, memory ? "]" : "");
}

void show_rule(struct text *text, const struct cairn_rule *rule)
{
	if (rule->outermost || rule->trampoline) {
		text_add(text, rule->outermost ? "outermost frame" : "signal trampoline");
		return;
	}
	text_add(text, "cfa ");
	show_place(text, rule->machine, &rule->cfa);
	text_add(text, "  fp ");
	show_place(text, rule->machine, &rule->fp);
	text_add(text, "  ra ");
	show_place(text, rule->machine, &rule->ra);
	text_add(text, rule->signal ? "  signal frame" : "");
	text_add(text, rule->mangled ? "  signed return address" : "");
	text_add(text, rule->patched ? "  corrected" : "");
}

static void add_register_rule_json(struct json_writer *json, const char *key,
                                   enum cairn_machine machine,
                                   const struct cairn_register_rule *place)
{
	struct text rule = { .data = NULL };

	show_place(&rule, machine, place);
	json_add_string(json, key, rule.size ? rule.data : "");
	text_finish(&rule);
}

void show_rule_json(struct json_writer *json, const struct cairn_rule *rule, uint64_t bias)
{
	json_add_address(json, "low", rule->start + bias);
	json_add_address(json, "high", rule->end + bias);
	json_add_address(json, "function", rule->function + bias);
	add_register_rule_json(json, "cfa", rule->machine, &rule->cfa);
	add_register_rule_json(json, "fp", rule->machine, &rule->fp);
	add_register_rule_json(json, "ra", rule->machine, &rule->ra);
	json_add_bool(json, "outermost", rule->outermost);
	json_add_bool(json, "signal", rule->signal || rule->trampoline);
	json_add_bool(json, "mangled", rule->mangled);
	json_add_bool(json, "patched", rule->patched);
}

void show_module_name(struct text *text, const struct cairn_module *module)
{
	if (module->name)
		text_color(text, COLOR_FILE, module->name);
	else
		text_print(text, "module at 0x%" PRIx64, module->low);
}

/*
 * Find the offset that follows a function's name, as in "main + 4", or return NULL. Search for the
 * last " + ", because names of Swift operators may also contain " + ".
 */
static const char *find_offset(const char *function)
{
	const char *found = NULL;

	for (const char *at = function; (at = strstr(at, " + ")) != NULL; at++)
		found = at;
	return found && found[3] >= '0' && found[3] <= '9' ? found : NULL;
}

void show_location(struct text *text, const struct code_location *spot)
{
	const char *plus = find_offset(spot->function);
	size_t size = plus ? (size_t)(plus - spot->function) : strlen(spot->function);
	char name[sizeof(spot->function)];

	memcpy(name, spot->function, size);
	name[size] = '\0';
	text_color(text, COLOR_FUNCTION, *name ? name : "??");
	text_add(text, plus ? plus : "");
	text_add(text, spot->inlined ? " (inlined)" : "");
	if (!*spot->file)
		return;
	text_add(text, " at ");
	text_color(text, COLOR_FILE, spot->file);
	text_print(text, ":%u", spot->line);
}

void show_address(struct text *text, uint64_t address, int digits)
{
	char number[32];

	snprintf(number, sizeof(number), "0x%0*" PRIx64, digits, address);
	text_color(text, COLOR_ADDRESS, number);
}

void show_location_json(struct json_writer *json, const struct code_location *spot)
{
	const char *plus = find_offset(spot->function);

	json_add_address(json, "pc", spot->pc);
	if (*spot->function) {
		size_t size = plus ? (size_t)(plus - spot->function) : strlen(spot->function);
		json_add_bytes(json, "function",
		               (struct cairn_bytes){ (const uint8_t *)spot->function, size });
		json_add_number(json, "offset", plus ? strtoul(plus + 3, NULL, 10) : 0);
	}
	if (spot->inlined)
		json_add_bool(json, "inlined", true);
	if (*spot->file) {
		json_add_string(json, "file", spot->file);
		json_add_number(json, "line", spot->line);
	}
}

bool read_innermost_frame(struct command_call *call, struct cairn_registers *registers)
{
	switch (call->session->debugger->read_frame(call, registers)) {
	case FRAME_KNOWN:
		return true;
	case FRAME_UNREADABLE:
		reply_error(call, "cairn cannot read the module of the innermost frame");
		break;
	case FRAME_RUNNING:
		reply_error(call, "no stack: the selected thread is running");
		break;
	case FRAME_NONE:
		reply_error(call, "no stack");
		break;
	}
	return false;
}

enum answer innermost_find_module(struct command_call *call)
{
	const struct debugger *debugger = call->session->debugger;

	return debugger->find_frame_module ? debugger->find_frame_module(call) : ANSWER_READY;
}

/* Looks up addresses in their modules' symbol files, and adds a location for each inlined call. */

enum {
	MODULES = 32,
	LEVELS = 64,          /* maximum number of inlined calls shown for one address */
	OFFSET_CAPACITY = 32, /* capacity for " + 18446744073709551615" and a NUL */
};

/*
 * Symbol files that a command has opened. Failed searches are also recorded, to avoid repeating
 * them.
 */
struct open_modules {
	struct {
		uint64_t low;
		bool found;
		struct cairn_module module;
		struct source_hit hit;
	} entry[MODULES];
	size_t count;
};

static void set_function(struct code_location *spot, const struct cairn_location *location)
{
	char readable[CAIRN_DEMANGLE_MAX];
	struct cairn_bytes name = location->function;
	size_t size = cairn_demangle(name, readable, sizeof(readable));
	const size_t capacity = sizeof(spot->function) - OFFSET_CAPACITY;

	if (size > 0)
		name = (struct cairn_bytes){ (const uint8_t *)readable, size };
	size_t shown = name.size < capacity ? name.size : capacity;
	memcpy(spot->function, name.data, shown);
	spot->function[shown] = '\0';
	/*
	 * like debuggers, show an offset, except in an inlined call, where it would be meaningless
	 */
	if (location->offset > 0 && !location->inlined)
		snprintf(spot->function + strlen(spot->function), OFFSET_CAPACITY, " + %" PRIu64,
		         location->offset);
}

static void set_line(struct code_location *spot, const struct cairn_location *location,
                     bool full_path)
{
	char path[sizeof(spot->file)];

	spot->file[0] = '\0';
	spot->line = location->line;
	if (cairn_location_path(location, path, sizeof(path)) == 0 || location->line == 0)
		return;
	snprintf(spot->file, sizeof(spot->file), "%s", full_path ? path : path_last_part(path));
}

/* Find the symbols for the module at `pc`. A symbol file is opened only once per command. */
static bool find_module(struct command_call *call, struct open_modules *open, uint64_t pc,
                        size_t *index)
{
	struct cairn_module module;

	if (cairn_space_module(call->session->space, pc, &module) != CAIRN_OK ||
	    !module.has_headers || module.build_id.size == 0)
		return false;
	for (*index = 0; *index < open->count; ++*index)
		if (open->entry[*index].low == module.low)
			return open->entry[*index].found;
	if (open->count == MODULES)
		return false;
	*index = open->count++;
	open->entry[*index].low = module.low;
	open->entry[*index].module = module;
	call->session->poll_at = pc;
	open->entry[*index].found = sources_open(&call->session->sources, &module,
	                                         &open->entry[*index].hit, NULL) == CAIRN_OK;
	return open->entry[*index].found;
}

static size_t find_pc_locations(struct command_call *call, struct open_modules *open, uint64_t pc,
                                struct cairn_location location[LEVELS])
{
	struct cairn_lookup_result answer;
	size_t index, count = 0;

	if (!find_module(call, open, pc, &index))
		return 0;
	uint64_t va = pc - open->entry[index].module.bias - open->entry[index].hit.offset;
	if (cairn_symbols_find(open->entry[index].hit.file, va, &answer) != CAIRN_OK)
		return 0;
	while (count < LEVELS && cairn_lookup_result_next(&answer, &location[count]))
		count++;
	return count;
}

/*
 * Insert `more` copies of spots[i] after the original. Returns false and inserts nothing if
 * allocation fails.
 */
static bool insert_spots(struct trace *trace, size_t i, size_t more)
{
	size_t count = trace->count;

	for (size_t k = 0; k < more; k++)
		if (!trace_add(trace)) {
			trace->count = count;
			return false;
		}
	memmove(&trace->spots[i + 1 + more], &trace->spots[i + 1],
	        (count - i - 1) * sizeof(*trace->spots));
	for (size_t k = 1; k <= more; k++)
		trace->spots[i + k] = trace->spots[i];
	return true;
}

void naming_fill_spot(struct code_location *spot, const struct cairn_location *location,
                      bool full_path)
{
	set_function(spot, location);
	set_line(spot, location, full_path);
	spot->inlined = location->inlined;
}

/*
 * Fill in the names in spots[i] and insert a location for each inlined call. Returns the number of
 * locations that replace spots[i].
 */
static size_t fill_inlined_spots(struct command_call *call, struct trace *trace,
                                 struct open_modules *open, size_t i, bool full_path)
{
	struct cairn_location all[LEVELS], *location = all;
	size_t count = find_pc_locations(call, open, trace->spots[i].lookup, all);

	if (count == 0)
		return 1;
	/*
	 * an async caller's address is the first byte of its function, so it is not in an inlined
	 * call, even if the line table says so
	 */
	if (trace->spots[i].async) {
		location += count - 1;
		count = 1;
	}
	if (!insert_spots(trace, i, count - 1))
		count = 1;
	for (size_t k = 0; k < count; k++)
		naming_fill_spot(&trace->spots[i + k], &location[k], full_path);
	return count;
}

static uint64_t build_hash(struct cairn_bytes build_id)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < build_id.size; i++)
		hash = (hash ^ build_id.data[i]) * 0x100000001b3;
	return hash;
}

bool naming_note_build(struct named_builds *named, const struct cairn_module *module)
{
	uint64_t build = build_hash(module->build_id);
	size_t i = 0;

	while (i < NAMED_BUILDS && !(named->entry[i].used && named->entry[i].low == module->low))
		i++;
	if (i < NAMED_BUILDS && named->entry[i].build == build)
		return true;
	if (i == NAMED_BUILDS)
		i = named->next++ % NAMED_BUILDS;
	named->entry[i].used = true;
	named->entry[i].low = module->low;
	named->entry[i].build = build;
	return false;
}

/*
 * Return true if the module at the location has no name and the debugger should be queried for it.
 * The debugger is queried only once for each build at a load address, even if it does not know the
 * name.
 */
static bool lacks_name(struct command_call *call, const struct code_location *spot)
{
	struct cairn_module module;

	if (*spot->file ||
	    cairn_space_module(call->session->space, spot->lookup, &module) != CAIRN_OK ||
	    module.build_id.size == 0)
		return false;
	return !naming_note_build(&call->session->named, &module);
}

void naming_finish(void *context)
{
	trace_finish(context);
}

enum answer naming_ask_names(struct command_call *call)
{
	return call->session->debugger->name_spots(call, call->context,
	                                           command_call_option(call, "full-path"));
}

enum answer naming_ask_modules(struct command_call *call)
{
	struct trace *trace = call->context;
	const bool known = trace->lacks_modules;

	for (size_t i = 0; i < trace->count && !known; i++)
		trace->lacks_modules = lacks_name(call, &trace->spots[i]) || trace->lacks_modules;
	return trace->lacks_modules ? call->session->debugger->name_modules(call) : ANSWER_READY;
}

void naming_from_files(struct command_call *call)
{
	const bool full_path = command_call_option(call, "full-path");
	struct trace *trace = call->context;
	struct open_modules open = { .count = 0 };

	for (size_t i = 0; i < trace->count;)
		i += *trace->spots[i].file ? 1
		                           : fill_inlined_spots(call, trace, &open, i, full_path);
	for (size_t i = 0; i < open.count; i++)
		if (open.entry[i].found)
			sources_close(&call->session->sources, &open.entry[i].hit);
}

static enum answer demangle(struct command_call *call)
{
	const struct word_range names = words_operands(call->words);
	const enum cairn_name_form form =
		command_call_option(call, "full") ? CAIRN_NAME_FULL : CAIRN_NAME_SHORT;
	char demangled[CAIRN_DEMANGLE_MAX];

	for (unsigned i = names.first; i < names.end; i++) {
		const char *word = call->words->word[i];
		const struct cairn_bytes name = { (const uint8_t *)word, strlen(word) };
		const size_t size = cairn_demangle_as(name, form, demangled, sizeof(demangled));
		text_bytes(call->line, size ? demangled : word, size ? size : name.size);
		reply_line(call);
	}
	return ANSWER_READY;
}

const struct command command_demangle = {
	.name = "cairn demangle",
	.usage = "[-full] NAME",
	.help = "Print the demangled form of names of C++, Rust and Swift.\n"
		"Other names are printed unchanged. -full adds modules and types to Swift\n"
		"names.",
	.example = "cairn demangle $s4deck4DeckV4parkyySiF",
	.steps = { demangle },
};
