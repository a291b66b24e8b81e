/* SPDX-License-Identifier: MIT */
/* Builds a symbol object for each module, plans its handover to GDB and prints the result. */
#include "loading.h"

#include "loaded.h"
#include "symbol_handover.h"

#include "common/base/json_writer.h"
#include "common/base/memfile.h"
#include "queries/autoload.h"
#include "symbols/debug_file_directory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A module that is to be served. */
struct target {
	const struct cairn_module *module;
	const struct cairn_program *program; /* its file, if GDB can look symbols up for it */
	struct cairn_range text;
};

static struct plan *get_plan(struct command_call *call)
{
	struct loading *loading = call->context;

	return &loading->plan;
}

void loading_begin(struct command_call *call, bool every, bool quiet)
{
	plan_begin(get_plan(call), &call->session->sources, every, quiet);
}

void loading_finish(void *context)
{
	struct loading *loading = context;

	plan_begin(&loading->plan, loading->plan.sources, false, false);
}

static uint16_t get_elf_machine(enum cairn_machine machine)
{
	static const uint16_t numbers[] = { 0, 62, 183, 22 };

	return numbers[machine];
}

/* Symbols do not tell the compiler, nor tables of frames; the module's file does, if it is still there. */
static const struct cairn_program *read_module_file(const struct target *target,
                                                    struct cairn_program *file)
{
	const struct cairn_bytes *id = &target->module->build_id;
	struct cairn_fault fault;

	if (target->program)
		return target->program;
	if (cairn_program_read(target->module->name, file, &fault) != CAIRN_OK ||
	    file->build_id_size != id->size || memcmp(file->build_id, id->data, id->size) != 0)
		return NULL;
	return file;
}

/* The module's symbols as an object at a descriptor of *item; false with *why. */
static bool make_object(struct command_call *call, const struct target *target,
                        const struct source_hit *hit, struct plan_item *item, const char **why)
{
	const struct cairn_module *module = target->module;
	struct loading *loading = call->context;
	const struct cairn_program *file = read_module_file(target, &loading->file);
	const struct cairn_poll *poll = &call->session->sources.poll;
	const struct cairn_symbols *symbols = cairn_symbol_file_symbols(hit->file);
	const struct cairn_object_options options = {
		.machine = get_elf_machine(module->machine),
		.big_endian = module->big_endian,
		.shift = hit->offset,
		.keep = { module->low - module->bias, module->high - module->bias },
		.build_id = module->build_id,
		.by_clang = file && file->by_clang,
		.unwinds = file && file->unwinds,
		.section = target->program ? target->program->section : NULL,
		.sections = target->program ? target->program->sections : 0,
		.entry = target->program ? target->program->entry : 0,
		.poll = poll->poll,
		.poll_context = poll->context,
	};
	struct cairn_object object;
	enum cairn_status status = cairn_object_make(symbols, &options, &object);

	*why = status == CAIRN_NOT_FOUND ? "no functions inside the module"
	                                 : cairn_status_text(status);
	if (status != CAIRN_OK)
		return false;
	item->object.fd = memfile_sealed(object.bytes.data, object.bytes.size);
	item->object.functions = object.functions;
	item->flaw = object.damaged ? object.fault : *cairn_symbols_read_fault(symbols);
	*why = "out of memory or file descriptors";
	cairn_object_free(&object);
	return item->object.fd >= 0;
}

/* An object that GDB will look up itself lies where it looks. */
static bool store_object(struct gdb_session *session, struct plan_item *item, const char **why)
{
	if (!item->object.program ||
	    debug_file_directory_add(
		    &session->directory, item->object.fd,
		    (struct cairn_bytes){ item->object.id.data, item->object.id.size }))
		return true;
	*why = "cannot create a folder in $TMPDIR, /tmp, /dev/shm or /var/tmp; start GDB with "
	       "TMPDIR set to a writable folder";
	memfile_close(item->object.fd);
	return false;
}

/* Another inferior may hold the very same object. */
static const struct source_object *find_twin(const struct sources *sources,
                                             const struct source_object *object)
{
	const struct cairn_bytes id = { object->id.data, object->id.size };

	for (size_t i = 0; i < sources->objects; i++) {
		const struct source_object *o = &sources->object[i];
		if (source_is(&o->id, id) && o->offset == object->offset &&
		    o->program == object->program && strcmp(o->path, object->path) == 0)
			return o;
	}
	return NULL;
}

/* Where the symbols know a line: the place to ask GDB whether it knows one, too. */
static uint64_t find_sample(const struct target *target, const struct source_hit *hit)
{
	enum { TRIES = 256 };
	uint64_t step = (target->text.high - target->text.low) / TRIES + 1, pc = target->text.low;
	struct cairn_lookup_result answer;
	struct cairn_location location;

	for (unsigned i = 0; i < TRIES && pc < target->text.high; i++, pc += step)
		if (cairn_symbols_find(cairn_symbol_file_symbols(hit->file),
		                       pc - target->module->bias - hit->offset,
		                       &answer) == CAIRN_OK &&
		    cairn_lookup_result_next(&answer, &location) && location.line > 0)
			return pc;
	return 0;
}

static void free_item(struct plan_item *item)
{
	free(item->object.path);
	free(item->object.module);
}

/* The object of the item, its twin or a new one; false with *why. */
static bool fill_item(struct command_call *call, const struct target *target,
                      const struct source_hit *hit, struct plan_item *item, const char **why)
{
	*why = cairn_status_text(CAIRN_NO_MEMORY);
	if (!item->object.path || !item->object.module)
		return false;
	const struct source_object *twin = find_twin(&call->session->sources, &item->object);
	item->twin = twin != NULL;
	if (!twin)
		return make_object(call, target, hit, item, why) &&
		       store_object(gdb_session(call), item, why);
	item->object.fd = twin->fd;
	item->object.functions = twin->functions;
	return true;
}

/* Lines that GDB has for the program may be ours, of the build that was there before. */
static bool has_stale_program(const struct sources *sources, int inferior)
{
	for (size_t i = 0; i < sources->objects; i++)
		if (sources->object[i].program && sources->object[i].inferior == inferior)
			return true;
	return false;
}

static void add_hit_to_plan(struct command_call *call, const struct target *target,
                            const struct source_hit *hit)
{
	struct plan *plan = get_plan(call);
	const struct cairn_module *module = target->module;
	const char *path = cairn_symbol_file_path(hit->file), *why;
	struct plan_item item = { .object = { .fd = -1,
		                              .inferior = plan->inferior,
		                              .path = source_copy_text(path),
		                              .module = source_copy_text(module->name),
		                              .id = source_id(module->build_id),
		                              .offset = hit->offset,
		                              .bias = module->bias,
		                              .program = target->program != NULL } };

	if (!fill_item(call, target, hit, &item, &why)) {
		reply_error(call, "%s: %s", path, why);
		free_item(&item);
		return;
	}
	if (!target->program || !has_stale_program(&call->session->sources, plan->inferior))
		item.sample = find_sample(target, hit);
	plan->item[plan->count++] = item;
}

/* GDB has it, perhaps for where the module was before. */
static void add_loaded_to_plan(struct plan *plan, const struct source_object *old,
                               const struct cairn_module *module)
{
	if (old->program || old->bias == module->bias) {
		plan->kept++;
		return;
	}
	plan->item[plan->count] = (struct plan_item){ .object = *old, .moved = true };
	plan->item[plan->count++].object.bias = module->bias;
}

/*
 * What GDB is to add at an address has none before the program runs: it would be in the way of the
 * process then.
 */
static bool can_be_added(struct command_call *call, const struct target *target)
{
	struct plan *plan = get_plan(call);
	if (plan->alive || target->program)
		return true;
	plan->own++;
	if (!plan->every)
		reply_error(call,
		            "%s: GDB has debug information for it; start the program first to "
		            "add other symbols",
		            target->module->name);
	return false;
}

/* What GDB is just reading is not read again. */
static bool can_be_read(struct command_call *call, const struct target *target)
{
	struct plan *plan = get_plan(call);
	if (!target->program || !autoload_is_running())
		return true;
	if (!plan->quiet && !call->json)
		reply_print(call,
		            "%s: GDB is still reading it; load its symbols later with \"cairn "
		            "symbols load\", or use auto-symbols",
		            target->module->name);
	plan->quiet = true;
	return false;
}

void loading_module(struct command_call *call, struct gdb_state *survey, size_t index,
                    const struct cairn_module *module)
{
	struct plan *plan = get_plan(call);
	struct sources *sources = &call->session->sources;
	const struct source_object *old =
		sources_object(sources, survey->inferior, module->build_id);
	const struct target target = { module, gdb_state_program(survey, index, module),
		                       survey->files.modules[index].text };
	struct source_hit hit;
	struct cairn_fault fault;

	plan->inferior = survey->inferior;
	plan->alive = survey->alive;
	plan->modules++;
	call->session->poll_at = target.text.low;
	if (plan->count == SOURCES_MAX || sources->objects + plan->count >= SOURCES_MAX)
		return;
	if (old) {
		add_loaded_to_plan(plan, old, module);
		return;
	}
	if (!can_be_added(call, &target) || !can_be_read(call, &target))
		return;
	if (sources_open(sources, module, &hit, &fault) == CAIRN_OK) {
		add_hit_to_plan(call, &target, &hit);
		sources_close(sources, &hit);
		return;
	}
	plan->without++;
	if (!plan->every)
		reply_error(call, "no symbols for %s: %s", module->name, fault.what);
}

void loading_modules(struct command_call *call, struct gdb_state *survey, const char *name)
{
	struct plan *plan = get_plan(call);
	struct cairn_module module;

	for (size_t i = 0; i < survey->files.count; i++)
		if (gdb_state_module(call, survey, i, &module) &&
		    (!name || gdb_state_module_matches(&module, name)))
			loading_module(call, survey, i, &module);
	if (name && plan->modules == 0)
		reply_error(call, "no module %s that can be read; \"cairn modules\" lists them",
		            name);
}

static bool has_module(const struct gdb_state *survey, const char *module)
{
	size_t size = strlen(module);

	for (size_t i = 0; i < survey->files.count; i++) {
		struct cairn_bytes name = survey->files.modules[i].name;
		if (name.size == size && memcmp(name.data, module, size) == 0)
			return true;
	}
	return false;
}

void loading_remove_stale(struct command_call *call, const struct gdb_state *survey)
{
	struct plan *plan = get_plan(call);
	struct sources *sources = &call->session->sources;

	plan->inferior = survey->inferior;
	plan->alive = survey->alive;
	for (size_t i = 0; i < sources->objects; i++) {
		struct source_object *o = &sources->object[i];
		bool leaves = o->inferior == plan->inferior && !has_module(survey, o->module);
		o->present = !leaves;
		plan->leaving += leaves;
	}
}

static void finish_loading(struct command_call *call)
{
	struct plan *plan = get_plan(call);

	symbol_handover_read(call, plan);
	size_t loaded = print_loaded(call, plan);
	plan->count = 0; /* it is GDB's now */
	reply_set(call, "cairn_loaded", loaded);
}

void loading_continue(struct command_call *call)
{
	const enum question asked = gdb_call(call)->exchange->asked;
	struct plan *plan = get_plan(call);

	if (asked == PENDING_GDB_STATE && plan->every && plan_has_work(plan)) {
		symbol_handover_request_own(call, plan);
		return;
	}
	if (asked == PENDING_OWN)
		symbol_handover_read_own(call, plan);
	if (asked != PENDING_LOADED && plan_has_work(plan))
		symbol_handover_request(call, plan);
	else if (!call->failed)
		finish_loading(call);
}
