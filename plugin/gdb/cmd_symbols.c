/* SPDX-License-Identifier: MIT */
/*
 * Symbols as GDB's own: add-gsym, symbols load and unload, and what follows modules as they come.
 *
 * The symbols of a module become an ELF object in memory, at a descriptor of its own that is sealed
 * and never written again: GDB reads such a file anew when it looks changed, and a debugger that
 * reads half of something else ends.
 *
 * Loading asks GDB three times: what is loaded; whether it has lines of its own for the modules in
 * question; and to take the objects.
 */
#include "memfile.h"
#include "show.h"
#include "survey.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What one loading is going to do with one module. */
struct item {
	struct source_object object; /* fd -1: nothing to hand over */
	uint64_t sample;             /* pc of code with a line */
	bool moved;                  /* GDB has it, for another place */
};

/* The loading in progress, from one answer of GDB to the next. */
static struct plan {
	struct item item[SOURCES_MAX];
	size_t count;
	int inferior;
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

static void plan_begin(bool every, bool quiet)
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

/* The module's symbols as an object at a descriptor; -1 with *why. */
static int make_object(const struct cairn_module *module, const struct source_hit *hit,
                       uint64_t *functions, const char **why)
{
	const uint64_t shift = module->bias + hit->offset;
	const struct cairn_object_options options = {
		.machine = elf_machine(module->machine),
		.big_endian = module->big_endian,
		.keep = { module->low - shift, module->high - shift },
		.build_id = module->build_id,
	};
	struct cairn_object object;
	enum cairn_status status =
		cairn_object_make(cairn_symbol_file_symbols(hit->file), &options, &object);

	*why = status == CAIRN_NOT_FOUND ? "no functions inside the module"
	                                 : cairn_status_text(status);
	if (status != CAIRN_OK)
		return -1;
	int fd = memfile_sealed(object.bytes.data, object.bytes.size);
	*functions = object.functions;
	*why = "no descriptor or memory for it";
	cairn_object_free(&object);
	return fd;
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
	enum { TRIES = 64, STEP = 16 };
	uint64_t pc = module->entry ? module->entry + module->bias : module->low;
	struct cairn_answer answer;
	struct cairn_location location;

	for (unsigned i = 0; i < TRIES; i++, pc += STEP)
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
	struct source_object o = { .fd = -1,
		                   .inferior = plan.inferior,
		                   .path = source_text(path),
		                   .module = source_text(module->name),
		                   .id = source_id(module->build_id),
		                   .offset = hit->offset,
		                   .bias = module->bias };

	if (twin) {
		o.fd = twin->fd;
		o.functions = twin->functions;
	} else {
		o.fd = make_object(module, hit, &o.functions, &why);
	}
	if (o.fd < 0 || !o.path || !o.module) {
		if (o.fd < 0)
			reply_error(call, "%s: %s", path, why);
		free(o.path);
		free(o.module);
		return;
	}
	plan.item[plan.count++] = (struct item){ o, find_sample(module, hit), false };
}

/* One module: has GDB its symbols, are there some to be had? */
static void plan_module(struct call *call, const struct cairn_module *module)
{
	struct sources *sources = &call->session->sources;
	struct source_object *old = sources_object(sources, plan.inferior, module->build_id);
	struct source_hit hit;
	struct cairn_fault fault;

	plan.modules++;
	if (old && old->bias == module->bias) {
		plan.kept++;
		return;
	}
	if (plan.count == SOURCES_MAX || sources->objects + plan.count >= SOURCES_MAX)
		return;
	if (old) {
		plan.item[plan.count] = (struct item){ *old, 0, true };
		plan.item[plan.count++].object.bias = module->bias;
		return;
	}
	if (sources_open(sources, module, &hit, &fault) == CAIRN_OK) {
		plan_hit(call, module, &hit);
		cairn_symbol_file_close(hit.file);
		return;
	}
	plan.without++;
	if (!plan.every)
		reply_error(call, "no symbols for %s: %s", module->name, fault.what);
}

/* All modules, or those that are called so. */
static void plan_modules(struct call *call, const struct survey *survey, const char *name)
{
	struct cairn_module module;

	plan.inferior = survey->inferior;
	for (size_t i = 0; i < survey->files.count; i++)
		if (survey_module(call, survey, i, &module) &&
		    (!name || survey_is_called(&module, name)))
			plan_module(call, &module);
	if (name && plan.modules == 0)
		reply_error(call, "no module %s that can be read; \"cairn modules\" lists them",
		            name);
}

static void ask_own(struct call *call)
{
	struct text *questions = &call->session->command;

	text_reset(questions);
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
	const struct sources *sources = &call->session->sources;
	for (size_t i = 0; plan.leaving > 0 && i < sources->objects; i++)
		if (!sources->object[i].present && sources->object[i].inferior == plan.inferior)
			text_print(orders, "remove-symbol-file /proc/self/fd/%d\n",
			           sources->object[i].fd);
	if (call->asked)
		text_add(call->reply, "select-frame 0\n"); /* see reply_select_innermost */
	reply_collect(call, orders);
	call->session->asked = ASKED_LOADED;
}

static void say_loaded(struct call *call, const struct source_object *o, bool first)
{
	if (!call->json) {
		reply_say(call, "%s: %" PRIu64 " functions from %s", o->module, o->functions,
		          o->path);
		return;
	}
	text_add(call->line, first ? "{\"module\":" : ",{\"module\":");
	text_json(call->line, o->module);
	text_add(call->line, ",\"file\":");
	text_json(call->line, o->path);
	text_print(call->line, ",\"functions\":%" PRIu64 ",\"bias\":\"0x%" PRIx64 "\"}",
	           o->functions, o->bias);
}

static void take_leaving(struct sources *sources)
{
	for (size_t i = sources->objects; plan.leaving > 0 && i-- > 0;)
		if (!sources->object[i].present && sources->object[i].inferior == plan.inferior)
			sources_drop(sources, i);
	plan.leaving = 0;
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
		say_loaded(call, o, loaded++ == 0);
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

/* Objects of modules that are gone (dlclose, another program) go, too. */
static void plan_leaving(struct call *call, const struct survey *survey)
{
	struct sources *sources = &call->session->sources;

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

/* What follows the survey. */
static void go_on(struct call *call)
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

static bool can_read(struct call *call)
{
	if (call->session->target_read)
		return true;
	reply_error(call, "nothing can be read yet: start the program or open a core");
	return false;
}

void command_symbols_load(struct call *call)
{
	const char *name = call_path(call);
	bool every = !*name || strcmp(name, "all") == 0;

	if (call->session->asked == ASKED_NOTHING) {
		if (can_read(call))
			survey_ask(call);
		return;
	}
	if (call->session->asked == ASKED_SURVEY) {
		const struct survey *survey = survey_take(call);
		plan_begin(every, false);
		plan_modules(call, survey, every ? NULL : name);
		if (every)
			plan_leaving(call, survey);
	}
	go_on(call);
}

/* At a stop, when the user has asked to follow modules: silent unless something was found. */
void command_follow(struct call *call)
{
	if (call->session->asked == ASKED_NOTHING) {
		if (call->session->sources.follow && call->request->thread &&
		    call->session->target_read)
			survey_ask(call);
		return;
	}
	if (call->session->asked == ASKED_SURVEY) {
		const struct survey *survey = survey_take(call);
		plan_begin(true, true);
		plan_modules(call, survey, NULL);
		plan_leaving(call, survey);
	}
	go_on(call);
}

/* The objects of this inferior that are meant, and the commands that take them away. */
static size_t ask_to_unload(struct call *call, const char *name, int inferior)
{
	struct sources *sources = &call->session->sources;
	struct text *orders = &call->session->command;
	size_t count = 0;

	text_reset(orders);
	for (size_t i = 0; i < sources->objects; i++) {
		struct source_object *o = &sources->object[i];
		const struct cairn_module module = { .name = o->module };
		if (o->inferior != inferior || (name && !survey_is_called(&module, name)))
			continue;
		text_print(orders, "remove-symbol-file /proc/self/fd/%d\n", o->fd);
		o->present = false;
		count++;
	}
	if (count == 0)
		return 0;
	plan.inferior = inferior;
	if (call->asked)
		text_add(call->reply, "select-frame 0\n"); /* see reply_select_innermost */
	reply_collect(call, orders);
	call->session->asked = ASKED_LOADED;
	return count;
}

static void take_unloaded(struct call *call)
{
	struct sources *sources = &call->session->sources;
	size_t count = 0;

	for (size_t i = sources->objects; i-- > 0;)
		if (sources->object[i].inferior == plan.inferior && !sources->object[i].present) {
			if (!call->json)
				reply_say(call, "%s: unloaded", sources->object[i].module);
			sources_drop(sources, i);
			count++;
		}
	if (call->json)
		reply_say(call, "{\"unloaded\":%zu}", count);
}

void command_symbols_unload(struct call *call)
{
	const char *name = call_path(call);
	bool every = !*name || strcmp(name, "all") == 0;

	if (call->session->asked == ASKED_NOTHING) {
		survey_ask(call);
		return;
	}
	if (call->session->asked == ASKED_LOADED) {
		take_unloaded(call);
		return;
	}
	const struct survey *survey = survey_take(call);
	if (ask_to_unload(call, every ? NULL : name, survey->inferior) > 0)
		return;
	if (every && !call->json)
		reply_say(call, "No symbols of cairn's are loaded.");
	else if (every)
		reply_say(call, "{\"unloaded\":0}");
	else
		reply_error(call, "no symbols of cairn's are loaded for %s", name);
}

/* The words of add-gsym. */
struct gift {
	char path[4096];
	const char *module;
	uint64_t offset;
	bool force, only;
};

static void add_word(struct gift *gift, const char *word)
{
	size_t size = strlen(gift->path), more = strlen(word);

	if (size + more + 2 > sizeof(gift->path))
		return;
	if (size > 0)
		gift->path[size++] = ' ';
	memcpy(gift->path + size, word, more + 1);
}

static void take_quotes(char *path)
{
	size_t size = strlen(path);

	if (size < 2 || (*path != '"' && *path != '\'') || path[size - 1] != *path)
		return;
	memmove(path, path + 1, size - 2);
	path[size - 2] = '\0';
}

static bool parse_offset(const char *word, uint64_t *offset)
{
	char *end;

	*offset = strtoull(word, &end, 0);
	return *word >= '0' && *word <= '9' && *end == '\0';
}

/* Options may stand before the file and behind it. */
static bool read_gift(struct call *call, struct gift *gift)
{
	const struct request *r = call->request;

	*gift = (struct gift){ .path = "" };
	for (unsigned i = 0; i < r->word_count; i++) {
		const char *word = r->words[i], *name = word_bare(word);
		bool option = word[0] == '-', more = i + 1 < r->word_count;
		if (option && strcmp(name, "force") == 0)
			gift->force = true;
		else if (option && strcmp(name, "only") == 0)
			gift->only = true;
		else if (option && strcmp(name, "json") == 0)
			call->json = true;
		else if (option && more && strcmp(name, "module") == 0)
			gift->module = r->words[++i];
		else if (option && more && strcmp(name, "offset") == 0) {
			if (!parse_offset(r->words[++i], &gift->offset)) {
				reply_error(call, "not a number: %s", r->words[i]);
				return false;
			}
		} else
			add_word(gift, word);
	}
	take_quotes(gift->path);
	if (!gift->path[0])
		reply_error(call, "FILE is missing; see \"help cairn add-gsym\"");
	return gift->path[0] != '\0';
}

static bool same(struct cairn_bytes a, struct cairn_bytes b)
{
	return a.size > 0 && a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static void hex(struct text *text, struct cairn_bytes id)
{
	for (size_t i = 0; i < id.size; i++)
		text_print(text, "%02x", id.data[i]);
	text_add(text, id.size ? "" : "none");
}

/* "... build ID ab.., not cd.." */
static void refuse(struct call *call, const struct gift *gift, const char *what,
                   struct cairn_bytes own, struct cairn_bytes wanted)
{
	struct text why = { .data = NULL };

	text_print(&why, "%s: %s: its build ID is ", gift->path, what);
	hex(&why, own);
	if (wanted.size) {
		text_add(&why, ", the module's ");
		hex(&why, wanted);
	}
	text_add(&why, gift->module ? "; -force takes it"
	                            : "; -module NAME -force takes it for a module");
	reply_error(call, "%s", why.data ? why.data : what);
	text_finish(&why);
}

/* Is it the one that the file is for? */
static bool is_meant(const struct gift *gift, const struct cairn_module *module,
                     struct cairn_bytes own)
{
	if (gift->module)
		return survey_is_called(module, gift->module);
	return same(own, module->build_id);
}

/* Finds the module that the file is for; false with the reason said. */
static bool accept_gift(struct call *call, const struct survey *survey, const struct gift *gift,
                        struct cairn_bytes own)
{
	struct cairn_module module;

	plan.inferior = survey->inferior;
	for (size_t i = 0; i < survey->files.count; i++) {
		if (!survey_module(call, survey, i, &module) || !is_meant(gift, &module, own))
			continue;
		if (!gift->force && !same(own, module.build_id)) {
			refuse(call, gift, "made for another build", own, module.build_id);
			return false;
		}
		if (module.build_id.size == 0) {
			reply_error(call, "%s has no build ID to know it again by", module.name);
			return false;
		}
		if (sources_give(&call->session->sources, gift->path, module.build_id,
		                 gift->offset)) {
			if (!gift->only)
				plan_module(call, &module);
			else
				reply_say(call, "%s: symbols in %s", module.name, gift->path);
			return !gift->only;
		}
		reply_error(call, "out of memory, or more than %d files", SOURCES_MAX);
		return false;
	}
	if (gift->module)
		reply_error(call, "no module %s that can be read; \"cairn modules\" lists them",
		            gift->module);
	else
		refuse(call, gift, "no module here is of that build", own,
		       (struct cairn_bytes){ own.data, 0 });
	return false;
}

static void give(struct call *call, const struct survey *survey)
{
	const struct cairn_bytes any = { (const uint8_t *)"", 0 };
	struct cairn_symbol_file *file;
	struct cairn_fault fault;
	struct gift gift;

	plan_begin(false, false);
	if (!read_gift(call, &gift))
		return;
	if (cairn_symbol_file_open(gift.path, any, &file, &fault) != CAIRN_OK) {
		if (fault.status == CAIRN_UNREADABLE)
			reply_error(call, "%s: %s", gift.path, fault.what);
		else
			reply_error(call, "%s: %s at byte %" PRIu64 " (0x%" PRIx64 ")", gift.path,
			            fault.what, fault.offset, fault.offset);
		return;
	}
	struct cairn_bytes own = cairn_symbols_build_id(cairn_symbol_file_symbols(file));
	bool load = accept_gift(call, survey, &gift, own);
	cairn_symbol_file_close(file);
	if (load)
		go_on(call);
}

void command_add_gsym(struct call *call)
{
	struct gift gift;

	call->json = false;
	if (call->session->asked == ASKED_NOTHING) {
		if (read_gift(call, &gift) && can_read(call))
			survey_ask(call);
	} else if (call->session->asked == ASKED_SURVEY) {
		give(call, survey_take(call));
	} else if (read_gift(call, &gift)) {
		go_on(call);
	}
}
