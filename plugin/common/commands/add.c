/* SPDX-License-Identifier: MIT */
/*
 * The commands add-gsym, add-symbfile and add-breakpad, which use a symbol file that the user
 * names.
 */
#include "commands.h"

#include "common/base/path.h"
#include "common/loading/loading.h"
#include "common/loading/symbol_file_args.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

struct adding {
	struct loading loading; /* must be first */
	struct symbol_file_args args;
	bool fetching; /* a server has been queried */
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
	text_add(&why, args->module ? "; -force uses it anyway"
	                            : "; -module NAME -force uses it for a module");
	reply_error(call, "%s", why.data ? why.data : what);
	text_finish(&why);
}

/* Return true if the file is named after the module, as "/srv/app.ranges" is after "app". */
static bool is_named_after(const struct symbol_file_args *args, const struct cairn_module *module)
{
	const char *file = path_last_part(args->path), *name = path_last_part(module->name);
	size_t size = strlen(name);

	return size > 0 && strncmp(file, name, size) == 0 &&
	       strchr(file + size, '.') == file + size;
}

/*
 * Return true if the module's own file has the FileID of the symbols. The file must exist and have
 * the module's build ID.
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
 * Check that the file belongs to the module. A symbfile without a FileID is accepted, because
 * nothing but the user's word connects it to a module.
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
		report_wrong_build(call, args, "made for another build",
		                   cairn_symbols_build_id(symbols), module->build_id);
		return false;
	}
	if (!args->has_id || has_file_id(args, module, &error))
		return true;
	reply_error(
		call, "%s: %s%s; -force uses it anyway", args->path,
		error.status == CAIRN_OK ? "" : "the module's FileID is not known: ", error.text);
	return false;
}

static void report_no_module(struct command_call *call, const struct symbol_file_args *args,
                             struct cairn_bytes own)
{
	if (args->module)
		reply_error(call, "no module %s that can be read; \"cairn modules\" lists them",
		            args->module);
	else if (args->format != CAIRN_SYMBOLS_SYMBFILE)
		report_wrong_build(call, args, "no module here belongs to that build", own,
		                   (struct cairn_bytes){ own.data, 0 });
	else if (args->has_id)
		reply_error(call,
		            "%s: no module's file has this FileID; -module NAME -force uses it for "
		            "a module",
		            args->path);
	else
		reply_error(call,
		            "%s: a symbfile does not record its module; name it with -module NAME",
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
 * Keep a file until its module is loaded, since libraries are not known before the program runs.
 * The file must record a full build ID, by which its module is recognized later.
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
		reply_print(call,
		            "%s: it does not belong to the program; cairn keeps it for a module of "
		            "its build",
		            args->path);
	return true;
}

/* Remember the file for the module. Returns true if the debugger should load it, too. */
static bool accept_for(struct command_call *call, const struct symbol_file_args *args,
                       const struct cairn_module *module)
{
	if (module->build_id.size == 0) {
		reply_error(call, "%s has no build ID, so cairn cannot recognize it later",
		            module->name);
		return false;
	}
	if (!sources_add(&call->session->sources, args->path, module->build_id, args->offset)) {
		reply_error(call, "out of memory, or more than %d files", SOURCES_MAX);
		return false;
	}
	if (args->only)
		reply_print(call, "%s: symbols in %s", module->name, args->path);
	return !args->only;
}

/*
 * Find the module that the file is for, and plan to load it. Returns false with an error reported.
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
		            "the cache has no symbols of %s; fetch them with \"cairn symbfile "
		            "fetch --url URL %s\" in a shell, or with -url URL here",
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
		reply_error(call, "%s: it is %s; use \"cairn %s\"", args->path,
		            symbol_file_args_format(format), symbol_file_args_command(format));
	return format == args->format;
}

/*
 * Open the file and plan to load it. Returns false if there is nothing to load, or an error was
 * reported.
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
	const struct cairn_symbols *symbols = cairn_symbol_file_symbols(hit.file);
	bool load = check_file(call, args, symbols) && accept_file(call, args, symbols);
	sources_close(sources, &hit);
	return load;
}

/* The variant of a command is the format of the symbol file. */
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
