/* SPDX-License-Identifier: MIT */
/*
 * GDB's implementation of struct symbol_loader: lists modules, hands symbol objects to GDB, and
 * prepares symbols for libraries that are not loaded yet.
 */
#include "gdb_loader.h"

#include "jit_code.h"

#include "common/base/files.h"
#include "common/session/loading.h"
#include "protocol/gdb_call.h"
#include "queries/debug_file_directory.h"
#include "queries/gdb_output.h"
#include "queries/gdb_state.h"
#include "queries/values.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Hands symbol objects to GDB according to a plan, and records the result. For the program, the
 * object is put where GDB looks for debug files, and GDB rereads the program's file (symbol-file).
 * GDB thus treats the object as the program's debug file and relocates it with the program in each
 * run. For a library, the object is added (add-symbol-file) at the library's current address.
 */

/*
 * Make GDB reread the program's file. If a process exists, GDB gets the program's address from the
 * process. Otherwise GDB would forget the address when it rereads the file, so the command includes
 * the address.
 */
static void order_program(struct text *orders, const struct source_object *o, bool alive)
{
	text_add(orders, "with auto-load gdb-scripts off -- symbol-file ");
	if (!alive)
		text_print(orders, "-o %#" PRIx64 " ", o->bias);
	text_word(orders, o->module);
	text_add(orders, "\n");
}

/*
 * Add the GDB command that releases the object. GDB may then search for other symbols for the
 * program, but must not use the network for the search, because the user has not requested that.
 */
static void symbol_handover_remove(struct text *orders, const struct source_object *o, bool alive)
{
	if (!o->program) {
		text_print(orders, "remove-symbol-file /proc/self/fd/%d\n", o->fd);
		return;
	}
	text_add(orders, "with debuginfod enabled off -- ");
	order_program(orders, o, alive);
}

static void order_object(const struct gdb_session *s, struct text *orders,
                         const struct plan_item *item, bool alive)
{
	const struct source_object *o = &item->object;
	char directory[DEBUG_FILE_DIRECTORY_PATH_MAX];

	if (o->program) {
		debug_file_directory_path(&s->directory, o->fd, directory);
		text_print(orders, "with debug-file-directory %s -- ", directory);
		order_program(orders, o, alive);
		return;
	}
	if (item->moved)
		symbol_handover_remove(orders, o, alive);
	text_print(orders, "add-symbol-file /proc/self/fd/%d -o %#" PRIx64 "\n", o->fd, o->bias);
}

/*
 * Remove the objects of unloaded modules, except the program's, which GDB removes with the program.
 */
static void order_leaving(struct command_call *call, const struct plan *plan, struct text *orders)
{
	const struct sources *sources = &call->session->sources;

	for (size_t i = 0; plan->leaving > 0 && i < sources->objects; i++)
		if (plan_lets_go(plan, &sources->object[i]) && !sources->object[i].program)
			symbol_handover_remove(orders, &sources->object[i], plan->alive);
}

static enum answer ask_own_lines(struct command_call *call, const struct plan *plan)
{
	struct text *questions = gdb_begin_orders(call);

	order_leaving(call, plan, questions);
	if (plan->leaving > 0)
		gdb_order_innermost(call);
	for (size_t i = 0; i < plan->count; i++)
		if (plan->item[i].sample)
			text_print(questions, "echo \\002%zu\\n\ninfo line *%#" PRIx64 "\n", i,
			           plan->item[i].sample);
	return gdb_send_orders(call, PENDING_OWN);
}

/*
 * Make GDB release the objects of unloaded modules first, because a new library may occupy the same
 * addresses. Then remove modules from the plan for which GDB has its own line tables.
 */
static enum answer symbol_handover_ask_own(struct command_call *call, struct plan *plan)
{
	const char *at = gdb_call(call)->output;

	if (!gdb_has_answered(call, PENDING_OWN))
		return ask_own_lines(call, plan);
	plan_drop_leaving(plan);
	while ((at = strchr(at, '\002')) != NULL) {
		size_t i = strtoul(at + 1, NULL, 10);
		at += strcspn(at, "\n");
		if (strncmp(at, "\nLine ", 6) != 0 || i >= plan->count)
			continue;
		plan->own++;
		plan_drop(plan, &plan->item[i]);
	}
	return ANSWER_READY;
}

static enum answer order_objects(struct command_call *call, const struct plan *plan)
{
	struct text *orders = gdb_begin_orders(call);

	order_leaving(call, plan, orders);
	bool program = false;
	for (size_t i = 0; i < plan->count; i++) {
		if (plan->item[i].object.fd < 0)
			continue;
		order_object(gdb_session(call), orders, &plan->item[i], plan->alive);
		program = program || plan->item[i].object.program;
	}
	if (program)
		text_add(orders, LIST_OF_FILES "\n");
	gdb_order_innermost(call);
	return gdb_send_orders(call, PENDING_LOADED);
}

static void record_object(struct sources *sources, const struct plan_item *item)
{
	const struct source_object *o = &item->object;

	if (!item->moved) {
		sources->object[sources->objects++] = *o;
		return;
	}
	for (size_t k = 0; k < sources->objects; k++)
		if (sources->object[k].fd == o->fd && sources->object[k].inferior == o->inferior)
			sources->object[k].bias = o->bias;
}

/*
 * Return true if GDB has accepted the object. GDB skips objects that are damaged or for another
 * machine.
 */
static bool is_taken(struct command_call *call, const struct plan_item *item)
{
	return !item->object.program ||
	       gdb_state_lists_object(gdb_session(call), &item->object, gdb_call(call)->output);
}

static enum answer symbol_handover_take(struct command_call *call, struct plan *plan)
{
	struct sources *sources = &call->session->sources;

	if (!gdb_has_answered(call, PENDING_LOADED))
		return order_objects(call, plan);
	plan_drop_leaving(plan);
	for (size_t i = 0; i < plan->count; i++) {
		struct plan_item *item = &plan->item[i];
		if (item->object.fd < 0)
			continue;
		if (is_taken(call, item)) {
			record_object(sources, item);
			continue;
		}
		reply_error(call, "%s: GDB rejected the symbols", item->object.module);
		plan_drop(plan, item);
	}
	return ANSWER_READY;
}

/*
 * Prepares symbols for libraries that are not loaded yet. When the dynamic linker loads a library,
 * GDB looks up its debug file by build ID without stopping, so cairn cannot act then. The object is
 * therefore created in advance, in one of GDB's debug-file-directories. It contains a copy of the
 * section headers in the library's file, so that file must exist.
 */

/* maximum number of directory entries to examine; programs have a few hundred files */
enum { ENTRIES_MAX = 4096 };

static const struct prepared_library *find_prepared(const struct prepared_libraries *p,
                                                    struct cairn_bytes build_id)
{
	for (size_t i = 0; i < p->count; i++)
		if (source_is(&p->of[i].id, build_id))
			return &p->of[i];
	return NULL;
}

static bool prepared_libraries_has(struct command_call *call, const struct symbol_target *target)
{
	return find_prepared(&gdb_session(call)->prepared, target->module.build_id) != NULL;
}

/* Add the program's directory with a trailing slash, or nothing if there is no program. */
static void add_program_directory(struct command_call *call, struct text *text)
{
	const struct gdb_state *state = gdb_session(call)->state;

	for (size_t i = 0; state && i < state->files.count; i++) {
		struct cairn_bytes name = state->files.modules[i].host.name;
		if (!state->files.modules[i].program)
			continue;
		while (name.size > 0 && name.data[name.size - 1] != '/')
			name.size--;
		text_bytes(text, (const char *)name.data, name.size);
		return;
	}
}

static bool is_library_name(const char *name)
{
	const char *so = strstr(name, ".so");

	return so && so != name && (so[3] == '\0' || so[3] == '.') &&
	       /* exclude NAME.so.gsym and NAME.so.sym */
	       strcmp(name + strlen(name) - 2, "ym") != 0;
}

/*
 * Return true if the file has this build ID and no line table. If the file has a line table, GDB
 * reads it itself.
 */
static bool is_library(const char *path, struct cairn_bytes build_id, struct cairn_program *file)
{
	return cairn_program_read(path, file, NULL) == CAIRN_OK && !file->debug_info &&
	       file->build_id_size > 0 &&
	       (build_id.size == 0 || (file->build_id_size == build_id.size &&
	                               memcmp(file->build_id, build_id.data, build_id.size) == 0));
}

/*
 * Add the file's path without its last suffix. For a symbol file that was created beside its
 * library, the result is the library's path.
 */
static void add_without_suffix(struct text *text, const char *path)
{
	const char *dot = strrchr(path_last_part(path), '.');

	text_bytes(text, path, dot ? (size_t)(dot - path) : strlen(path));
}

/*
 * Find the library's file. It is the file that the user has specified, or a file in the same
 * directory as the symbols or the program.
 */
static bool find_library(struct command_call *call, const char *symbols, const char *named,
                         struct cairn_bytes build_id, struct cairn_program *file, struct text *path)
{
	enum { NAMED, BESIDE_SYMBOLS, BESIDE_PROGRAM, PLACES };

	for (unsigned place = 0; place < PLACES; place++) {
		text_reset(path);
		if (place == NAMED && named)
			path_add_absolute(path, named, strlen(named));
		else if (place == BESIDE_SYMBOLS)
			add_without_suffix(path, symbols);
		else if (place == BESIDE_PROGRAM) {
			add_program_directory(call, path);
			add_without_suffix(path, path_last_part(symbols));
		}
		if (path->data && !path->cut &&
		    (place == NAMED || is_library_name(path_last_part(path->data))) &&
		    is_library(path->data, build_id, file))
			return true;
	}
	return false;
}

/*
 * Add the directory with the objects prepared for libraries to GDB's debug-file-directory setting.
 */
static void name_directory(struct command_call *call)
{
	struct prepared_libraries *p = &gdb_session(call)->prepared;
	char directory[DEBUG_FILE_DIRECTORY_PATH_MAX];

	if (p->named)
		return;
	debug_file_directory_shared(&gdb_session(call)->directory, directory);
	text_print(gdb_call(call)->reply,
	           "with language c -- set $_cairn_directory = "
	           "$_gdb_setting_str(\"debug-file-directory\")\n"
	           "eval \"set debug-file-directory %%s:%s\", $_cairn_directory\n",
	           directory);
	p->named = true;
}

static bool keep_library(struct command_call *call, const struct plan_item *item,
                         const struct cairn_module *module, const char *symbols)
{
	struct gdb_session *s = gdb_session(call);
	struct prepared_library made = { source_id(module->build_id), item->object.fd,
		                         strdup(module->name), strdup(symbols) };

	if (made.library && made.symbols &&
	    debug_file_directory_share(&s->directory, made.fd, module->build_id)) {
		s->prepared.of[s->prepared.count++] = made;
		name_directory(call);
		return true;
	}
	memfile_close(made.fd);
	free(made.library);
	free(made.symbols);
	return false;
}

static bool prepare_file(struct command_call *call, const char *path,
                         const struct cairn_program *file)
{
	struct sources *sources = &call->session->sources;
	struct symbol_target target = { .module = source_program_module(file, 0), .program = file };
	struct plan_item item = { .object = { .fd = -1 } };
	struct source_hit hit;
	const char *why;

	target.module.name = path;
	if (gdb_session(call)->prepared.count == PREPARED_LIBRARIES_MAX ||
	    sources_open(sources, &target.module, &hit, NULL) != CAIRN_OK)
		return false;
	bool kept = loading_make_object(call, &target, &hit, &item, &why) &&
	            keep_library(call, &item, &target.module, cairn_symbols_path(hit.file));
	sources_close(sources, &hit);
	return kept;
}

static bool prepared_libraries_prepare(struct command_call *call, const char *symbols,
                                       struct cairn_bytes build_id, uint64_t offset,
                                       const char *named)
{
	const struct prepared_library *old = find_prepared(&gdb_session(call)->prepared, build_id);
	struct cairn_program *file = malloc(sizeof(*file));
	struct text path = { .data = NULL };
	bool ready = old && strcmp(old->symbols, symbols) == 0;

	if (!old && file && find_library(call, symbols, named, build_id, file, &path))
		ready = sources_add(&call->session->sources, symbols, build_id, offset) &&
		        prepare_file(call, path.data, file);
	text_finish(&path);
	free(file);
	return ready;
}

static bool is_loaded(struct command_call *call, struct cairn_bytes build_id)
{
	const struct loading *loading = call->context;
	struct symbol_target target;

	for (size_t i = 0; i < loading->list.count; i++)
		if (call->session->debugger->loader->read_target(call, i, &target) &&
		    target.module.build_id.size == build_id.size &&
		    memcmp(target.module.build_id.data, build_id.data, build_id.size) == 0)
			return true;
	return false;
}

static void try_library(struct command_call *call, const char *path, struct cairn_program *file)
{
	const struct cairn_bytes any = { (const uint8_t *)"", 0 };

	if (!is_library(path, any, file))
		return;
	const struct cairn_bytes id = { file->build_id, file->build_id_size };
	if (!find_prepared(&gdb_session(call)->prepared, id) && !is_loaded(call, id))
		prepare_file(call, path, file);
}

/* Prepare all libraries in `directory`, which must end with a slash. */
static void search_directory(struct command_call *call, const char *directory,
                             struct cairn_program *file)
{
	DIR *all = opendir(directory);
	struct text path = { .data = NULL };
	unsigned left = ENTRIES_MAX;

	for (const struct dirent *one; all && left > 0 && (one = readdir(all)) != NULL; left--) {
		if (!is_library_name(one->d_name))
			continue;
		text_reset(&path);
		text_print(&path, "%s%s", directory, one->d_name);
		if (path.data && !path.cut)
			try_library(call, path.data, file);
	}
	if (all)
		closedir(all);
	text_finish(&path);
}

static void search_directories(struct command_call *call, struct cairn_program *file)
{
	const char *at = call->session->sources.directories;
	struct text directory = { .data = NULL };

	for (; at && *at; at += *at == ':') {
		size_t size = strcspn(at, ":");
		text_reset(&directory);
		text_bytes(&directory, at, size);
		text_add(&directory, "/");
		if (directory.data && !directory.cut)
			search_directory(call, directory.data, file);
		at += size;
	}
	text_finish(&directory);
}

void prepared_libraries_search(struct command_call *call)
{
	struct prepared_libraries *p = &gdb_session(call)->prepared;
	struct cairn_program *file;
	struct text directory = { .data = NULL };

	add_program_directory(call, &directory);
	if (!p->searched && directory.size > 0 && (file = malloc(sizeof(*file))) != NULL) {
		p->searched = true;
		if (!directory.cut)
			search_directory(call, directory.data, file);
		search_directories(call, file);
		free(file);
	}
	text_finish(&directory);
}

static void prepared_libraries_print(struct command_call *call)
{
	const struct prepared_libraries *p = &gdb_session(call)->prepared;
	const struct sources *sources = &call->session->sources;

	if (p->count > 0)
		reply_print(call, "GDB finds these symbols when it loads the library:");
	for (size_t i = 0; i < p->count; i++)
		reply_print(call, "  %s: %s", p->of[i].library, p->of[i].symbols);
	for (size_t i = 0; i < sources->given_count; i++) {
		const struct source *given = &sources->given[i];
		if (!find_prepared(p, (struct cairn_bytes){ given->id.data, given->id.size }))
			reply_print(call,
			            "%s: for its module, or at the next stop after it is loaded "
			            "(\"cairn symbols load\", auto-symbols)",
			            given->path);
	}
}

static enum answer list_targets(struct command_call *call, struct target_list *list,
                                bool to_release)
{
	if (!gdb_has_answered(call, PENDING_GDB_STATE)) {
		gdb_session(call)->linker_list.known = false;
		return gdb_state_request(call,
		                         to_release ? breakpoints_question : INFERIORS_QUESTION);
	}
	const struct gdb_state *state = gdb_state_read(call);
	if (!state)
		return ANSWER_FAILED;
	*list = (struct target_list){ state->inferior, state->alive, state->files.count };
	return ANSWER_READY;
}

static bool read_target(struct command_call *call, size_t index, struct symbol_target *target)
{
	struct gdb_state *state = gdb_session(call)->state;

	if (!gdb_state_module(call, state, index, &target->module))
		return false;
	target->text = state->files.modules[index].host.text;
	target->program = gdb_state_program(state, index, &target->module);
	target->can_be_added = state->alive || target->program;
	return true;
}

static bool has_module(struct command_call *call, const char *name)
{
	const struct gdb_state *state = gdb_session(call)->state;
	size_t size = strlen(name);

	for (size_t i = 0; i < state->files.count; i++) {
		struct cairn_bytes one = state->files.modules[i].host.name;
		if (one.size == size && memcmp(one.data, name, size) == 0)
			return true;
	}
	return false;
}

static bool is_script(int directory, const char *name)
{
	static const char *const ends[] = { "-gdb.gdb", "-gdb.py", "-gdb.scm" };
	char path[PATH_MAX];
	const ssize_t size = readlinkat(directory, name, path, sizeof(path));

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		const ssize_t length = (ssize_t)strlen(ends[i]);
		if (size >= length && memcmp(path + size - length, ends[i], (size_t)length) == 0)
			return true;
	}
	return false;
}

/*
 * Return true if GDB is running a script that belongs to a program or library (PROGRAM-gdb.gdb,
 * -gdb.py). GDB runs such a script while it reads the program's file, and crashes if the file is
 * reread meanwhile. GDB cannot be queried for this, but it has the script open.
 */
static bool is_reading(void)
{
	DIR *all = opendir("/proc/self/fd");
	bool running = false;

	if (!all)
		return false;
	for (const struct dirent *one; !running && (one = readdir(all)) != NULL;)
		running = is_script(dirfd(all), one->d_name);
	closedir(all);
	return running;
}

static void free_go_program(struct gdb_session *s)
{
	free((void *)(uintptr_t)s->go_program.data);
	s->go_program = (struct cairn_bytes){ NULL, 0 };
}

/* Return true if the module's file exists, has the module's build ID, and is a Go program. */
static bool is_go_program(const struct symbol_target *target)
{
	struct cairn_program *file = malloc(sizeof(*file));
	bool found = false;

	if (file && cairn_program_read(target->module.name, file, NULL) == CAIRN_OK &&
	    file->build_id_size == target->module.build_id.size &&
	    memcmp(file->build_id, target->module.build_id.data, file->build_id_size) == 0)
		for (size_t i = 0; i < file->sections; i++)
			found = found || strcmp(file->section[i].name, ".gopclntab") == 0 ||
			        strcmp(file->section[i].name, ".data.rel.ro.gopclntab") == 0;
	free(file);
	return found;
}

/*
 * If the module is a Go program, provide the contents of its file. Go programs lack .eh_frame, but
 * their function table (pclntab) contains unwind information, from which call frame information is
 * generated for the object.
 */
static void set_options(struct command_call *call, const struct symbol_target *target,
                        struct cairn_object_options *options)
{
	struct gdb_session *s = gdb_session(call);

	free_go_program(s);
	if (is_go_program(target) && file_bytes_read(target->module.name, &s->go_program))
		options->program = s->go_program;
}

static bool place_object(struct command_call *call, const struct plan_item *item, const char **why)
{
	const struct source_object *o = &item->object;

	free_go_program(gdb_session(call));
	if (!o->program || debug_file_directory_add(&gdb_session(call)->directory, o->fd,
	                                            (struct cairn_bytes){ o->id.data, o->id.size }))
		return true;
	*why = "cannot create a directory in $TMPDIR, /tmp, /dev/shm or /var/tmp; start GDB with "
	       "TMPDIR set to a writable directory";
	return false;
}

/*
 * Make GDB remove the objects. The captured output still contains the list of breakpoints that
 * list_targets() requested.
 */
static enum answer release_objects(struct command_call *call, const struct target_list *list)
{
	const struct sources *sources = &call->session->sources;
	struct text *orders = gdb_begin_orders(call), enabled = { .data = NULL };

	if (gdb_has_answered(call, PENDING_LOADED))
		return ANSWER_READY;
	breakpoints_enabled(gdb_call(call)->output, &enabled);
	if (enabled.size)
		text_print(orders, "disable%s\n", enabled.data);
	for (size_t i = 0; i < sources->objects; i++)
		if (sources->object[i].inferior == list->inferior && !sources->object[i].present)
			symbol_handover_remove(orders, &sources->object[i], list->alive);
	if (enabled.size)
		text_print(orders, "enable%s\n", enabled.data);
	text_finish(&enabled);
	gdb_order_innermost(call);
	return gdb_send_orders(call, PENDING_LOADED);
}

/*
 * Run `cairn` in a shell. Only this separate program accesses the network, at the user's request;
 * GDB itself never does.
 */
static enum answer run_program(struct command_call *call, const char *const *words)
{
	struct text *orders = gdb_begin_orders(call);

	if (gdb_has_answered(call, PENDING_FETCH))
		return ANSWER_READY;
	text_add(orders, "shell cairn");
	for (; *words; words++)
		text_print(orders, " '%s'", *words);
	text_add(orders, " >/dev/null\n");
	return gdb_send_orders(call, PENDING_FETCH);
}

static void look_again(struct session *session)
{
	((struct gdb_session *)session)->linker_list.known = false;
	((struct gdb_session *)session)->prepared.searched = false;
}

const struct symbol_loader gdb_loader = {
	.add_later = "; start the program first to add other symbols",
	.list_targets = list_targets,
	.read_target = read_target,
	.has_module = has_module,
	.check_targets = gdb_state_check,
	.is_reading = is_reading,
	.set_options = set_options,
	.place_object = place_object,
	.prepare_library = prepared_libraries_prepare,
	.is_prepared = prepared_libraries_has,
	.print_prepared = prepared_libraries_print,
	.plan_code = jit_code_plan,
	.ask_own_lines = symbol_handover_ask_own,
	.take_objects = symbol_handover_take,
	.release_objects = release_objects,
	.run_program = run_program,
	.look_again = look_again,
};
