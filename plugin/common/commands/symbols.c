/* SPDX-License-Identifier: MIT */
/*
 * The commands that load symbols into the debugger. "add-gsym", "add-symbfile" and "add-breakpad"
 * use a file that the user specifies; "symbols load" and "symbols unload" use the files that cairn
 * finds. "add-sframe" adds an SFrame table to a module without call frame information.
 */
#include "commands.h"

#include "common/base/files.h"
#include "common/session/loading.h"
#include "common/session/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SYMBOL_FILE_ARGS_PATH_MAX = 4096 };

/*
 * The arguments of add-gsym, add-symbfile and add-breakpad: a symbol file and its module. Parsing
 * needs no queries to the debugger.
 */
struct symbol_file_args {
	enum cairn_symbol_format format;
	char path[SYMBOL_FILE_ARGS_PATH_MAX];
	/* FileID of the executable for which the symbfile was made; valid if has_id */
	struct cairn_file_id id;
	bool has_id;  /* a FileID is known from the file name or from the user */
	bool fetched; /* the user specified a FileID instead of a file */
	const char *module;
	const char *url;
	uint64_t offset;
	bool force, only;
};

static const char *symbol_file_args_command(enum cairn_symbol_format format)
{
	static const char *const names[] = { "add-gsym", "add-symbfile", "add-breakpad",
		                             "symbols load" };

	return names[format];
}

static const char *symbol_file_args_format(enum cairn_symbol_format format)
{
	static const char *const names[] = { "GSYM", "a symbfile", "a Breakpad file",
		                             "a Go program" };

	return names[format];
}

static void add_word(struct symbol_file_args *args, const char *word)
{
	size_t size = strlen(args->path), more = strlen(word);

	if (size + more + 2 > sizeof(args->path))
		return;
	if (size > 0)
		args->path[size++] = ' ';
	memcpy(args->path + size, word, more + 1);
}

static void strip_quotes(char *path)
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

static bool parse_flag(struct command_call *call, struct symbol_file_args *args, const char *name)
{
	if (strcmp(name, "force") == 0)
		args->force = true;
	else if (strcmp(name, "only") == 0)
		args->only = true;
	else if (strcmp(name, "json") == 0)
		call->json = true;
	else
		return false;
	return true;
}

enum taken { TAKEN_NOT, TAKEN, TAKEN_BADLY };

static enum taken parse_value_option(struct command_call *call, struct symbol_file_args *args,
                                     const char *name, const char *value)
{
	if (strcmp(name, "module") == 0) {
		args->module = value;
	} else if (strcmp(name, "url") == 0 && args->format == CAIRN_SYMBOLS_SYMBFILE) {
		args->url = value;
	} else if (strcmp(name, "offset") != 0) {
		return TAKEN_NOT;
	} else if (!parse_offset(value, &args->offset)) {
		reply_error(call, "not a number: %s", value);
		return TAKEN_BADLY;
	}
	return TAKEN;
}

/* Parse all words. Options may precede or follow the file name. */
static bool parse_words(struct command_call *call, struct symbol_file_args *args)
{
	const struct words *r = call->words;

	for (unsigned i = 0; i < r->count; i++) {
		const char *word = r->word[i], *name = option_name(word);
		bool option = word[0] == '-', more = i + 1 < r->count;
		if (option && parse_flag(call, args, name))
			continue;
		enum taken taken = option && more
		                           ? parse_value_option(call, args, name, r->word[i + 1])
		                           : TAKEN_NOT;
		if (taken == TAKEN_BADLY)
			return false;
		if (taken == TAKEN)
			i++;
		else
			add_word(args, word);
	}
	return true;
}

/*
 * Get the FileID from a file name of the form FILEID.symbfile, because a symbfile does not record
 * its executable. If the word is only a FileID, use the symbfile in the cache.
 */
static void find_id(struct symbol_file_args *args)
{
	const char *name = path_last_part(args->path);
	size_t size = strcspn(name, ".");
	char stem[64];

	if (size < sizeof(stem)) {
		memcpy(stem, name, size);
		stem[size] = '\0';
		args->has_id = cairn_file_id_parse(stem, &args->id);
	}
	if (!args->has_id || name != args->path || name[size] != '\0' || access(name, F_OK) == 0)
		return;
	args->fetched = cairn_file_id_path(&args->id, args->path, sizeof(args->path));
}

/*
 * Make the path absolute. The file is opened again when its module is reloaded, and the debugger's
 * current directory may have changed by then.
 */
static bool make_absolute(struct symbol_file_args *args)
{
	struct text path = { .data = NULL };

	path_add_absolute(&path, args->path, strlen(args->path));
	bool fits = !path.cut && path.size < sizeof(args->path);
	if (fits)
		memcpy(args->path, path.data, path.size + 1);
	text_finish(&path);
	return fits;
}

/* Return true if the URL contains only bytes that are safe inside shell quotes. */
static bool is_safe_url(const char *url)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-._~:/?&@+,;=%[]";

	return strncmp(url, "http", 4) == 0 && url[strspn(url, plain)] == '\0';
}

static bool symbol_file_args_read(struct command_call *call, enum cairn_symbol_format format,
                                  struct symbol_file_args *args)
{
	*args = (struct symbol_file_args){ .format = format };
	if (!parse_words(call, args))
		return false;
	strip_quotes(args->path);
	if (!args->path[0]) {
		reply_error(call, "FILE is missing; see \"help cairn %s\"",
		            symbol_file_args_command(format));
		return false;
	}
	if (format == CAIRN_SYMBOLS_SYMBFILE)
		find_id(args);
	if (!make_absolute(args)) {
		reply_error(call, "the path is too long");
		return false;
	}
	if (args->url && !is_safe_url(args->url)) {
		reply_error(call, "not an http(s) URL, or contains unsafe characters: %s",
		            args->url);
		return false;
	}
	return true;
}

struct adding {
	struct loading loading; /* must be first */
	struct symbol_file_args args;
	bool fetching;
};

static void append_id(struct text *text, struct cairn_bytes id)
{
	text_add_hex(text, id);
	text_add(text, id.size ? "" : "none");
}

static void report_wrong_build(struct command_call *call, const struct symbol_file_args *args,
                               const char *what, struct cairn_bytes own, struct cairn_bytes wanted)
{
	struct text why = { .data = NULL };

	text_print(&why, "%s: %s: its build ID is ", args->path, what);
	append_id(&why, own);
	if (wanted.size) {
		text_add(&why, ", the module's ");
		append_id(&why, wanted);
	}
	text_add(&why, args->module ? "; use -force to load the symbols anyway"
	                            : "; use -module NAME -force to load the symbols anyway");
	reply_error(call, "%s", why.data ? why.data : what);
	text_finish(&why);
}

/*
 * Return true if the file is named after the module. For example, "/srv/app.ranges" is named after
 * "app".
 */
static bool is_named_after(const struct symbol_file_args *args, const struct cairn_module *module)
{
	const char *file = path_last_part(args->path), *name = path_last_part(module->name);
	size_t size = strlen(name);

	return size > 0 && strncmp(file, name, size) == 0 &&
	       strchr(file + size, '.') == file + size;
}

/*
 * Return true if the module's file has the FileID of the symbols. The file must exist and have the
 * module's build ID.
 */
static bool has_file_id(const struct symbol_file_args *args, const struct cairn_module *module,
                        struct cairn_error *error)
{
	struct cairn_file_id id;

	return cairn_file_id_read(module->name, module->build_id, &id, error) == CAIRN_OK &&
	       strcmp(id.text, args->id.text) == 0;
}

static bool is_meant(const struct symbol_file_args *args, const struct cairn_module *module,
                     const struct cairn_symbols *symbols)
{
	if (args->module)
		return path_is_called(module->name, args->module);
	if (args->format != CAIRN_SYMBOLS_SYMBFILE)
		return cairn_symbols_is_of_build(symbols, module->build_id);
	return args->has_id ? has_file_id(args, module, NULL) : is_named_after(args, module);
}

/*
 * Check that the symbol file belongs to the module. Accept a symbfile without a FileID, because
 * such a file contains nothing that identifies its module.
 */
static bool check_file_for_module(struct command_call *call, const struct symbol_file_args *args,
                                  const struct cairn_module *module,
                                  const struct cairn_symbols *symbols)
{
	struct cairn_error error = { .status = CAIRN_OK,
		                     .text = "its FileID belongs to another executable" };

	if (args->force)
		return true;
	if (args->format != CAIRN_SYMBOLS_SYMBFILE) {
		if (cairn_symbols_is_of_build(symbols, module->build_id))
			return true;
		report_wrong_build(call, args, "belongs to another build",
		                   cairn_symbols_build_id(symbols), module->build_id);
		return false;
	}
	if (!args->has_id || has_file_id(args, module, &error))
		return true;
	reply_error(call, "%s: %s%s; use -force to load the symbols anyway", args->path,
	            error.status == CAIRN_OK ? "" : "the module's FileID is unknown: ", error.text);
	return false;
}

static void report_no_module(struct command_call *call, const struct symbol_file_args *args,
                             struct cairn_bytes own)
{
	if (args->module)
		reply_error(call, "no readable module %s; \"cairn modules\" lists the modules",
		            args->module);
	else if (args->format != CAIRN_SYMBOLS_SYMBFILE)
		report_wrong_build(call, args, "does not belong to any module", own,
		                   (struct cairn_bytes){ own.data, 0 });
	else if (args->has_id)
		reply_error(call,
		            "%s: no module has a file with this FileID; use -module NAME -force to "
		            "load the symbols anyway",
		            args->path);
	else
		reply_error(call,
		            "%s: a symbfile does not record its module; specify the module with "
		            "-module NAME",
		            args->path);
}

static void print_waits_json(struct command_call *call)
{
	struct json_writer json = reply_begin_json(call);

	json_begin_array(&json, "loaded");
	json_end_array(&json);
	json_add_bool(&json, "waits", true);
	reply_end_json(call, &json);
}

static bool prepare_library(struct command_call *call, const struct symbol_file_args *args,
                            struct cairn_bytes own)
{
	const struct symbol_loader *loader = call->session->debugger->loader;

	if (!loader->prepare_library ||
	    !loader->prepare_library(call, args->path, own, args->offset, args->module))
		return false;
	if (call->json)
		print_waits_json(call);
	else
		reply_print(call,
		            "%s: %s finds these symbols when it loads the library of their build",
		            args->path, debugger_name(call));
	return true;
}

/*
 * Keep a file until its module is loaded, because libraries are unknown before the program runs.
 * The module is recognized by build ID, so the file must contain a complete build ID.
 */
static bool keep_for_later(struct command_call *call, const struct symbol_file_args *args,
                           struct cairn_bytes own)
{
	enum { GUID = 16 };
	const struct loading *loading = call->context;
	struct symbol_target target;

	for (size_t i = 0; i < loading->list.count; i++)
		if (call->session->debugger->loader->read_target(call, i, &target) &&
		    is_named_after(args, &target.module))
			return false;
	if (own.size <= GUID || args->format == CAIRN_SYMBOLS_SYMBFILE)
		return false;
	if (prepare_library(call, args, own))
		return true;
	if (loading->list.alive || args->module ||
	    !sources_add(&call->session->sources, args->path, own, args->offset))
		return false;
	if (call->json)
		print_waits_json(call);
	else
		reply_print(
			call,
			"%s: does not belong to the program; cairn keeps it for a module of this "
			"build",
			args->path);
	return true;
}

/*
 * Record the symbol file for the module. Returns true if the debugger should also load its symbols.
 */
static bool accept_for(struct command_call *call, const struct symbol_file_args *args,
                       const struct cairn_module *module)
{
	if (module->build_id.size == 0) {
		reply_error(call,
		            "%s has no build ID, so cairn cannot match symbols to this module",
		            module->name);
		return false;
	}
	if (!sources_add(&call->session->sources, args->path, module->build_id, args->offset)) {
		reply_error(call, "out of memory, or too many symbol files (limit: %d)",
		            SOURCES_MAX);
		return false;
	}
	if (args->only)
		reply_print(call, "%s: symbols in %s", module->name, args->path);
	return !args->only;
}

/*
 * Find the module to which the symbol file belongs, and plan to load its symbols. Returns false if
 * there is nothing to load yet or an error has been reported.
 */
static bool accept_file(struct command_call *call, const struct symbol_file_args *args,
                        const struct cairn_symbols *symbols)
{
	const struct cairn_bytes own = cairn_symbols_build_id(symbols);
	const struct loading *loading = call->context;
	struct symbol_target target;

	for (size_t i = 0; i < loading->list.count; i++) {
		if (!call->session->debugger->loader->read_target(call, i, &target) ||
		    !is_meant(args, &target.module, symbols))
			continue;
		if (!check_file_for_module(call, args, &target.module, symbols) ||
		    !accept_for(call, args, &target.module))
			return false;
		loading_target(call, &target);
		return true;
	}
	if (!keep_for_later(call, args, own))
		report_no_module(call, args, own);
	return false;
}

static void report_unreadable(struct command_call *call, const struct symbol_file_args *args,
                              const struct cairn_error *error)
{
	if (args->fetched && error->status == CAIRN_UNREADABLE)
		reply_error(call,
		            "the cache has no symbols for %s; fetch them with \"cairn symbfile "
		            "fetch --url URL %s\" in a shell, or add -url URL to this command",
		            args->id.text, args->id.text);
	else if (!error->has_offset)
		reply_error(call, "%s: %s", args->path, error->text);
	else
		reply_error(call, "%s: %s at byte %" PRIu64 " (0x%" PRIx64 ")", args->path,
		            error->text, error->offset, error->offset);
}

static bool check_file(struct command_call *call, const struct symbol_file_args *args,
                       const struct cairn_symbols *symbols)
{
	enum cairn_symbol_format format = cairn_symbols_format(symbols);

	if (format != args->format)
		reply_error(call, "%s is %s; use \"cairn %s\"", args->path,
		            symbol_file_args_format(format), symbol_file_args_command(format));
	return format == args->format;
}

/*
 * Open the symbol file and add its symbols to the loading plan. Returns false if there is nothing
 * to load or an error has been reported.
 */
static bool plan_file(struct command_call *call, const struct symbol_file_args *args)
{
	struct sources *sources = &call->session->sources;
	struct symbol_target first;
	struct source_hit hit;
	struct cairn_error error;

	loading_begin(call, false, false);
	if (!call->session->debugger->loader->check_targets(call))
		return false;
	if (call->session->debugger->loader->read_target(call, 0, &first))
		call->session->poll_at = first.text.low;
	if (sources_open_path(sources, args->path, &hit, &error) != CAIRN_OK) {
		report_unreadable(call, args, &error);
		return false;
	}
	const struct cairn_symbols *symbols = hit.file;
	bool load = check_file(call, args, symbols) && accept_file(call, args, symbols);
	sources_close(sources, &hit);
	return load;
}

/* Parse the arguments. command->variant is the format of the symbol file. */
static enum answer read_args(struct command_call *call)
{
	const enum cairn_symbol_format format =
		(enum cairn_symbol_format)call->session->running.command->variant;
	struct adding *adding = call->context;
	const struct symbol_file_args *args = &adding->args;

	if (!adding->fetching && !symbol_file_args_read(call, format, &adding->args))
		return ANSWER_FAILED;
	adding->fetching =
		adding->fetching || (args->url && args->fetched && access(args->path, R_OK) != 0);
	const char *const words[] = {
		"symbfile", "fetch", "--url", args->url, args->id.text, NULL
	};
	return adding->fetching ? call->session->debugger->loader->run_program(call, words)
	                        : ANSWER_READY;
}

static enum answer list_and_plan(struct command_call *call)
{
	struct adding *adding = call->context;
	enum answer answer =
		call->session->debugger->loader->list_targets(call, &adding->loading.list, false);

	if (answer != ANSWER_READY)
		return answer;
	if (plan_file(call, &adding->args))
		return ANSWER_READY;
	return call->failed ? ANSWER_FAILED : ANSWER_DONE;
}

const struct command command_add_gsym = {
	.name = "cairn add-gsym",
	.usage = "[-json] [-force] [-only] [-module NAME] [-offset N] FILE",
	.help = "Use the symbols of a GSYM file for the module that it was made for.\n"
		"The debugger loads them as its own; with -only, just \"cairn where\" and\n"
		"\"cairn bt\" use them.\n"
		"-module names the module (its path or file name), and -force uses symbols that\n"
		"were made for another build of it.  -offset N adds N to every address of FILE.",
	.example = "cairn add-gsym /srv/app.gsym",
	.steps = { read_args, list_and_plan, loading_take, loading_report },
	.variant = CAIRN_SYMBOLS_GSYM,
	.context_size = sizeof(struct adding),
	.finish = loading_finish,
};

const struct command command_add_symbfile = {
	.name = "cairn add-symbfile",
	.usage = "[-json] [-force] [-only] [-module NAME] [-offset N] [-url URL] FILE|FILEID",
	.help = "Use the symbols of a symbfile of ranges for the module that it was made for.\n"
		"The debugger loads them as its own; with -only, just \"cairn where\" and\n"
		"\"cairn bt\" use them.\n"
		"A symbfile does not record its module.  FILEID.symbfile is for the module whose\n"
		"file has that FileID, and NAME.ranges for the module NAME; -module names\n"
		"another one, and -force uses the symbols of another FileID.  FILEID alone means\n"
		"the file that \"cairn symbfile fetch\" put into the cache; -url URL fetches a\n"
		"missing one.  -offset N adds N to every address.",
	.example = "cairn add-symbfile /srv/app.ranges",
	.steps = { read_args, list_and_plan, loading_take, loading_report },
	.variant = CAIRN_SYMBOLS_SYMBFILE,
	.context_size = sizeof(struct adding),
	.finish = loading_finish,
};

const struct command command_add_breakpad = {
	.name = "cairn add-breakpad",
	.usage = "[-json] [-force] [-only] [-module NAME] [-offset N] FILE",
	.help = "Use the symbols of a Breakpad file for the module that it was made for.\n"
		"The debugger loads them as its own; with -only, just \"cairn where\" and\n"
		"\"cairn bt\" use them.\n"
		"-module names the module (its path or file name), and -force uses symbols that\n"
		"were made for another build of it.  -offset N adds N to every address of FILE.",
	.example = "cairn add-breakpad /srv/app.sym",
	.steps = { read_args, list_and_plan, loading_take, loading_report },
	.variant = CAIRN_SYMBOLS_BREAKPAD,
	.context_size = sizeof(struct adding),
	.finish = loading_finish,
};

struct adding_table {
	struct loading loading; /* must be first */
	struct text path;
};

static void finish_adding_table(void *context)
{
	struct adding_table *adding = context;

	loading_finish(&adding->loading);
	text_finish(&adding->path);
}

static enum answer forget_frames(struct command_call *call)
{
	const struct debugger *debugger = call->session->debugger;

	return debugger->forget_frames ? debugger->forget_frames(call) : ANSWER_READY;
}

static enum answer give_table(struct command_call *call)
{
	struct adding_table *adding = call->context;
	const char *path = command_call_path(call);
	struct cairn_fault fault;
	size_t modules = 0;

	path_add_absolute(&adding->path, path, strlen(path));
	if (adding->path.cut || cairn_sframe_file_add(call->session->space, adding->path.data,
	                                              &modules, &fault) != CAIRN_OK)
		reply_error(call, "%s: %s; expected a file created by \"cairn sframe create\"",
		            path, adding->path.cut ? "out of memory" : fault.what);
	else if (!side_files_add(&call->session->side_files, adding->path.data))
		reply_error(call, "%s: too many SFrame files", path);
	else if (modules > 0)
		reply_print(call, "%s: frames of %zu module%s", path, modules,
		            modules == 1 ? "" : "s");
	else
		reply_print(call, "%s: for a module that is not loaded yet", path);
	return call->failed ? ANSWER_FAILED : ANSWER_READY;
}

/* Replace the module's object in the debugger with an object that has call frame information. */
static void plan_frames(struct command_call *call, const struct symbol_target *target)
{
	const struct adding_table *adding = call->context;
	struct sources *sources = &call->session->sources;
	const struct source_object *old =
		sources_object(sources, adding->loading.list.inferior, &target->module);

	if (old)
		sources_drop(sources, (size_t)(old - sources->object));
	loading_target(call, target);
}

/*
 * Plan an object with call frame information for each module that the SFrame file describes, if the
 * debugger uses such objects. If no such module is loaded yet, wait for one.
 */
static enum answer plan_objects(struct command_call *call)
{
	const struct symbol_loader *loader = call->session->debugger->loader;
	struct adding_table *adding = call->context;
	struct target_list *list = &adding->loading.list;
	struct symbol_target target;

	if (!loader || !loader->wants_frames)
		return ANSWER_DONE;
	enum answer answer = loader->list_targets(call, list, false);
	if (answer != ANSWER_READY)
		return answer;
	loading_begin(call, true, true);
	for (size_t i = 0; i < list->count; i++)
		if (loader->read_target(call, i, &target) && target.module.build_id.size > 0 &&
		    cairn_sframe_file_belongs(adding->path.data, target.module.build_id))
			plan_frames(call, &target);
	if (adding->loading.plan.modules == 0)
		loader->await_frames(call->session);
	return ANSWER_READY;
}

/*
 * Transfer ownership of the objects to the debugger, so that the end of the command does not
 * release them.
 */
static enum answer leave_objects(struct command_call *call)
{
	struct adding_table *adding = call->context;

	adding->loading.plan.count = 0;
	return ANSWER_READY;
}

const struct command command_add_sframe = {
	.name = "cairn add-sframe",
	.usage = "FILE",
	.help = "Unwind a module without call frame information by the SFrame table in FILE.\n"
		"FILE is what \"cairn sframe create\" made of the complete program; it is used "
		"for\n"
		"the module with its build ID, as soon as there is one.",
	.example = "cairn add-sframe /srv/app.sframe",
	.steps = { forget_frames, give_table, plan_objects, loading_take, leave_objects },
	.context_size = sizeof(struct adding_table),
	.finish = finish_adding_table,
};

struct symbols_loading {
	struct loading loading;
	struct missing_builds missing;
};

struct unloading {
	struct target_list list;
};

static const char *read_module_name(struct command_call *call)
{
	const char *name = command_call_path(call);

	return !*name || strcmp(name, "all") == 0 ? NULL : name;
}

static enum answer find_missing(struct command_call *call)
{
	struct symbols_loading *symbols = call->context;
	const struct symbol_loader *loader = call->session->debugger->loader;

	if (!command_call_option(call, "debuginfod"))
		return ANSWER_READY;
	enum answer answer = loader->list_targets(call, &symbols->loading.list, false);
	if (answer != ANSWER_READY)
		return answer;
	if (!loader->check_targets(call))
		return ANSWER_FAILED;
	missing_builds_find(call, read_module_name(call), &symbols->missing);
	return ANSWER_READY;
}

static enum answer fetch_missing(struct command_call *call)
{
	struct symbols_loading *symbols = call->context;

	return missing_builds_fetch(call, &symbols->missing);
}

static enum answer plan_loading(struct command_call *call)
{
	const struct symbol_loader *loader = call->session->debugger->loader;
	const char *name = read_module_name(call);
	struct loading *loading = call->context;
	enum answer answer = loader->list_targets(call, &loading->list, false);

	if (answer != ANSWER_READY)
		return answer;
	if (!loader->check_targets(call))
		return ANSWER_FAILED;
	loading_begin(call, !name, false);
	loading_targets(call, name);
	if (!name)
		loading_remove_stale(call);
	if (!name && loader->plan_code)
		loader->plan_code(call, &loading->plan);
	return ANSWER_READY;
}

/*
 * Return true if the debugger can release the object. To release the program's object, the debugger
 * must reread the program's file, which is impossible while it is still reading the file.
 */
static bool can_unload(struct command_call *call, const struct source_object *object)
{
	if (!object->program)
		return true;
	if (call->session->debugger->loader->is_reading()) {
		reply_error(call, "%s: %s is still reading this file", object->module,
		            debugger_name(call));
		return false;
	}
	if (access(object->module, R_OK) == 0)
		return true;
	reply_error(call, "%s: the file no longer exists, so %s keeps the symbols", object->module,
	            debugger_name(call));
	return false;
}

static size_t mark_unloading(struct command_call *call, const char *name)
{
	const struct unloading *unloading = call->context;
	struct sources *sources = &call->session->sources;
	size_t count = 0;

	for (size_t i = 0; i < sources->objects; i++) {
		struct source_object *o = &sources->object[i];
		if (o->inferior != unloading->list.inferior ||
		    (name && !path_is_called(o->module, name)) || !can_unload(call, o))
			continue;
		o->present = false;
		count++;
	}
	return count;
}

static void print_unloaded_json(struct command_call *call, size_t count)
{
	struct json_writer json = reply_begin_json(call);

	json_add_number(&json, "unloaded", count);
	reply_end_json(call, &json);
}

static enum answer mark_objects(struct command_call *call)
{
	struct unloading *unloading = call->context;
	const char *name = read_module_name(call);
	enum answer answer =
		call->session->debugger->loader->list_targets(call, &unloading->list, true);

	if (answer != ANSWER_READY || mark_unloading(call, name) > 0)
		return answer;
	if (call->failed)
		return ANSWER_FAILED;
	if (name) {
		reply_error(call, "cairn has loaded no symbols for %s", name);
		return ANSWER_FAILED;
	}
	if (call->json)
		print_unloaded_json(call, 0);
	else
		reply_print(call, "cairn has loaded no symbols.");
	return ANSWER_DONE;
}

static enum answer release_objects(struct command_call *call)
{
	struct unloading *unloading = call->context;

	return call->session->debugger->loader->release_objects(call, &unloading->list);
}

static enum answer report_unloaded(struct command_call *call)
{
	const struct unloading *unloading = call->context;
	struct sources *sources = &call->session->sources;
	size_t count = 0;

	for (size_t i = sources->objects; i-- > 0;)
		if (sources->object[i].inferior == unloading->list.inferior &&
		    !sources->object[i].present) {
			if (!call->json)
				reply_print(call, "%s: unloaded", sources->object[i].module);
			sources_drop(sources, i);
			count++;
		}
	if (call->json)
		print_unloaded_json(call, count);
	return ANSWER_READY;
}

const struct command command_symbols_load = {
	.name = "cairn symbols load",
	.usage = "[-json] [-debuginfod] [MODULE|all]",
	.help = "Load the symbols of modules into the debugger.\n"
		"The symbols come from files given with \"cairn add-gsym\", \"add-symbfile\" or\n"
		"\"add-breakpad\", or found by build ID or FileID: beside the binary, in\n"
		"\"set cairn directory\", in /usr/lib/debug and in the cache.\n"
		"Without MODULE, or with \"all\", it skips modules that the debugger already has\n"
		"lines for, and in GDB it also loads what the process records of its JIT\n"
		"code (a perf map or jitdump).\n"
		"-debuginfod also asks the servers in DEBUGINFOD_URLS, by the program cairn.",
	.example = "cairn symbols load",
	.steps = { find_missing, fetch_missing, plan_loading, loading_ask_own, loading_take,
	           loading_report },
	.context_size = sizeof(struct symbols_loading),
	.finish = loading_finish,
};

const struct command command_symbols_unload = {
	.name = "cairn symbols unload",
	.usage = "[-json] [MODULE|all]",
	.help = "Remove the symbols that cairn loaded into the debugger.",
	.example = "cairn symbols unload all",
	.steps = { mark_objects, release_objects, report_unloaded },
	.context_size = sizeof(struct unloading),
};
