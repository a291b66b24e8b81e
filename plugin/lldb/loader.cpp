/* SPDX-License-Identifier: MIT */
/*
 * LLDB's implementation of struct symbol_loader, which adds and removes symbols with LLDB's own
 * commands. Also implements the auto-symbols setting, which loads symbols for modules without
 * symbols. In the same way, loads symbols that the user has specified for a library that is not
 * loaded yet.
 *
 * LLDB does not notify plugins of events. Therefore a stop hook checks the modules at each stop,
 * and command hooks check them before LLDB commands that need symbols. In LLDB 17 and newer, a
 * locator also answers LLDB's queries for a module's files.
 */
#include "session.h"

#include "common/base/files.h"
#include "common/commands/commands.h"
#include "common/session/loading.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <mutex>
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

static bool is_fixed_program(const std::string &path)
{
	struct module_file file;

	return read_program(path, &file) && file.program.span.low != 0;
}

/*
 * Return the path of the program that a "target create" command opens together with a core. Returns
 * an empty string if there is no core, or if other options may change the program.
 */
static std::string find_program_of_core(const char *const *words)
{
	std::string program;
	bool core = false;

	for (words += 2; *words; words++) {
		const bool named = strcmp(*words, "-c") == 0 || strcmp(*words, "--core") == 0;
		if (named && words[1]) {
			core = true;
			words++;
		} else if (strncmp(*words, "--core=", 7) == 0) {
			core = true;
		} else if (**words == '-' || !program.empty()) {
			return "";
		} else {
			program = *words;
		}
	}
	return core ? program : "";
}

/* Return true if an existing target has this program, so that its symbols are already loaded. */
static bool is_known(lldb_session *s, const std::string &program)
{
	for (uint32_t i = 0; i < s->lldb.GetNumTargets(); i++) {
		lldb::SBTarget target = s->lldb.GetTargetAtIndex(i);
		if (find_file_path(target.GetExecutable()) == program)
			return true;
	}
	return false;
}

void prepare_fixed_program(lldb_session *s, const char *const *words, const struct command *follow)
{
	const bool whole = words && words[0] && words[1];
	const std::string program = whole ? find_program_of_core(words) : "";
	lldb::SBTarget selected = s->lldb.GetSelectedTarget();
	const struct words none = {};
	lldb::SBError error;
	lldb_call call;

	if (program.empty() || !is_fixed_program(program) || is_known(s, program))
		return;
	lldb::SBTarget target =
		s->lldb.CreateTarget(program.c_str(), nullptr, nullptr, false, error);
	if (!target.IsValid())
		return;
	s->lldb.SetSelectedTarget(target);
	run_lldb_command(s, follow, &none, &call);
	s->lldb.DeleteTarget(target);
	if (selected.IsValid())
		s->lldb.SetSelectedTarget(selected);
}

/* A symbol object that the locator has given to LLDB as a module's debug file. */

struct located_object {
	/* `path` and `module` in `object` point to the two members below */
	struct source_object object;
	std::string path, module;
	std::vector<int> adopted;
};

/*
 * State that the plugin shares with LLDB's threads. Do not call LLDB while holding `lock`, because
 * LLDB has locks of its own and the calls could deadlock.
 */
struct locator {
	std::mutex lock;
	struct sources sources = {};
	struct side_files side_files = {};
	std::vector<std::string> directories;
	std::vector<located_object> located;

	~locator()
	{
		for (located_object &one : located)
			memfile_close(one.object.fd);
		forget();
	}

	void forget()
	{
		for (size_t i = 0; i < sources.given_count; i++)
			free(sources.given[i].path);
		sources.given_count = 0;
		free(sources.directories);
		sources.directories = nullptr;
		side_files_finish(&side_files);
	}
};

std::shared_ptr<struct locator> make_locator()
{
	return std::make_shared<locator>();
}

using locate_callback = lldb::SBError (*)(void *baton, const lldb::SBModuleSpec &spec,
                                          lldb::SBFileSpec &module_file,
                                          lldb::SBFileSpec &symbol_file);

/*
 * Exists in LLDB 17 and newer as SBPlatform::SetLocateModuleCallback(), but older headers do not
 * declare it.
 */
lldb::SBError set_locate_callback(
	lldb::SBPlatform *platform, locate_callback callback,
	void *baton) __asm__("_ZN4lldb10SBPlatform23SetLocateModuleCallbackEPFNS_7SBErrorE"
                             "PvRKNS_12SBModuleSpecERNS_10SBFileSpecES7_ES2_")
	__attribute__((weak));

/* capacity for a path below a build-ID directory, such as "/ab/cdef.debug" */
enum { BUILD_PATH_MAX = 256 };

static bool is_readable(const std::string &path)
{
	return access(path.c_str(), R_OK) == 0;
}

static std::string read_debug_link(const std::vector<uint8_t> &file)
{
	struct cairn_files *files = cairn_files_new(false);
	struct cairn_range part;
	unsigned step = 0;

	while (files && cairn_files_part(files, { file.data(), file.size() }, &step, false, &part))
		continue;
	std::string link = files ? cairn_files_link(files) : "";
	cairn_files_free(files);
	return link;
}

/* Return true if LLDB finds a debug file without cairn. */
static bool has_debug_file(const locator &l, const struct module_file &file)
{
	std::string directory = file.path.substr(0, file.path.rfind('/') + 1);
	std::string link = read_debug_link(file.bytes);
	const struct cairn_bytes id = { file.program.build_id, file.program.build_id_size };

	for (const std::string &root : l.directories)
		if (is_readable(name_build_file(id, root, "debug")) ||
		    (!link.empty() && is_readable(root + directory + link)))
			return true;
	return !link.empty() &&
	       (is_readable(directory + link) || is_readable(directory + ".debug/" + link));
}

/*
 * Create an object with the symbols in `hit`, or with only call frame information if there are no
 * symbols. Returns false if there is neither.
 */
static bool make_located(locator &l, const struct module_file &file, const struct source_hit *hit)
{
	located_object one = {};

	one.path = hit->file ? cairn_symbols_path(hit->file) : file.path;
	one.module = file.path;
	one.object.id = source_id({ file.program.build_id, file.program.build_id_size });
	one.object.offset = hit->offset;
	one.object.program = one.object.present = true;
	/*
	 * Reserve memory before creating the descriptor, because push_back() could throw and leak
	 * the descriptor.
	 */
	l.located.reserve(l.located.size() + 1);
	one.object.fd = make_file_object(&file, hit->file ? hit->file : nullptr, hit->offset,
	                                 &one.object.functions);
	if (one.object.fd >= 0)
		l.located.push_back(std::move(one));
	return one.object.fd >= 0;
}

static bool locate_symbols(locator &l, struct module_file &file)
{
	struct symbol_target target = describe_file(&file);
	struct source_hit hit = {};
	bool made;

	if (l.located.size() >= SOURCES_MAX || has_debug_file(l, file))
		return false;
	bool framed = read_sframe_file(&file, &l.side_files, l.sources.directories) ||
	              has_frames_alone(&file.program);
	if (sources_open(&l.sources, &target.module, &hit, nullptr) != CAIRN_OK) {
		hit = source_hit();
		return framed && make_located(l, file, &hit);
	}
	try {
		made = make_located(l, file, &hit);
	} catch (...) {
		sources_close(&l.sources, &hit);
		throw;
	}
	sources_close(&l.sources, &hit);
	return made;
}

static int find_located(const locator &l, const struct cairn_program &program)
{
	for (const located_object &one : l.located)
		if (source_is(&one.object.id, { program.build_id, program.build_id_size }))
			return one.object.fd;
	return -1;
}

static int locate_file(locator &l, const std::string &path)
{
	struct module_file file;

	if (path.compare(0, 1, "/") != 0 || !read_program(path, &file) ||
	    file.program.build_id_size == 0 || file.program.debug_info)
		return -1;
	const struct cairn_bytes id = { file.program.build_id, file.program.build_id_size };
	const bool is_awaited =
		sources_given(&l.sources, id) || side_files_has_named(&l.side_files, id);
	if (!l.sources.follow && !is_awaited)
		return -1;
	int fd = find_located(l, file.program);
	if (fd >= 0)
		return fd;
	read_file_bytes(&file);
	return locate_symbols(l, file) ? l.located.back().object.fd : -1;
}

static std::string name_descriptor(int fd)
{
	return "/proc/self/fd/" + std::to_string(fd);
}

static lldb::SBError locate_module(void *baton, const lldb::SBModuleSpec &spec, lldb::SBFileSpec &,
                                   lldb::SBFileSpec &symbol_file)
{
	lldb::SBError error;
	int fd = -1;

	try {
		std::shared_ptr<lldb_session> s =
			find_lldb_session((lldb::user_id_t)(uintptr_t)baton);
		std::shared_ptr<locator> l = s ? s->locator : nullptr;
		lldb::SBModuleSpec asked = spec;
		std::string path = find_file_path(asked.GetFileSpec());
		if (l) {
			std::lock_guard<std::mutex> guard(l->lock);
			fd = l->sources.follow || l->sources.waits ? locate_file(*l, path) : -1;
		}
	} catch (...) {
		fd = -1;
	}
	if (fd < 0)
		error.SetErrorString("cairn has no symbols for it");
	else
		symbol_file = lldb::SBFileSpec(name_descriptor(fd).c_str(), false);
	return error;
}

void locator_begin(lldb_session *s)
{
	lldb::SBPlatform platform = s->lldb.GetSelectedPlatform();

	if (set_locate_callback && platform.IsValid())
		set_locate_callback(&platform, locate_module, (void *)(uintptr_t)s->lldb.GetID());
}

static void add_directory(std::vector<std::string> &directories, std::string path)
{
	while (!path.empty() && strchr(" \n\"", path.back()))
		path.pop_back();
	if (!path.empty() && path.front() == '"')
		path.erase(0, 1);
	if (!path.empty())
		directories.push_back(path);
}

std::string name_build_file(struct cairn_bytes build_id, const std::string &root,
                            const char *extension)
{
	std::string path(root.size() + BUILD_PATH_MAX, '\0');

	if (!cairn_build_id_path(build_id, root.c_str(), extension, &path[0], path.size()))
		return "";
	path.resize(strlen(path.c_str()));
	return path;
}

/*
 * Return the paths in a setting, which LLDB prints as "[0]: PATH [1]: PATH", on one line or
 * several. Some versions quote the paths.
 */
std::vector<std::string> list_setting(lldb_session *s, const char *name)
{
	std::vector<std::string> directories;
	std::string text, mark = "[0]: ";
	lldb::SBStringList list =
		lldb::SBDebugger::GetInternalVariableValue(name, s->lldb.GetInstanceName());

	for (uint32_t i = 0; i < list.GetSize(); i++)
		text += std::string(list.GetStringAtIndex(i)) + "\n";
	for (size_t i = 0, at = text.find(mark); at != std::string::npos; i++) {
		at += mark.size();
		mark = "[" + std::to_string(i + 1) + "]: ";
		size_t end = text.find(mark, at);
		add_directory(directories,
		              text.substr(at, end == std::string::npos ? end : end - at));
		at = end;
	}
	return directories;
}

void locator_update(lldb_session *s)
{
	std::vector<std::string> directories = list_setting(s, "target.debug-file-search-paths");
	locator &l = *s->locator;

	std::lock_guard<std::mutex> guard(l.lock);
	l.directories = directories;
	l.directories.push_back("/usr/lib/debug");
	l.sources.follow = s->sources.follow;
	l.sources.waits = s->sources.waits;
	l.forget();
	for (size_t i = 0; i < s->sources.given_count; i++) {
		const struct source &given = s->sources.given[i];
		sources_add(&l.sources, given.path, { given.id.data, given.id.size }, given.offset);
	}
	for (unsigned i = 0; i < s->side_files.count; i++)
		side_files_add(&l.side_files, s->side_files.path[i]);
	if (s->sources.directories)
		l.sources.directories = strdup(s->sources.directories);
}

static void adopt_object(lldb_session *s, const located_object &one, int inferior)
{
	struct source_object object = one.object;

	object.inferior = inferior;
	object.fd = fcntl(one.object.fd, F_DUPFD_CLOEXEC, 0);
	object.path = strdup(one.path.c_str());
	object.module = strdup(one.module.c_str());
	if (object.fd >= 0 && object.path && object.module) {
		s->sources.object[s->sources.objects++] = object;
		return;
	}
	memfile_close(object.fd);
	free(object.path);
	free(object.module);
}

/*
 * List the files from which LLDB has loaded symbols. Call this before taking `lock`, because
 * calling LLDB while holding it could deadlock.
 */
static std::vector<std::string> list_symbol_files(lldb_session *s)
{
	std::vector<std::string> files;

	for (uint32_t i = 0; i < s->target.GetNumModules(); i++)
		files.push_back(find_file_path(s->target.GetModuleAtIndex(i).GetSymbolFileSpec()));
	return files;
}

template <class Item> static bool has_item(const std::vector<Item> &list, const Item &item)
{
	return std::find(list.begin(), list.end(), item) != list.end();
}

void locator_adopt(lldb_session *s)
{
	int inferior = s->target.IsValid() ? (int)s->lldb.GetIndexOfTarget(s->target) : -1;
	std::vector<std::string> files = list_symbol_files(s);

	std::lock_guard<std::mutex> guard(s->locator->lock);
	for (located_object &one : s->locator->located) {
		struct cairn_module module = {};
		module.name = one.object.module;
		module.build_id = { one.object.id.data, one.object.id.size };
		if (has_item(one.adopted, inferior) || s->sources.objects == SOURCES_MAX ||
		    sources_object(&s->sources, inferior, &module) ||
		    !has_item(files, name_descriptor(one.object.fd)))
			continue;
		one.adopted.push_back(inferior);
		adopt_object(s, one, inferior);
	}
}

static void add_to_hash(uint64_t *hash, const void *bytes, size_t size)
{
	const auto *p = static_cast<const unsigned char *>(bytes);

	for (size_t i = 0; i < size; i++)
		*hash = (*hash ^ p[i]) * 0x100000001b3U;
}

/* Return a hash of the list of modules; it is never 0. */
static uint64_t hash_modules(lldb_session *s)
{
	uint64_t hash = 0xcbf29ce484222325U;

	add_to_hash(&hash, &s->process, sizeof(s->process));
	for (uint32_t i = 0; i < s->target.GetNumModules(); i++) {
		lldb::SBModule module = s->target.GetModuleAtIndex(i);
		std::string path = find_module_path(module);
		uint64_t at = module.GetObjectFileHeaderAddress().GetLoadAddress(s->target);
		add_to_hash(&hash, path.c_str(), path.size() + 1);
		add_to_hash(&hash, &at, sizeof(at));
	}
	return hash | 1;
}

static void plan_given(struct command_call *call, const struct target_list *list)
{
	struct symbol_target target;

	for (size_t i = 0; i < list->count; i++)
		if (call->session->debugger->loader->read_target(call, i, &target) &&
		    (sources_given(&call->session->sources, target.module.build_id) ||
		     side_files_has_named(&call->session->side_files, target.module.build_id)))
			loading_target(call, &target);
}

/*
 * Plan to load symbols for new modules if auto-symbols is on, or if the user has specified a file
 * for a module that was not loaded. Does nothing if the modules are unchanged.
 */
static enum answer plan_new_modules(struct command_call *call)
{
	auto *loading = static_cast<struct loading *>(call->context);
	lldb_session *s = get_lldb_session(call);

	if ((!s->sources.follow && !s->sources.waits) || s->target.GetNumModules() == 0)
		return ANSWER_DONE;
	uint64_t hash = hash_modules(s);
	if (hash == s->followed)
		return ANSWER_DONE;
	s->followed = hash;
	s->debugger->loader->list_targets(call, &loading->list, false);
	loading_begin(call, true, true);
	if (s->sources.follow)
		loading_targets(call, nullptr);
	else
		plan_given(call, &loading->list);
	loading_remove_stale(call);
	return ANSWER_READY;
}

static constexpr struct command make_follow()
{
	struct command c = {};

	c.name = "cairn symbols follow";
	c.usage = "";
	c.help = "Load the symbols of modules loaded since the last time.\n"
		 "With \"set cairn auto-symbols on\" cairn does this automatically at each stop.";
	c.steps[0] = plan_new_modules;
	c.steps[1] = loading_ask_own;
	c.steps[2] = loading_take;
	c.steps[3] = loading_report;
	c.context_size = sizeof(struct loading);
	c.finish = loading_finish;
	return c;
}

constexpr struct command command_symbols_follow = make_follow();

/*
 * Call `act` before an LLDB command. Errors are ignored, because "cairn symbols load" reports them.
 * Always returns false, which tells LLDB to execute the command.
 */
template <class Action> static bool act_before_command(void *baton, Action act)
{
	try {
		std::shared_ptr<lldb_session> s =
			find_lldb_session((lldb::user_id_t)(uintptr_t)baton);

		if (s && (s->sources.follow || s->sources.waits) && !s->interruptible)
			act(s.get());
	} catch (...) {
	}
	return false;
}

static bool follow_before_command(void *baton, const char **)
{
	return act_before_command(baton, [](lldb_session *s) {
		const struct words none = {};
		lldb_call call;
		run_lldb_command(s, &command_symbols_follow, &none, &call);
	});
}

static bool prepare_before_command(void *baton, const char **words)
{
	return act_before_command(baton, [words](lldb_session *s) {
		prepare_fixed_program(s, words, &command_symbols_follow);
	});
}

/*
 * Add a stop hook to the target. New targets inherit the hooks of LLDB's dummy target, but an
 * existing target needs its own.
 */
static void hook_target(lldb_session *s)
{
	const std::string line = "target stop-hook add -o \"cairn symbols follow\"";
	lldb::user_id_t number = s->target.IsValid() ? s->lldb.GetIndexOfTarget(s->target) + 1 : 0;
	auto &known = s->hooked_targets;

	if (std::find(known.begin(), known.end(), number) == known.end() && run_in_lldb(s, line))
		known.push_back(number);
}

static void hook_commands(lldb_session *s)
{
	static const char *const names[] = { "breakpoint set", "process launch", "thread backtrace",
		                             "process attach", "image lookup" };
	void *baton = (void *)(uintptr_t)s->lldb.GetID();

	for (const char *name : names)
		s->lldb.GetCommandInterpreter().SetCommandOverrideCallback(
			name, follow_before_command, baton);
	s->lldb.GetCommandInterpreter().SetCommandOverrideCallback("target create",
	                                                           prepare_before_command, baton);
}

/* Install the command hooks once per debugger, and the stop hook once per existing target. */
static void begin_following(lldb_session *s)
{
	if (!s->hooked) {
		hook_commands(s);
		locator_begin(s);
	}
	hook_target(s);
	s->hooked = true;
	s->followed = 0;
}

void follow_given(lldb_session *s)
{
	s->sources.waits = true;
	begin_following(s);
}

static enum answer set_auto_symbols(struct command_call *call)
{
	bool on;

	if (!auto_symbols_read(call, &on))
		return ANSWER_FAILED;
	/* hooks stay installed but do nothing while the setting is off */
	call->session->sources.follow = on;
	if (on)
		begin_following(get_lldb_session(call));
	return on ? plan_new_modules(call) : ANSWER_DONE;
}

static constexpr struct command make_set_auto_symbols()
{
	struct command c = make_follow();

	c.name = "set cairn auto-symbols";
	c.usage = "on|off";
	c.help = "Set whether cairn loads symbols for modules that have none.\n"
		 "LLDB 17 and newer ask cairn when they open a module; else it checks at each "
		 "stop,\n"
		 "and before breakpoints are set, the program is started or a stack is shown.\n"
		 "It adds a stop hook, \"cairn symbols follow\".";
	c.example = "set cairn auto-symbols on";
	c.steps[0] = set_auto_symbols;
	return c;
}

constexpr struct command command_set_lldb_auto_symbols = make_set_auto_symbols();
