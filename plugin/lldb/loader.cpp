/* SPDX-License-Identifier: MIT */
/*
 * LLDB's implementation of struct symbol_loader. Adds and removes symbols with LLDB's own commands.
 */
#include "session.h"

#include "common/base/files.h"
#include "common/session/loading.h"

#include <cstdio>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static enum answer list_targets(struct command_call *call, struct target_list *list,
                                bool to_release)
{
	lldb_session *s = get_lldb_session(call);

	if (!to_release)
		complete_core(call);
	list->inferior = (int)s->lldb.GetIndexOfTarget(s->target);
	list->alive = is_process_stopped(s);
	list->count = s->target.GetNumModules();
	return ANSWER_READY;
}

/* Describe a module by its entry in the session's space if it is loaded, otherwise by its file. */
static void fill_module(lldb_session *s, const struct cairn_host_module *loaded,
                        struct cairn_module *module)
{
	const struct cairn_program *p = &s->file.program;
	const bool is_there = loaded->low < loaded->high;

	if (!is_there || cairn_space_module(s->space, loaded->low, module) != CAIRN_OK ||
	    !module->has_headers)
		*module = source_program_module(p, is_there ? loaded->low - p->span.low : 0);
}

/*
 * Return one of two equivalent directories for descriptor paths (/proc/self/fd/N). An object that
 * replaces another object with the same descriptor must use the other directory, because otherwise
 * LLDB would consider both the same file.
 */
static std::string name_directory(bool other)
{
	return other ? "/proc/" + std::to_string(getpid()) + "/fd" : "/proc/self/fd";
}

/*
 * Return true if the module has line tables that LLDB would lose if it received cairn's object.
 * Line tables in cairn's own objects do not count.
 */
static bool has_own_lines(lldb::SBModule &module)
{
	const char *directory = module.GetSymbolFileSpec().GetDirectory();
	std::string name = directory ? directory : "";

	return module.GetNumCompileUnits() > 0 && name != name_directory(false) &&
	       name != name_directory(true);
}

static bool is_loaded(lldb::SBTarget &target, lldb::SBModule &module)
{
	return module.GetObjectFileHeaderAddress().GetLoadAddress(target) != LLDB_INVALID_ADDRESS;
}

/*
 * Return true if the module is a library that LLDB has found through the program's file, and the
 * process has loaded another copy of that library.
 */
static bool has_loaded_twin(lldb::SBTarget &target, lldb::SBModule &module)
{
	const char *text = module.GetUUIDString();
	/* copy, because LLDB reuses one buffer for all UUID strings */
	std::string id = text ? text : "";

	if (id.empty() || is_loaded(target, module))
		return false;
	for (uint32_t i = 0; i < target.GetNumModules(); i++) {
		lldb::SBModule other = target.GetModuleAtIndex(i);
		const char *its = other.GetUUIDString();
		if (its && id == its && is_loaded(target, other))
			return true;
	}
	return false;
}

static bool read_target(struct command_call *call, size_t index, struct symbol_target *target)
{
	lldb_session *s = get_lldb_session(call);
	lldb::SBModule module = s->target.GetModuleAtIndex((uint32_t)index);
	struct cairn_host_module loaded;

	*target = symbol_target();
	s->file.path = find_module_path(module);
	if (has_loaded_twin(s->target, module))
		return false;
	if (cairn_program_read(s->file.path.c_str(), &s->file.program, nullptr) != CAIRN_OK)
		return false;
	describe_module(s->target, module, &loaded);
	fill_module(s, &loaded, &target->module);
	if (target->module.build_id.size != s->file.program.build_id_size ||
	    memcmp(target->module.build_id.data, s->file.program.build_id,
	           s->file.program.build_id_size) != 0)
		return false;
	target->module.name = s->file.path.c_str();
	target->text = loaded.text;
	target->program = &s->file.program;
	target->can_be_added = !has_own_lines(module);
	return true;
}

static bool has_module(struct command_call *call, const char *name)
{
	lldb::SBTarget &target = get_lldb_session(call)->target;

	for (uint32_t i = 0; i < target.GetNumModules(); i++) {
		lldb::SBModule module = target.GetModuleAtIndex(i);
		if (find_module_path(module) == name)
			return true;
	}
	return false;
}

static bool check_targets(struct command_call *call)
{
	if (get_lldb_session(call)->target.GetNumModules() > 0)
		return true;
	if (is_core(get_lldb_session(call)))
		reply_error(call,
		            "no module of the core has a file; add directories with \"settings "
		            "append target.exec-search-paths DIR\" and repeat the command");
	else
		reply_error(call,
		            "no program yet: load one with \"target create\", or open a core");
	return false;
}

static bool find_sframe_file(lldb_session *s)
{
	return read_sframe_file(&s->file, &s->side_files, s->sources.directories);
}

static bool wants_frames(struct command_call *call, const struct symbol_target *target)
{
	return has_frames_alone(target->program) || find_sframe_file(get_lldb_session(call));
}

static void await_frames(struct session *session)
{
	follow_given(static_cast<lldb_session *>(session));
}

static bool is_reading(void)
{
	return false;
}

/*
 * Provide the contents of the program's file, because the object's .debug_frame is generated from
 * the program's .sframe or from a separate SFrame file.
 */
static void set_options(struct command_call *call, const struct symbol_target *,
                        struct cairn_object_options *options)
{
	lldb_session *s = get_lldb_session(call);

	options->for_lldb = true;
	read_file_bytes(&s->file);
	options->program = { s->file.bytes.data(), s->file.bytes.size() };
	if (find_sframe_file(s))
		options->sframe_file = { s->file.sframe_file.data(), s->file.sframe_file.size() };
}

static std::string quote_path(const char *path)
{
	std::string word = "\"";

	for (; *path; path++) {
		if (strchr("\"\\`", *path))
			word += '\\';
		word += *path;
	}
	return word + "\"";
}

/*
 * Make no query, because LLDB has already removed the symbols of unloaded modules, and
 * read_target() has excluded modules with line tables.
 */
static enum answer ask_own_lines(struct command_call *, struct plan *plan)
{
	plan_drop_leaving(plan);
	return ANSWER_READY;
}

/*
 * Remove duplicate modules, because LLDB does not accept symbols for a file that two modules share.
 * Returns true if a module has been removed.
 */
static bool drop_twins(lldb_session *s)
{
	bool dropped = false;

	for (uint32_t i = s->target.GetNumModules(); i-- > 0;) {
		lldb::SBModule module = s->target.GetModuleAtIndex(i);
		if (has_loaded_twin(s->target, module))
			dropped = s->target.RemoveModule(module) || dropped;
	}
	return dropped;
}

/* Give LLDB an object for the module with this path. Returns false if LLDB rejects it. */
static bool give_object(lldb_session *s, const char *path, int fd)
{
	std::string file = "/" + std::to_string(fd);
	bool other = false;

	for (uint32_t i = 0; i < s->target.GetNumModules(); i++) {
		lldb::SBModule module = s->target.GetModuleAtIndex(i);
		other = other || (find_module_path(module) == path &&
		                  find_file_path(module.GetSymbolFileSpec()) ==
		                          name_directory(false) + file);
	}
	std::string add = "target symbols add ", object = name_directory(other) + file;
	if (run_in_lldb(s, add + object) || (drop_twins(s) && run_in_lldb(s, add + object)))
		return true;
	/* a module without a build ID can be matched only by its path */
	return run_in_lldb(s, add + "-s " + quote_path(path) + " " + object);
}

static enum answer take_objects(struct command_call *call, struct plan *plan)
{
	struct sources *sources = &call->session->sources;

	plan_drop_leaving(plan);
	for (size_t i = 0; i < plan->count; i++) {
		struct plan_item *item = &plan->item[i];
		if (item->object.fd < 0 || item->moved)
			continue;
		if (give_object(get_lldb_session(call), item->object.module, item->object.fd)) {
			sources->object[sources->objects++] = item->object;
			continue;
		}
		reply_error(call, "%s: LLDB rejected the symbols", item->object.module);
		plan_drop(plan, item);
	}
	return ANSWER_READY;
}

/*
 * For a program without symbols, give LLDB an object that contains only its call frame information.
 * LLDB rejects a file without useful sections, such as the stripped program, but accepts this
 * object.
 */
static bool add_frames_alone(lldb_session *s, const char *path)
{
	uint64_t functions;

	if (!read_program(path, &s->file))
		return false;
	read_file_bytes(&s->file);
	find_sframe_file(s);
	int fd = make_file_object(&s->file, nullptr, 0, &functions);
	bool taken = fd >= 0 && give_object(s, path, fd);
	memfile_close(fd);
	return taken;
}

/* Replace objects with the modules' own files, because LLDB has no command that removes symbols. */
static enum answer release_objects(struct command_call *call, const struct target_list *list)
{
	const struct sources *sources = &call->session->sources;
	lldb_session *s = get_lldb_session(call);

	for (size_t i = 0; i < sources->objects; i++) {
		const struct source_object *o = &sources->object[i];
		if (o->inferior != list->inferior || o->present)
			continue;
		if (!run_in_lldb(s, "target symbols add " + quote_path(o->module)) &&
		    !add_frames_alone(s, o->module))
			reply_error(call, "%s: LLDB failed to remove the symbols", o->module);
	}
	return call->failed ? ANSWER_FAILED : ANSWER_READY;
}

/*
 * Make symbols available for a library that is loaded later, when LLDB asks for its debug file.
 * Returns false if a process exists, because LLDB may already have asked.
 */
static bool prepare_library(struct command_call *call, const char *symbols,
                            struct cairn_bytes build_id, uint64_t offset, const char *named)
{
	lldb_session *s = get_lldb_session(call);

	if (named || is_process_stopped(s) || !sources_add(&s->sources, symbols, build_id, offset))
		return false;
	follow_given(s);
	return true;
}

/*
 * Run the program `cairn`. Only this separate program accesses the network, and only at the user's
 * request.
 */
static enum answer run_program(struct command_call *call, const char *const *words)
{
	std::vector<char *> arguments = { (char *)"cairn" };
	posix_spawn_file_actions_t actions;
	pid_t child;
	int status;

	for (; *words; words++)
		arguments.push_back((char *)*words);
	arguments.push_back(nullptr);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
	int failed = posix_spawnp(&child, "cairn", &actions, nullptr, arguments.data(), environ);
	posix_spawn_file_actions_destroy(&actions);
	if (failed) {
		reply_error(call, "cannot run the command-line program cairn: %s",
		            strerror(failed));
		return ANSWER_FAILED;
	}
	waitpid(child, &status, 0);
	return ANSWER_READY;
}

/* Make auto-symbols check all modules again at the next stop. */
static void look_again(struct session *session)
{
	static_cast<lldb_session *>(session)->followed = 0;
}

static constexpr struct symbol_loader make_loader()
{
	struct symbol_loader l = {};

	l.add_later = "";
	l.list_targets = list_targets;
	l.read_target = read_target;
	l.has_module = has_module;
	l.check_targets = check_targets;
	l.is_reading = is_reading;
	l.set_options = set_options;
	l.wants_frames = wants_frames;
	l.await_frames = await_frames;
	l.prepare_library = prepare_library;
	l.ask_own_lines = ask_own_lines;
	l.take_objects = take_objects;
	l.release_objects = release_objects;
	l.run_program = run_program;
	l.look_again = look_again;
	return l;
}

constexpr struct symbol_loader lldb_loader = make_loader();
