/* SPDX-License-Identifier: MIT */
/*
 * Creates the symbol object for a process's JIT code, and detects when the process generates more
 * code.
 */
#include "jit_code.h"

#include "common/base/files.h"
#include "common/base/text.h"
#include "common/session/loading.h"
#include "queries/gdb_output.h"
#include "queries/gdb_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_SIZE = 64, STATUS_MAX = 4096 };

static uint64_t find_pid(const char *said)
{
	struct inferior_row row;

	while (inferiors_next(&said, &row))
		if (row.is_current && row.process != 0)
			return row.process;
	return 0;
}

/* Read the start of the file /proc/PID/NAME. The result is empty if the file cannot be read. */
static void read_process_file(uint64_t pid, const char *name, char text[STATUS_MAX + 1])
{
	char path[NAME_SIZE];

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/%s", pid, name);
	FILE *file = fopen(path, "re");
	text[file ? fread(text, 1, STATUS_MAX, file) : 0] = '\0';
	if (file)
		fclose(file);
}

/*
 * Return true if this GDB traces the process. Otherwise the pid may belong to another machine, or
 * the process may be gone.
 */
static bool is_traced_here(uint64_t pid)
{
	char text[STATUS_MAX + 1];

	read_process_file(pid, "status", text);
	const char *tracer = strstr(text, "\nTracerPid:\t");
	return tracer && strtol(tracer + 12, NULL, 10) == (long)getpid();
}

/* Extract the path of the core that GDB has open from the output of `info files`. */
static bool find_core(const char *said, struct text *path)
{
	static const char head[] = "Local core dump file:\n\t`";
	const char *at = strstr(said, head);
	const char *end = at ? strstr(at, "', file type ") : NULL;

	if (!end)
		return false;
	text_bytes(path, at + sizeof(head) - 1, (size_t)(end - at) - (sizeof(head) - 1));
	return path->data && !path->cut;
}

static const struct info_files_module *find_known_module(const struct gdb_state *state)
{
	for (size_t i = 0; i < state->files.count; i++)
		if (state->files.modules[i].host.machine != CAIRN_MACHINE_NONE)
			return &state->files.modules[i];
	return NULL;
}

/*
 * List the address ranges of all modules. JIT symbols in these ranges are ignored, because modules
 * have their own symbols.
 */
static struct cairn_range *list_modules(const struct gdb_state *state)
{
	struct cairn_range *range = calloc(state->files.count + 1, sizeof(*range));

	for (size_t i = 0; range && i < state->files.count; i++)
		range[i] = (struct cairn_range){ state->files.modules[i].host.low,
			                         state->files.modules[i].host.high };
	return range;
}

/*
 * Cleanup handlers for the functions below, needed because GDB may throw an exception on Ctrl-C
 * while these functions read symbols.
 */
static void free_symbols(struct cairn_symbols **symbols)
{
	cairn_symbols_free(*symbols);
}

static void free_ranges(struct cairn_range **ranges)
{
	free(*ranges);
}

static void free_file(struct cairn_made_code **file)
{
	if (*file)
		cairn_made_code_free(*file);
	free(*file);
}

/* Give the symbols to the unwinder, so that it unwinds JIT code for which GDB has no rules. */
static void give_unwinder(struct gdb_session *s, struct cairn_symbols **symbols, bool has_rules)
{
	const struct info_files_module *module = find_known_module(s->state);

	if (!module || s->jit.symbols)
		return;
	s->jit.symbols = *symbols;
	*symbols = NULL;
	s->unwinder.jit_code = s->jit.symbols;
	s->unwinder.jit_code_has_rules = has_rules;
	/* a pc in JIT code does not identify the machine, so assume the machine of this module */
	if (s->unwinder.machine == CAIRN_MACHINE_NONE) {
		s->unwinder.machine = module->host.machine;
		s->unwinder.big_endian = module->host.big_endian;
		s->unwinder.home = info_files_pc(module);
	}
}

static void take_from_unwinder(struct gdb_session *s)
{
	s->unwinder.jit_code = NULL;
	cairn_symbols_free(s->jit.symbols);
	s->jit.symbols = NULL;
}

static bool is_dump(const struct cairn_made_code *file)
{
	static const char end[] = ".dump";
	const size_t size = strlen(file->path);

	return size >= sizeof(end) - 1 && strcmp(file->path + size - (sizeof(end) - 1), end) == 0;
}

/*
 * Create a symbol object from the perf map or jitdump. Leaves `item` unchanged if all functions lie
 * in modules.
 */
static enum cairn_status make_object(struct command_call *call, const struct cairn_made_code *file,
                                     struct plan_item *item, struct cairn_fault *fault)
{
	const struct gdb_state *state = gdb_session(call)->state;
	const struct cairn_poll *poll = &call->session->sources.poll;
	CLEANUP(free_ranges) struct cairn_range *modules = list_modules(state);
	struct cairn_object_options options = { .size = sizeof(options),
		                                .jit = file->bytes,
		                                .excluded = modules,
		                                .excluded_count = modules ? state->files.count : 0,
		                                .poll = poll->poll,
		                                .poll_context = poll->context };
	CLEANUP(free_symbols) struct cairn_symbols *symbols = NULL;
	const struct info_files_module *module = find_known_module(state);
	struct cairn_symbols_options symbols_options = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_object object;

	symbols_options.format = CAIRN_SYMBOLS_JIT;
	symbols_options.pid = file->pid;
	symbols_options.poll = poll;
	if (module) {
		options.machine = loading_elf_machine(module->host.machine);
		options.big_endian = module->host.big_endian;
	}
	enum cairn_status status =
		cairn_symbols_open_bytes(file->bytes, &symbols_options, &symbols, fault);
	if (status == CAIRN_OK) {
		fault->what = "no functions outside of modules";
		status = cairn_object_make(symbols, &options, &object);
	}
	if (status == CAIRN_OK) {
		item->object.fd = memfile_sealed(object.bytes.data, object.bytes.size);
		item->object.functions = object.functions;
		cairn_object_free(&object);
		give_unwinder(gdb_session(call), &symbols, is_dump(file));
	}
	return status;
}

static struct source_object *find_object(struct sources *sources, int inferior, const char *name)
{
	for (size_t i = 0; i < sources->objects; i++)
		if (sources->object[i].inferior == inferior &&
		    strcmp(sources->object[i].module, name) == 0)
			return &sources->object[i];
	return NULL;
}

static void plan_file(struct command_call *call, struct plan *plan, const char *name,
                      const struct cairn_made_code *file, bool renewed)
{
	struct plan_item item = { .object = { .fd = -1,
		                              .inferior = plan->inferior,
		                              .path = strdup(file->path),
		                              .module = strdup(name) },
		                  .renewed = renewed };
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	enum cairn_status status = CAIRN_NO_MEMORY;

	if (item.object.path && item.object.module && plan->count < SOURCES_MAX)
		status = make_object(call, file, &item, &fault);
	if (item.object.fd >= 0) {
		plan->item[plan->count++] = item;
		return;
	}
	if (status != CAIRN_NOT_FOUND && !plan->quiet)
		reply_error(call, "%s: %s", file->path,
		            status == CAIRN_MISMATCH ? fault.what : cairn_status_text(status));
	free(item.object.path);
	free(item.object.module);
}

static bool is_current(struct command_call *call, const struct plan *plan,
                       struct source_object *object)
{
	const struct jit_watch *watch = &gdb_session(call)->jit;

	return object && watch->inferior == plan->inferior && watch->present &&
	       strcmp(watch->path, object->path) == 0 &&
	       source_fingerprint_holds(watch->path, &watch->print);
}

/*
 * Return the process's size in pages, or 0 if unknown. The size changes when the process maps
 * another file.
 */
static uint64_t read_pages(uint64_t pid)
{
	char text[STATUS_MAX + 1];

	read_process_file(pid, "statm", text);
	return strtoull(text, NULL, 10);
}

static void watch_file(struct jit_watch *watch, const struct plan *plan,
                       const struct cairn_made_code_process *process,
                       const struct cairn_made_code *file)
{
	watch->inferior = plan->inferior;
	watch->pid = process->pid;
	watch->running = process->running;
	watch->pages = process->running ? read_pages(process->pid) : 0;
	snprintf(watch->path, sizeof(watch->path), "%s", file->path);
	watch->present = source_fingerprint_read(watch->path, &watch->print);
}

static void plan_process(struct command_call *call, struct plan *plan,
                         const struct cairn_made_code_process *process)
{
	struct sources *sources = &call->session->sources;
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "code made by process %" PRIu64, process->pid);
	struct source_object *old = find_object(sources, plan->inferior, name);
	if (is_current(call, plan, old)) {
		/*
		 * plan->leaving counts this object, because JIT code is not in GDB's list of
		 * modules; subtract it again
		 */
		if (!old->present)
			plan->leaving--;
		old->present = true;
		plan->kept++;
		return;
	}
	CLEANUP(free_file) struct cairn_made_code *file = calloc(1, sizeof(*file));
	if (!file)
		return;
	take_from_unwinder(gdb_session(call));
	if (cairn_made_code_read(process, file, NULL) == CAIRN_OK)
		plan_file(call, plan, name, file, old != NULL);
	watch_file(&gdb_session(call)->jit, plan, process, file);
}

void jit_code_plan(struct command_call *call, struct plan *plan)
{
	const char *said = gdb_call(call)->output;
	struct text core = { .data = NULL };
	struct cairn_made_code_process process = { .pid = find_pid(said),
		                                   .directories =
		                                           call->session->sources.directories };

	gdb_session(call)->jit.inferior = 0;
	if (!plan->alive || process.pid == 0) {
		take_from_unwinder(gdb_session(call));
		return;
	}
	if (find_core(said, &core))
		process.core = core.data;
	else
		process.running = is_traced_here(process.pid);
	gdb_session(call)->jit.inferior = plan->inferior;
	if (process.running || process.core)
		plan_process(call, plan, &process);
	text_finish(&core);
}

/*
 * Return true if the process has mapped a jitdump. A jitdump may be in any directory, so look for
 * it in the process's mappings. Read the mappings only if the process's size has changed.
 */
static bool has_begun_dump(struct jit_watch *watch)
{
	const struct cairn_made_code_process process = { .pid = watch->pid, .running = true };
	const uint64_t pages = watch->running ? read_pages(watch->pid) : 0;

	if (pages == 0 || pages == watch->pages)
		return false;
	watch->pages = pages;
	CLEANUP(free_file) struct cairn_made_code *file = calloc(1, sizeof(*file));
	return file && cairn_made_code_read(&process, file, NULL) == CAIRN_OK;
}

bool jit_code_changed(struct gdb_session *session, int inferior)
{
	struct jit_watch *watch = &session->jit;

	if (watch->inferior != inferior || watch->path[0] == '\0')
		return false;
	return watch->present ? !source_fingerprint_holds(watch->path, &watch->print)
	                      : access(watch->path, F_OK) == 0 || has_begun_dump(watch);
}
