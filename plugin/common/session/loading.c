/* SPDX-License-Identifier: MIT */
/*
 * Plans a symbol load and carries it out: finds symbols for each module, creates symbol objects,
 * hands them to the debugger, and reports modules without symbols.
 */
#include "loading.h"

#include "common/base/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void lacking_add(struct lacking_modules *lacking, const struct cairn_module *module)
{
	const size_t i = lacking->count++;

	if (i >= LACKING_NAMED)
		return;
	snprintf(lacking->module[i].name, LACKING_NAME, "%s", module->name ? module->name : "");
	lacking->module[i].low = module->low;
	lacking->module[i].id = source_id(module->build_id);
}

static void add_missing_piece(void *text, const char *bytes, size_t size, bool is_name)
{
	(void)is_name; /* unused, because reply_line() escapes names as needed */
	text_bytes(text, bytes, size);
}

void lacking_write(const struct lacking_modules *lacking, const char *directories,
                   struct text *text)
{
	struct cairn_missing_module named[LACKING_NAMED];
	struct cairn_missing_symbols missing = CAIRN_MISSING_SYMBOLS;

	missing.modules = named;
	missing.count = lacking->count;
	for (size_t i = 0; i < lacking->count && i < LACKING_NAMED; i++) {
		const char *name = lacking->module[i].name;
		const struct source_id *id = &lacking->module[i].id;
		struct cairn_missing_module *module = &named[missing.module_count++];
		module->name = (struct cairn_bytes){ (const uint8_t *)name, strlen(name) };
		module->low = lacking->module[i].low;
		module->build_id = (struct cairn_bytes){ id->data, id->size };
	}
	missing.directories = directories ? "the directories in the setting \"directory\"" : NULL;
	missing.without_id = "link it with --build-id, by which symbols are found";
	missing.by_servers = "\"cairn symbols load -debuginfod\" asks the servers for them";
	missing.by_hand = "'cairn gsym create' creates them from an unstripped copy, and \"cairn "
			  "add-gsym FILE\" adds them";
	missing.write = add_missing_piece;
	missing.context = text;
	cairn_missing_symbols_write(&missing);
}

void plan_drop(struct plan *plan, struct plan_item *item)
{
	bool shared = false;

	for (size_t i = 0; i < plan->count; i++)
		shared = shared ||
		         (&plan->item[i] != item && plan->item[i].object.fd == item->object.fd);
	if (item->object.fd >= 0 && !shared && !item->moved && !item->twin)
		sources_release(plan->sources, item->object.fd);
	if (!item->moved) {
		free(item->object.path);
		free(item->object.module);
	}
	item->object.fd = -1;
}

/* Begin a new plan, and release objects that an interrupted command left behind. */
static void plan_begin(struct plan *plan, struct sources *sources, bool every, bool quiet)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->item[i].object.fd >= 0)
			plan_drop(plan, &plan->item[i]);
	*plan = (struct plan){ .sources = sources, .every = every, .quiet = quiet };
}

bool plan_lets_go(const struct plan *plan, const struct source_object *object)
{
	return !object->present && object->inferior == plan->inferior;
}

void plan_drop_leaving(struct plan *plan)
{
	for (size_t i = plan->sources->objects; plan->leaving > 0 && i-- > 0;)
		if (plan_lets_go(plan, &plan->sources->object[i]))
			sources_drop(plan->sources, i);
	plan->leaving = 0;
}

static bool plan_has_work(const struct plan *plan)
{
	if (plan->leaving > 0)
		return true;
	for (size_t i = 0; i < plan->count; i++)
		if (plan->item[i].object.fd >= 0)
			return true;
	return false;
}

static const struct symbol_loader *get_loader(const struct command_call *call)
{
	return call->session->debugger->loader;
}

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

uint16_t loading_elf_machine(enum cairn_machine machine)
{
	static const uint16_t numbers[] = { [CAIRN_MACHINE_AMD64] = 62,
		                            [CAIRN_MACHINE_AARCH64] = 183,
		                            [CAIRN_MACHINE_S390X] = 22 };

	return (size_t)machine < sizeof(numbers) / sizeof(*numbers) ? numbers[machine] : 0;
}

/*
 * Read the module's own file if it exists and has the module's build ID. Only this file records
 * which compiler built the module.
 */
static const struct cairn_program *read_module_file(const struct symbol_target *target,
                                                    struct cairn_program *file)
{
	const struct cairn_bytes *id = &target->module.build_id;

	if (target->program)
		return target->program;
	if (cairn_program_read(target->module.name, file, NULL) != CAIRN_OK ||
	    file->build_id_size != id->size || memcmp(file->build_id, id->data, id->size) != 0)
		return NULL;
	return file;
}

void loading_fill_options(const struct symbol_target *target, const struct cairn_program *file,
                          struct cairn_object_options *options)
{
	const struct cairn_module *module = &target->module;

	*options = (struct cairn_object_options){
		.size = sizeof(*options),
		.machine = loading_elf_machine(module->machine),
		.big_endian = module->big_endian,
		.keep = { module->low - module->bias, module->high - module->bias },
		.build_id = module->build_id,
		.by_clang = file && file->by_clang,
		.unwinds = file && file->unwinds,
		.section = target->program ? target->program->section : NULL,
		.sections = target->program ? target->program->sections : 0,
		.entry = target->program ? target->program->entry : 0,
	};
}

static const struct cairn_symbols *find_symbols(const struct source_hit *hit)
{
	return hit->file ? hit->file : NULL;
}

static void keep_object(const struct cairn_symbols *symbols, const struct cairn_object *object,
                        struct plan_item *item)
{
	item->object.fd = memfile_sealed(object->bytes.data, object->bytes.size);
	item->object.functions = object->functions;
	if (object->damaged)
		item->flaw = object->fault;
	else if (symbols)
		item->flaw = *cairn_symbols_read_fault(symbols);
}

bool loading_make_object(struct command_call *call, const struct symbol_target *target,
                         const struct source_hit *hit, struct plan_item *item, const char **why)
{
	struct loading *loading = call->context;
	const struct cairn_poll *poll = &call->session->sources.poll;
	struct cairn_object_options options;
	struct cairn_object object;

	loading_fill_options(target, read_module_file(target, &loading->file), &options);
	options.shift = hit->offset;
	options.poll = poll->poll;
	options.poll_context = poll->context;
	if (get_loader(call)->set_options)
		get_loader(call)->set_options(call, target, &options);
	item->object.made = options.sframe_file.size > 0;
	enum cairn_status status = cairn_object_make(find_symbols(hit), &options, &object);

	*why = status == CAIRN_NOT_FOUND ? "no functions inside the module"
	                                 : cairn_status_text(status);
	if (status != CAIRN_OK)
		return false;
	keep_object(find_symbols(hit), &object, item);
	*why = "out of memory or file descriptors";
	cairn_object_free(&object);
	return item->object.fd >= 0;
}

/*
 * If the debugger finds objects as debug files, put the object into a directory that it searches
 * for them. Closes the object on failure.
 */
static bool place_object(struct command_call *call, struct plan_item *item, const char **why)
{
	if (!get_loader(call)->place_object || get_loader(call)->place_object(call, item, why))
		return true;
	memfile_close(item->object.fd);
	return false;
}

/* Return an object with the same symbols that is already in use in another inferior, or NULL. */
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

/*
 * Return a pc whose line the symbol file contains, or 0. The debugger is queried for the line at
 * this pc, to find out whether it has a line table of its own.
 */
static uint64_t loading_find_sample(const struct symbol_target *target,
                                    const struct source_hit *hit)
{
	enum { TRIES = 256 };
	uint64_t step = (target->text.high - target->text.low) / TRIES + 1, pc = target->text.low;
	struct cairn_lookup_result answer;
	struct cairn_location location;

	for (unsigned i = 0; hit->file && i < TRIES && pc < target->text.high; i++, pc += step)
		if (cairn_symbols_find(hit->file, pc - target->module.bias - hit->offset,
		                       &answer) == CAIRN_OK &&
		    cairn_lookup_result_next(&answer, &location) && location.line > 0)
			return pc;
	return 0;
}

/*
 * Reuse the object of another inferior, or create a new object. Returns false and sets *why on
 * failure.
 */
static bool fill_item(struct command_call *call, const struct symbol_target *target,
                      const struct source_hit *hit, struct plan_item *item, const char **why)
{
	*why = cairn_status_text(CAIRN_NO_MEMORY);
	if (!item->object.path || !item->object.module)
		return false;
	const struct source_object *twin = find_twin(&call->session->sources, &item->object);
	item->twin = twin != NULL;
	if (!twin)
		return loading_make_object(call, target, hit, item, why) &&
		       place_object(call, item, why);
	item->object.fd = twin->fd;
	item->object.functions = twin->functions;
	return true;
}

/*
 * Return true if the debugger's lines for the program may come from cairn's object for an earlier
 * build of the program.
 */
static bool has_stale_program(const struct sources *sources, int inferior)
{
	for (size_t i = 0; i < sources->objects; i++)
		if (sources->object[i].program && sources->object[i].inferior == inferior)
			return true;
	return false;
}

static void add_hit_to_plan(struct command_call *call, const struct symbol_target *target,
                            const struct source_hit *hit)
{
	struct plan *plan = get_plan(call);
	const struct cairn_module *module = &target->module;
	const char *path = hit->file ? cairn_symbols_path(hit->file) : module->name, *why;
	struct plan_item item = { .object = { .fd = -1,
		                              .inferior = plan->inferior,
		                              .path = strdup(path),
		                              .module = strdup(module->name),
		                              .id = source_id(module->build_id),
		                              .offset = hit->offset,
		                              .bias = module->bias,
		                              .program = target->program != NULL } };

	if (!fill_item(call, target, hit, &item, &why)) {
		reply_error(call, "%s: %s", path, why);
		free(item.object.path);
		free(item.object.module);
		return;
	}
	if (!target->program || !has_stale_program(&call->session->sources, plan->inferior))
		item.sample = loading_find_sample(target, hit);
	plan->item[plan->count++] = item;
}

/* Record that the debugger already has the object, possibly at another address. */
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
 * Return true if the symbols can be added now. Symbols at absolute addresses cannot be added before
 * the program runs, because the module's final address is not known yet, so the symbols would be
 * wrong in the process.
 */
static bool can_be_added(struct command_call *call, const struct symbol_target *target)
{
	struct plan *plan = get_plan(call);

	if (target->can_be_added)
		return true;
	plan->own++;
	if (!plan->every)
		reply_error(call, "%s: %s %s%s", target->module.name, debugger_name(call),
		            target->module.build_id.size > 0
		                    ? "already has debug information for this module"
		                    : "cannot find symbols without a build ID",
		            get_loader(call)->add_later);
	return false;
}

/*
 * Return false while the debugger is reading the program's file, because it must not start to
 * reread the file before it has finished.
 */
static bool can_be_read(struct command_call *call, const struct symbol_target *target)
{
	struct plan *plan = get_plan(call);

	if (!target->program || !get_loader(call)->is_reading())
		return true;
	if (!plan->quiet && !call->json)
		reply_print(
			call,
			"%s: %s is still reading this file; load its symbols later with \"cairn "
			"symbols load\", or use auto-symbols",
			target->module.name, debugger_name(call));
	plan->quiet = true;
	return false;
}

/* Plan an object with these symbols. It replaces an object that has only call frame information. */
static void plan_hit(struct command_call *call, const struct symbol_target *target,
                     struct source_object *old, struct source_hit *hit)
{
	struct sources *sources = &call->session->sources;

	if (old)
		sources_drop(sources, (size_t)(old - sources->object));
	add_hit_to_plan(call, target, hit);
	sources_close(sources, hit);
}

static void plan_without_symbols(struct command_call *call, const struct symbol_target *target,
                                 const struct source_object *old, const char *why)
{
	struct plan *plan = get_plan(call);
	const struct source_hit none = { .file = NULL };

	if (old) {
		add_loaded_to_plan(plan, old, &target->module);
		return;
	}
	if (get_loader(call)->wants_frames && get_loader(call)->wants_frames(call, target)) {
		add_hit_to_plan(call, target, &none);
		return;
	}
	plan->without++;
	lacking_add(&plan->lacking, &target->module);
	if (!plan->every)
		reply_error(call, "no symbols for %s: %s", target->module.name, why);
}

static void plan_target(struct command_call *call, const struct symbol_target *target)
{
	const struct loading *loading = call->context;
	struct sources *sources = &call->session->sources;
	struct source_object *old =
		sources_object(sources, loading->list.inferior, &target->module);
	struct source_hit hit;
	struct cairn_error error;

	if (get_loader(call)->is_prepared && get_loader(call)->is_prepared(call, target))
		get_plan(call)->prepared = true;
	/* an object that has only call frame information is replaced; any other is kept */
	if (old && (old->functions > 0 || strcmp(old->path, old->module) != 0)) {
		add_loaded_to_plan(get_plan(call), old, &target->module);
		return;
	}
	if (!can_be_added(call, target) || !can_be_read(call, target))
		return;
	if (sources_open(sources, &target->module, &hit, &error) == CAIRN_OK)
		plan_hit(call, target, old, &hit);
	else
		plan_without_symbols(call, target, old, error.text);
}

void loading_target(struct command_call *call, const struct symbol_target *target)
{
	const struct loading *loading = call->context;
	struct plan *plan = get_plan(call);

	plan->inferior = loading->list.inferior;
	plan->alive = loading->list.alive;
	plan->modules++;
	call->session->poll_at = target->text.low;
	if (plan->count < SOURCES_MAX && call->session->sources.objects + plan->count < SOURCES_MAX)
		plan_target(call, target);
}

void loading_targets(struct command_call *call, const char *name)
{
	const struct loading *loading = call->context;
	struct symbol_target target;

	for (size_t i = 0; i < loading->list.count; i++)
		if (get_loader(call)->read_target(call, i, &target) &&
		    (!name || path_is_called(target.module.name, name)))
			loading_target(call, &target);
	if (name && loading->plan.modules == 0)
		reply_error(call, "no readable module %s; \"cairn modules\" lists the modules",
		            name);
}

void loading_remove_stale(struct command_call *call)
{
	const struct loading *loading = call->context;
	struct sources *sources = &call->session->sources;
	struct plan *plan = get_plan(call);

	plan->inferior = loading->list.inferior;
	plan->alive = loading->list.alive;
	for (size_t i = 0; i < sources->objects; i++) {
		struct source_object *o = &sources->object[i];
		bool leaves = o->inferior == plan->inferior &&
		              !get_loader(call)->has_module(call, o->module);
		o->present = !leaves;
		plan->leaving += leaves;
	}
}

enum answer loading_ask_own(struct command_call *call)
{
	struct loading *loading = call->context;

	loading->asked_own =
		loading->asked_own ||
		((loading->plan.every || loading->plan.prepared) && plan_has_work(&loading->plan));
	return loading->asked_own ? get_loader(call)->ask_own_lines(call, &loading->plan)
	                          : ANSWER_READY;
}

enum answer loading_take(struct command_call *call)
{
	struct loading *loading = call->context;

	loading->taking = loading->taking || plan_has_work(&loading->plan);
	if (loading->taking)
		return get_loader(call)->take_objects(call, &loading->plan);
	return call->failed ? ANSWER_FAILED : ANSWER_READY;
}

/*
 * Print the objects that the debugger has loaded, or the reason why it has loaded none. Returns the
 * number of loaded objects.
 */
static size_t print_loaded(struct command_call *call, const struct plan *plan)
{
	struct json_writer json = { 0 };
	size_t loaded = 0;

	if (call->json) {
		json = reply_begin_json(call);
		json_begin_array(&json, "loaded");
	}
	for (size_t i = 0; i < plan->count; i++) {
		const struct source_object *o = &plan->item[i].object;
		const struct cairn_fault *flaw = &plan->item[i].flaw;
		if (o->fd < 0)
			continue;
		loaded++;
		if (call->json) {
			json_begin_object(&json, NULL);
			json_add_string(&json, "module", o->module);
			json_add_string(&json, "file", o->path);
			json_add_number(&json, "functions", o->functions);
			json_add_address(&json, "bias", o->bias);
			/* report which damaged range was skipped when the file was read */
			json_add_fault(&json, "damage", flaw);
			json_end_object(&json);
			continue;
		}
		if (plan->quiet && plan->item[i].renewed)
			continue;
		if (o->functions == 0 && strcmp(o->path, o->module) == 0)
			reply_print(call, "%s: frames from %s", o->module,
			            o->made ? "a table that was made for it" : "its .sframe");
		else
			reply_print(call, "%s: %" PRIu64 " functions from %s", o->module,
			            o->functions, o->path);
		if (flaw->status != CAIRN_OK)
			reply_print(call, "  damaged: %s at byte %" PRIu64 " (0x%" PRIx64 ")",
			            flaw->what, flaw->offset, flaw->offset);
	}
	if (call->json) {
		json_end_array(&json);
		json_add_number(&json, "modules", plan->modules);
		json_add_number(&json, "already", plan->kept + plan->own);
		json_add_number(&json, "without", plan->without);
		reply_end_json(call, &json);
		return loaded;
	}
	if (loaded > 0 || call->failed || plan->quiet)
		return loaded;
	if (plan->kept > 0 || plan->own > 0) {
		reply_print(call, "Nothing to load: %s has the symbols of %zu of %zu modules.",
		            debugger_name(call), plan->kept + plan->own, plan->modules);
		return 0;
	}
	reply_print(call, "No symbols found for %zu module%s.", plan->modules,
	            plan->modules == 1 ? "" : "s");
	if (plan->lacking.count > 0) {
		text_add(call->line, "cairn: ");
		lacking_write(&plan->lacking, call->session->sources.directories, call->line);
		reply_line(call);
	}
	return 0;
}

enum answer loading_report(struct command_call *call)
{
	struct plan *plan = get_plan(call);
	size_t loaded = print_loaded(call, plan);

	plan->count = 0; /* the debugger now owns the objects */
	reply_set(call, "cairn_loaded", loaded);
	return ANSWER_READY;
}

enum { PATH_CAPACITY = 64 }; /* capacity for a debug file's path, not counting the build ID */

/*
 * Return true if the module's own file contains DWARF, or if a debug file exists in a standard
 * location.
 */
static bool has_debug_file(struct command_call *call, const struct symbol_target *target)
{
	struct loading *loading = call->context;
	char path[PATH_CAPACITY + 2 * SOURCES_ID];

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
