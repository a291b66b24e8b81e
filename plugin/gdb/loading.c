/* SPDX-License-Identifier: MIT */
#include "loading.h"

#include "memfile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What one loading is going to do with one module. */
struct item {
	struct source_object object; /* fd -1: nothing to hand over */
	struct cairn_fault flaw;     /* in the file; OK: none */
	uint64_t sample;             /* pc of code with a line */
	bool moved;                  /* GDB has it, for another place */
};

/* The loading in progress, from one answer of GDB to the next. */
static struct plan {
	struct item item[SOURCES_MAX];
	size_t count;
	int inferior;
	struct cairn_range text; /* of the module in question */
	size_t modules, without; /* met; without symbols to be found */
	size_t kept;             /* in GDB already */
	size_t own;              /* of which GDB has lines */
	size_t leaving;          /* objects whose modules are gone */
	bool every;              /* modules that GDB has lines for are left alone */
	bool quiet;              /* nobody asked for it: nothing is said of nothing */
} plan;

static void forget_item(struct item *item)
{
	bool shared = false;

	for (size_t i = 0; i < plan.count; i++)
		shared = shared ||
		         (&plan.item[i] != item && plan.item[i].object.fd == item->object.fd);
	if (item->object.fd >= 0 && !shared && !item->moved)
		memfile_close(item->object.fd);
	if (!item->moved) {
		free(item->object.path);
		free(item->object.module);
	}
	item->object.fd = -1;
}

void loading_begin(bool every, bool quiet)
{
	for (size_t i = 0; i < plan.count; i++)
		if (plan.item[i].object.fd >= 0)
			forget_item(&plan.item[i]); /* of a command that was interrupted */
	plan = (struct plan){ .every = every, .quiet = quiet };
}

static uint16_t elf_machine(enum cairn_machine machine)
{
	static const uint16_t numbers[] = { 0, 62, 183, 22 };

	return numbers[machine];
}

/* The module's symbols as an object at a descriptor of *item; false with *why. */
static bool make_object(const struct cairn_module *module, const struct source_hit *hit,
                        struct item *item, const char **why)
{
	const struct cairn_symbols *symbols = cairn_symbol_file_symbols(hit->file);
	const uint64_t shift = module->bias + hit->offset;
	const struct cairn_object_options options = {
		.machine = elf_machine(module->machine),
		.big_endian = module->big_endian,
		.keep = { module->low - shift, module->high - shift },
		.build_id = module->build_id,
	};
	struct cairn_object object;
	enum cairn_status status = cairn_object_make(symbols, &options, &object);

	*why = status == CAIRN_NOT_FOUND ? "no functions inside the module"
	                                 : cairn_status_text(status);
	if (status != CAIRN_OK)
		return false;
	item->object.fd = memfile_sealed(object.bytes.data, object.bytes.size);
	item->object.functions = object.functions;
	item->flaw = object.damaged ? object.fault : *cairn_symbols_damage(symbols);
	*why = "no descriptor or memory for it";
	cairn_object_free(&object);
	return item->object.fd >= 0;
}

/* Another inferior may hold the very same object. */
static const struct source_object *find_twin(const struct sources *sources,
                                             const struct cairn_module *module, const char *path,
                                             uint64_t offset)
{
	for (size_t i = 0; i < sources->objects; i++) {
		const struct source_object *o = &sources->object[i];
		if (source_is(&o->id, module->build_id) && o->offset == offset &&
		    strcmp(o->path, path) == 0)
			return o;
	}
	return NULL;
}

/* Where the symbols know a line: the place to ask GDB whether it knows one, too. */
static uint64_t find_sample(const struct cairn_module *module, const struct source_hit *hit)
{
	enum { TRIES = 256 };
	uint64_t step = (plan.text.high - plan.text.low) / TRIES + 1, pc = plan.text.low;
	struct cairn_answer answer;
	struct cairn_location location;

	for (unsigned i = 0; i < TRIES && pc < plan.text.high; i++, pc += step)
		if (cairn_symbols_find(cairn_symbol_file_symbols(hit->file),
		                       pc - module->bias - hit->offset, &answer) == CAIRN_OK &&
		    cairn_answer_next(&answer, &location) && location.line > 0)
			return pc;
	return 0;
}

static void plan_hit(struct call *call, const struct cairn_module *module,
                     const struct source_hit *hit)
{
	const char *path = cairn_symbol_file_path(hit->file), *why;
	const struct source_object *twin =
		find_twin(&call->session->sources, module, path, hit->offset);
	struct item item = { .object = { .fd = -1,
		                         .inferior = plan.inferior,
		                         .path = source_text(path),
		                         .module = source_text(module->name),
		                         .id = source_id(module->build_id),
		                         .offset = hit->offset,
		                         .bias = module->bias } };
	bool made = twin != NULL;

	if (twin) {
		item.object.fd = twin->fd;
		item.object.functions = twin->functions;
	} else {
		made = make_object(module, hit, &item, &why);
		if (!made)
			reply_error(call, "%s: %s", path, why);
	}
	if (!made || !item.object.path || !item.object.module) {
		free(item.object.path);
		free(item.object.module);
		return;
	}
	item.sample = find_sample(module, hit);
	plan.item[plan.count++] = item;
}

void loading_module(struct call *call, const struct survey *survey, size_t index,
                    const struct cairn_module *module)
{
	struct sources *sources = &call->session->sources;
	struct source_object *old = sources_object(sources, survey->inferior, module->build_id);
	struct source_hit hit;
	struct cairn_fault fault;

	plan.inferior = survey->inferior;
	plan.text = survey->files.modules[index].text;
	plan.modules++;
	if (old && old->bias == module->bias) {
		plan.kept++;
		return;
	}
	if (plan.count == SOURCES_MAX || sources->objects + plan.count >= SOURCES_MAX)
		return;
	if (old) {
		plan.item[plan.count] = (struct item){ .object = *old, .moved = true };
		plan.item[plan.count++].object.bias = module->bias;
		return;
	}
	if (sources_open(sources, module, &hit, &fault) == CAIRN_OK) {
		plan_hit(call, module, &hit);
		sources_close(sources, &hit);
		return;
	}
	plan.without++;
	if (!plan.every)
		reply_error(call, "no symbols for %s: %s", module->name, fault.what);
}

void loading_modules(struct call *call, const struct survey *survey, const char *name)
{
	struct cairn_module module;

	for (size_t i = 0; i < survey->files.count; i++)
		if (survey_module(call, survey, i, &module) &&
		    (!name || survey_is_called(&module, name)))
			loading_module(call, survey, i, &module);
	if (name && plan.modules == 0)
		reply_error(call, "no module %s that can be read; \"cairn modules\" lists them",
		            name);
}

/* Have GDB let go of the objects whose modules are gone. */
static void order_leaving(struct call *call, struct text *orders)
{
	const struct sources *sources = &call->session->sources;

	for (size_t i = 0; plan.leaving > 0 && i < sources->objects; i++)
		if (!sources->object[i].present && sources->object[i].inferior == plan.inferior)
			text_print(orders, "remove-symbol-file /proc/self/fd/%d\n",
			           sources->object[i].fd);
}

/* GDB has done so. */
static void take_leaving(struct sources *sources)
{
	for (size_t i = sources->objects; plan.leaving > 0 && i-- > 0;)
		if (!sources->object[i].present && sources->object[i].inferior == plan.inferior)
			sources_drop(sources, i);
	plan.leaving = 0;
}

/* A library may lie where another was: the lines of that one are none of GDB's own. */
static void ask_own(struct call *call)
{
	struct text *questions = &call->session->command;

	text_reset(questions);
	order_leaving(call, questions);
	if (plan.leaving > 0 && call->asked)
		text_add(call->reply, "select-frame 0\n"); /* see reply_select_innermost */
	for (size_t i = 0; i < plan.count; i++)
		if (plan.item[i].sample)
			text_print(questions, "echo \\002%zu\\n\ninfo line *%#llx\n", i,
			           (unsigned long long)plan.item[i].sample);
	reply_collect(call, questions);
	call->session->asked = ASKED_OWN;
}

/* Modules that GDB has lines for are left alone. */
static void take_own(struct call *call)
{
	const char *at = call->output;

	take_leaving(&call->session->sources);
	while (at && (at = strchr(at, '\002')) != NULL) {
		size_t i = strtoul(at + 1, NULL, 10);
		at += strcspn(at, "\n");
		if (strncmp(at, "\nLine ", 6) != 0 || i >= plan.count)
			continue;
		plan.own++;
		forget_item(&plan.item[i]);
	}
}

static void ask_to_load(struct call *call)
{
	struct text *orders = &call->session->command;

	text_reset(orders);
	for (size_t i = 0; i < plan.count; i++) {
		const struct source_object *o = &plan.item[i].object;
		if (o->fd < 0)
			continue;
		if (plan.item[i].moved)
			text_print(orders, "remove-symbol-file /proc/self/fd/%d\n", o->fd);
		text_print(orders, "add-symbol-file /proc/self/fd/%d -o %#llx\n", o->fd,
		           (unsigned long long)(o->bias + o->offset));
	}
	order_leaving(call, orders);
	if (call->asked)
		text_add(call->reply, "select-frame 0\n"); /* see reply_select_innermost */
	reply_collect(call, orders);
	call->session->asked = ASKED_LOADED;
}

/* What is wrong with the file costs a part of it. */
static void say_flaw(struct call *call, const struct cairn_fault *flaw)
{
	if (flaw->status == CAIRN_OK)
		return;
	if (call->json)
		text_print(call->line, ",\"damage\":{\"what\":\"%s\",\"offset\":%" PRIu64 "}",
		           flaw->what, flaw->offset);
	else
		reply_say(call, "  it is damaged: %s at byte %" PRIu64 " (0x%" PRIx64 ")",
		          flaw->what, flaw->offset, flaw->offset);
}

static void say_loaded(struct call *call, const struct item *item, bool first)
{
	const struct source_object *o = &item->object;

	if (!call->json) {
		reply_say(call, "%s: %" PRIu64 " functions from %s", o->module, o->functions,
		          o->path);
		say_flaw(call, &item->flaw);
		return;
	}
	text_add(call->line, first ? "{\"module\":" : ",{\"module\":");
	text_json(call->line, o->module);
	text_add(call->line, ",\"file\":");
	text_json(call->line, o->path);
	text_print(call->line, ",\"functions\":%" PRIu64 ",\"bias\":\"0x%" PRIx64 "\"",
	           o->functions, o->bias);
	say_flaw(call, &item->flaw);
	text_add(call->line, "}");
}

/* GDB has taken the objects: from here on they are its own. */
static size_t take_loaded(struct call *call)
{
	struct sources *sources = &call->session->sources;
	size_t loaded = 0;

	take_leaving(sources);
	for (size_t i = 0; i < plan.count; i++) {
		struct source_object *o = &plan.item[i].object;
		if (o->fd < 0)
			continue;
		if (plan.item[i].moved) {
			for (size_t k = 0; k < sources->objects; k++)
				if (sources->object[k].fd == o->fd &&
				    sources->object[k].inferior == o->inferior)
					sources->object[k].bias = o->bias;
		} else {
			sources->object[sources->objects++] = *o;
		}
		say_loaded(call, &plan.item[i], loaded++ == 0);
	}
	plan.count = 0;
	return loaded;
}

static void say_nothing_loaded(struct call *call)
{
	if (call->failed || plan.quiet)
		return;
	if (plan.kept > 0 || plan.own > 0)
		reply_say(call, "Nothing to load: GDB has the symbols of %zu of %zu modules.",
		          plan.kept + plan.own, plan.modules);
	else
		reply_say(call, "No symbols found for %zu modules.", plan.modules);
}

static void conclude(struct call *call)
{
	if (call->json)
		text_add(call->line, "{\"loaded\":[");
	size_t loaded = take_loaded(call);
	if (call->json) {
		text_print(call->line, "],\"modules\":%zu,\"already\":%zu,\"without\":%zu}",
		           plan.modules, plan.kept + plan.own, plan.without);
		reply_line(call);
	} else if (loaded == 0) {
		say_nothing_loaded(call);
	}
	reply_set(call, "cairn_loaded", loaded);
}

static bool is_there(const struct survey *survey, const char *module)
{
	size_t size = strlen(module);

	for (size_t i = 0; i < survey->files.count; i++) {
		struct cairn_bytes name = survey->files.modules[i].name;
		if (name.size == size && memcmp(name.data, module, size) == 0)
			return true;
	}
	return false;
}

void loading_leaving(struct call *call, const struct survey *survey)
{
	struct sources *sources = &call->session->sources;

	plan.inferior = survey->inferior;
	for (size_t i = 0; i < sources->objects; i++) {
		struct source_object *o = &sources->object[i];
		bool leaves = o->inferior == plan.inferior && !is_there(survey, o->module);
		o->present = !leaves;
		plan.leaving += leaves;
	}
}

static bool has_work(void)
{
	if (plan.leaving > 0)
		return true;
	for (size_t i = 0; i < plan.count; i++)
		if (plan.item[i].object.fd >= 0)
			return true;
	return false;
}

void loading_go_on(struct call *call)
{
	if (call->session->asked == ASKED_SURVEY && plan.every && has_work()) {
		ask_own(call);
		return;
	}
	if (call->session->asked == ASKED_OWN)
		take_own(call);
	if (call->session->asked != ASKED_LOADED && has_work())
		ask_to_load(call);
	else if (!call->failed)
		conclude(call);
}

bool loading_can_read(struct call *call)
{
	if (call->session->target_read)
		return true;
	reply_error(call, "nothing can be read yet: start the program or open a core");
	return false;
}
