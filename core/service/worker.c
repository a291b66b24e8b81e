/* SPDX-License-Identifier: MIT */
/*
 * Implements worker.h: answers questions from one socket, module by module, from the files in the
 * configured directories.
 */
#define _GNU_SOURCE /* strdup() */
#include "worker.h"

#include "query.h"

#include "base/encoding.h"
#include "base/memory.h"
#include "base/path.h"
#include "formats/elf/elf.h"
#include "os/channel.h"
#include "os/children.h"
#include "os/confine.h"
#include "os/debuginfod.h"
#include "os/file.h"
#include "os/guard.h"
#include "os/process.h"
#include "os/sandbox.h"
#include "os/symbol_path.h"
#include "requests/request.h"
#include "symbols/symbolizer.h"

#include <cairn/dwarf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BATCH = 8192,
	MODULE_PATH = QUERY_NAME_MAX + 16,
	/*
	 * maximum number of attempts to answer a question; each fails if a file changes during the
	 * lookup
	 */
	TRIES = 3,
	OPENED_FILES_MAX = 1024,
	DEBUG_IDS_KNOWN = 1024,
	DIRECTORY_PATH = 4096,
	FILES_MAX = 1 << 16, /* maximum number of directory entries to examine */
};

/*
 * A file that the symbolizer has opened, recorded to detect whether it has been replaced, truncated
 * or overwritten during the lookup. Data read from such a file is unreliable.
 */
struct opened_file {
	char *path;
	struct os_file_stamp stamp;
	uint64_t size;
};

struct opened_files {
	struct opened_file *file;
	size_t count, capacity;
	/* a file has not been recorded because allocation failed or there were too many files */
	bool failed;
};

static bool stamp_file(const char *path, struct opened_file *file)
{
	struct stat about;

	if (stat(path, &about) != 0)
		return false;
	file->stamp = os_file_stamp(&about);
	file->size = (uint64_t)about.st_size;
	return true;
}

static void opened_files_add(struct opened_files *files, const char *path)
{
	struct opened_file file = { .path = NULL };

	for (size_t i = 0; i < files->count; i++)
		if (strcmp(files->file[i].path, path) == 0)
			return;
	if (files->count >= OPENED_FILES_MAX || !stamp_file(path, &file) ||
	    !array_grow(&files->file, &files->capacity, files->count + 1, sizeof(file)) ||
	    !(file.path = strdup(path))) {
		files->failed = true;
		return;
	}
	files->file[files->count++] = file;
}

static bool opened_files_have_changed(const struct opened_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct opened_file *was = &files->file[i];
		struct opened_file now;
		if (!stamp_file(was->path, &now) || now.size != was->size ||
		    memcmp(&now.stamp, &was->stamp, sizeof(now.stamp)) != 0)
			return true;
	}
	return files->failed;
}

static void opened_files_clear(struct opened_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->file[i].path);
	files->count = 0;
	files->failed = false;
}

/*
 * Maps debug IDs, which are the first 16 bytes of a build ID, to complete build IDs. Searches the
 * configured programs, then the file names in build-ID trees, in stores, and in flat directories
 * with files named after build IDs. An unknown debug ID may itself be a complete build ID.
 */
struct debug_id {
	uint8_t debug_id[QUERY_DEBUG_ID];
	uint8_t build_id[QUERY_ID_MAX];
	uint8_t size;
};

struct debug_ids {
	struct debug_id *program;
	size_t program_count;
	struct debug_id known[DEBUG_IDS_KNOWN];
	size_t next;
};

static struct debug_id make_debug_id(struct cairn_bytes build_id)
{
	struct debug_id id = { .size = 0 };

	if (build_id.size == 0 || build_id.size > QUERY_ID_MAX)
		return id;
	memcpy(id.build_id, build_id.data, build_id.size);
	memcpy(id.debug_id, build_id.data,
	       build_id.size < QUERY_DEBUG_ID ? build_id.size : QUERY_DEBUG_ID);
	id.size = (uint8_t)build_id.size;
	return id;
}

static void debug_ids_open(const struct worker_options *options, struct debug_ids *ids)
{
	struct os_file file;
	struct elf elf;

	*ids = (struct debug_ids){ .next = 0 };
	ids->program = calloc(options->program_count + 1, sizeof(*ids->program));
	for (size_t i = 0; ids->program && i < options->program_count; i++) {
		if (os_file_open_regular(options->programs[i], &file) != 0)
			continue;
		if (elf_opens(file.bytes, &elf))
			ids->program[ids->program_count++] = make_debug_id(elf_build_id(&elf));
		os_file_close(&file);
	}
}

static const struct debug_id *search_ids(const struct debug_id *id, size_t count,
                                         const uint8_t debug_id[QUERY_DEBUG_ID])
{
	for (size_t i = 0; i < count; i++)
		if (id[i].size > 0 && memcmp(id[i].debug_id, debug_id, QUERY_DEBUG_ID) == 0)
			return &id[i];
	return NULL;
}

/*
 * Parse a file name such as "cdef0123.debug": hexadecimal digits of a build ID and an optional
 * extension. The name lacks the first `known` bytes of the build ID, which are taken from the debug
 * ID.
 */
static bool read_file_name(const char *name, const uint8_t debug_id[QUERY_DEBUG_ID], size_t known,
                           struct debug_id *id)
{
	uint8_t build_id[QUERY_ID_MAX];
	const size_t digits = strcspn(name, ".");

	if (digits % 2 != 0 || digits / 2 + known > QUERY_ID_MAX)
		return false;
	memcpy(build_id, debug_id, known);
	if (!hex_read((struct cairn_bytes){ (const uint8_t *)name, digits }, build_id + known,
	              digits / 2))
		return false;
	*id = make_debug_id((struct cairn_bytes){ build_id, digits / 2 + known });
	return memcmp(id->debug_id, debug_id, QUERY_DEBUG_ID) == 0;
}

static bool search_directory(const char *path, const uint8_t debug_id[QUERY_DEBUG_ID], size_t known,
                             struct debug_id *found)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	bool is_found = false;

	for (unsigned i = 0;
	     directory && !is_found && i < FILES_MAX && (entry = readdir(directory)); i++)
		is_found = read_file_name(entry->d_name, debug_id, known, found);
	if (directory)
		closedir(directory);
	return is_found;
}

/*
 * Search a directory that has one of three forms: a tree with subdirectories named after the first
 * byte of the build ID, a store, or files named after complete build IDs.
 */
static bool search_directories_of(const char *directory, size_t size,
                                  const uint8_t debug_id[QUERY_DEBUG_ID], struct debug_id *found)
{
	const struct cairn_bytes beginning = { debug_id, 2 };
	char path[DIRECTORY_PATH];

	if (size > DIRECTORY_PATH / 2 ||
	    !build_id_path(path, sizeof(path), directory, size, beginning, ""))
		return false;
	*strrchr(path, '/') = '\0';
	if (search_directory(path, debug_id, 1, found))
		return true;
	snprintf(path, sizeof(path), "%.*s/buildid", (int)size, directory);
	if (search_directory(path, debug_id, 0, found))
		return true;
	snprintf(path, sizeof(path), "%.*s", (int)size, directory);
	return search_directory(path, debug_id, 0, found);
}

static bool search_trees(const char *directories, const uint8_t debug_id[QUERY_DEBUG_ID],
                         struct debug_id *found)
{
	struct cairn_bytes directory;

	while (directory_list_next(&directories, &directory))
		if (search_directories_of((const char *)directory.data, directory.size, debug_id,
		                          found))
			return true;
	return false;
}

/*
 * Find the build ID for a debug ID, write it to `build_id`, and return its size. Without a match,
 * use the debug ID itself.
 */
static size_t debug_ids_find(struct debug_ids *ids, const char *directories,
                             const uint8_t debug_id[QUERY_DEBUG_ID], uint8_t build_id[QUERY_ID_MAX])
{
	const struct debug_id *known = search_ids(ids->program, ids->program_count, debug_id);
	struct debug_id found;

	if (!known)
		known = search_ids(ids->known, DEBUG_IDS_KNOWN, debug_id);
	if (!known && search_trees(directories, debug_id, &found)) {
		ids->known[ids->next] = found;
		known = &ids->known[ids->next];
		ids->next = (ids->next + 1) % DEBUG_IDS_KNOWN;
	}
	memcpy(build_id, known ? known->build_id : debug_id, known ? known->size : QUERY_DEBUG_ID);
	return known ? known->size : QUERY_DEBUG_ID;
}

struct worker {
	const struct worker_options *options;
	struct worker_page *page;
	int socket, memory_file;
	struct cairn_symbolizer *symbolizer;
	struct opened_files files;
	struct debug_ids ids;
	struct debuginfod fetched; /* reads only the debuginfod cache; does not contact servers */
	struct answer_text answer;
	struct request_lookup lookup;
	char path[MODULE_PATH];
	uint8_t build_id[QUERY_ID_MAX];
	uint64_t va[BATCH];
	struct cairn_symbol_answer found[BATCH];
};

static void note_opened(void *context, const char *path, uint64_t size)
{
	struct worker *worker = context;

	opened_files_add(&worker->files, path);
	atomic_fetch_add(&worker->page->opened, 1);
	atomic_fetch_add(&worker->page->opened_bytes, size);
}

static bool find_fetched(void *context, enum cairn_module_file wanted, struct cairn_bytes build_id,
                         char *path, size_t size)
{
	struct worker *worker = context;
	enum debuginfod_answer answer;

	return debuginfod_fetch(&worker->fetched, wanted, build_id, path, size, &answer);
}

static bool make_worker_symbolizer(struct worker *worker)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;

	options.directories = worker->options->directories;
	options.programs = worker->options->programs;
	options.program_count = worker->options->program_count;
	options.skip = CAIRN_SKIP_MODULE_PATHS | CAIRN_SKIP_SYSTEM | CAIRN_SKIP_CACHE;
	options.modules_max = WORKER_MODULES_MAX;
	options.memory_max = worker->options->memory;
	options.opened = note_opened;
	options.opened_context = worker;
	if (worker->options->use_fetched) {
		options.fetch = find_fetched;
		options.fetch_context = worker;
	}
	worker->symbolizer = cairn_symbolizer_new(&options);
	return worker->symbolizer &&
	       cairn_symbolizer_add(worker->symbolizer, &breakpad_tree_source) == CAIRN_OK &&
	       cairn_symbolizer_add(worker->symbolizer, cairn_dwarf_source()) == CAIRN_OK;
}

/*
 * Set up the lookup in a module. The module's name is used only for searching the configured
 * directories, so give the module a path below /dev/null, where no file can exist.
 */
static void set_module(struct worker *worker, const struct question_module *m, const uint8_t *name)
{
	struct cairn_symbol_module *module = &worker->lookup.module;
	size_t id_size = m->id_size;

	if (m->is_debug_id)
		id_size = debug_ids_find(&worker->ids, worker->options->directories, m->id,
		                         worker->build_id);
	else
		memcpy(worker->build_id, m->id, m->id_size);
	*module = (struct cairn_symbol_module)CAIRN_SYMBOL_MODULE;
	module->build_id = (struct cairn_bytes){ worker->build_id, id_size };
	if (m->name_size == 0 || memchr(name, 0, m->name_size) || memchr(name, '/', m->name_size))
		return;
	snprintf(worker->path, sizeof(worker->path), "/dev/null/%.*s", (int)m->name_size,
	         (const char *)name);
	module->path = worker->path;
}

static enum cairn_status look_up_batch(struct worker *worker, const uint64_t *addresses,
                                       size_t count, unsigned *missing)
{
	size_t asked = 0;
	bool has_va[BATCH];

	for (size_t i = 0; i < count; i++) {
		has_va[i] = request_lookup_va(&worker->lookup, addresses[i], &worker->va[asked]);
		asked += has_va[i];
	}
	const enum cairn_status status =
		cairn_symbolizer_find(worker->symbolizer, &worker->lookup.module, worker->va, asked,
	                              worker->found, sizeof(*worker->found));
	if (status != CAIRN_OK)
		return status;
	asked = 0;
	for (size_t i = 0; i < count; i++) {
		static const struct cairn_symbol_answer none = { .count = 0 };
		const struct cairn_symbol_answer *found =
			has_va[i] ? &worker->found[asked++] : &none;
		*missing |= found->missing & ~(unsigned)CAIRN_MISSING_LINE;
		answer_add_address(&worker->answer, found, worker->options->readable);
	}
	return CAIRN_OK;
}

static bool answer_module(struct worker *worker, const struct question_module *m,
                          const uint64_t *addresses)
{
	enum cairn_status status = CAIRN_OK;
	unsigned missing = 0;

	if (!request_lookup_begin(&worker->lookup, (enum request_origin)m->origin))
		missing |= CAIRN_MISSING_PROGRAM;
	for (size_t i = 0; status == CAIRN_OK && i < m->address_count; i += BATCH) {
		const size_t left = m->address_count - i, count = left < BATCH ? left : BATCH;
		status = look_up_batch(worker, addresses + i, count, &missing);
	}
	answer_add_module(&worker->answer, missing);
	if (status != CAIRN_OK || worker->answer.failed)
		return false;
	/* forget the missing files, because they may be added later */
	if (missing & CAIRN_MISSING_ALL)
		cairn_symbolizer_forget(worker->symbolizer, &worker->lookup.module);
	return true;
}

static bool answer_modules(struct worker *worker, const struct question *question)
{
	const uint64_t *addresses = question->addresses;
	const uint8_t *names = question->names;

	answer_clear(&worker->answer);
	for (uint32_t i = 0; i < question->header.module_count; i++) {
		const struct question_module *m = &question->modules[i];
		atomic_store(&worker->page->module, i);
		set_module(worker, m, names);
		if (question->header.look_again)
			cairn_symbolizer_forget(worker->symbolizer, &worker->lookup.module);
		if (!answer_module(worker, m, addresses))
			return false;
		addresses += m->address_count;
		names += m->name_size;
	}
	return true;
}

static void forget_all(struct worker *worker)
{
	cairn_symbolizer_forget(worker->symbolizer, NULL);
	opened_files_clear(&worker->files);
}

static bool answer_steadily(struct worker *worker, const struct question *question)
{
	for (unsigned i = 0; i < TRIES; i++) {
		if (!answer_modules(worker, question))
			return false;
		if (!opened_files_have_changed(&worker->files) && !os_guard_is_truncated())
			return true;
		forget_all(worker);
	}
	return false;
}

static bool send_names(struct worker *worker, const struct question *question)
{
	struct byte_buffer bytes = { .limit = ANSWER_BYTES_MAX };
	struct answer_header header;

	const bool sent =
		answer_steadily(worker, question) &&
		answer_write(&worker->answer, &header, &bytes) &&
		channel_send(worker->socket, &header, sizeof(header), -1, CHANNEL_NEVER) &&
		channel_send(worker->socket, bytes.data, bytes.size, -1, CHANNEL_NEVER);
	byte_buffer_finish(&bytes);
	return sent;
}

static bool find_module_file(struct worker *worker, const struct question *question,
                             enum cairn_module_file wanted, struct cairn_open_file *file)
{
	if (question->header.module_count != 1)
		return false;
	atomic_store(&worker->page->module, 0);
	set_module(worker, question->modules, question->names);
	if (question->header.look_again)
		cairn_symbolizer_forget(worker->symbolizer, &worker->lookup.module);
	if (cairn_symbolizer_file(worker->symbolizer, &worker->lookup.module, wanted, file))
		return true;
	cairn_symbolizer_forget(worker->symbolizer, &worker->lookup.module);
	return false;
}

static bool send_places(struct worker *worker, const struct question *question)
{
	struct answer_header header = { .size = sizeof(struct elf_places) };
	struct elf_places places = { .count = 0 };
	struct cairn_open_file file;

	if (find_module_file(worker, question, CAIRN_FILE_PROGRAM, &file))
		places = elf_places_read(file.bytes);
	return channel_send(worker->socket, &header, sizeof(header), -1, CHANNEL_NEVER) &&
	       channel_send(worker->socket, &places, sizeof(places), -1, CHANNEL_NEVER);
}

/* Return true if a program has not been stripped, so that it is its own debug file. */
static bool has_debug_information(const struct cairn_open_file *file)
{
	struct elf_section section;
	struct elf elf;

	return elf_opens(file->bytes, &elf) && (elf_find_section(&elf, ".debug_info", &section) ||
	                                        elf_find_section(&elf, ".zdebug_info", &section));
}

static bool find_file_to_send(struct worker *worker, const struct question *question,
                              enum cairn_module_file wanted, struct cairn_open_file *file)
{
	if (find_module_file(worker, question, wanted, file))
		return true;
	return wanted == CAIRN_FILE_DEBUG &&
	       find_module_file(worker, question, CAIRN_FILE_PROGRAM, file) &&
	       has_debug_information(file);
}

static bool send_file(struct worker *worker, const struct question *question,
                      enum cairn_module_file wanted)
{
	struct answer_header header = { .size = 0 };
	struct cairn_open_file file;
	struct stat about;
	int fd = -1;

	if (find_file_to_send(worker, question, wanted, &file) && file.path &&
	    os_file_regular(file.path, &about, &fd) != 0)
		fd = -1;
	header.has_file = fd >= 0;
	const bool sent = channel_send(worker->socket, &header, sizeof(header), fd, CHANNEL_NEVER);
	if (fd >= 0)
		close(fd);
	return sent;
}

static bool answer_question(struct worker *worker, const struct question *question)
{
	switch ((enum question_kind)question->header.kind) {
	case QUESTION_NAMES:
		return send_names(worker, question);
	case QUESTION_PLACES:
		return send_places(worker, question);
	case QUESTION_PROGRAM:
		return send_file(worker, question, CAIRN_FILE_PROGRAM);
	case QUESTION_DEBUG:
		return send_file(worker, question, CAIRN_FILE_DEBUG);
	}
	return false;
}

static bool serve_question(struct worker *worker)
{
	struct question_header header;
	struct question question;
	uint8_t *bytes;

	if (!channel_receive(worker->socket, &header, sizeof(header), NULL, CHANNEL_NEVER) ||
	    header.size > QUESTION_BYTES_MAX || !(bytes = malloc((size_t)header.size + 1)))
		return false;
	if (!channel_receive(worker->socket, bytes, header.size, NULL, CHANNEL_NEVER)) {
		free(bytes);
		return false;
	}
	if (!question_read(&header, bytes, &question))
		return false;
	const bool done = answer_question(worker, &question);
	question_free(&question);
	atomic_store(&worker->page->module, WORKER_IDLE);
	const uint64_t resident = own_use_memory(worker->memory_file);
	if (resident > 0)
		atomic_store(&worker->page->resident, resident);
	return done;
}

static bool confine_worker(const struct worker_options *options, pid_t parent)
{
	const bool is_limited = options->address_space && sandbox_is_possible();
	const struct os_limits limits = {
		.user = WORKER_NOBODY,
		.memory = is_limited ? options->address_space : UINT64_MAX,
		.data = is_limited ? options->memory + WORKER_SPARE : UINT64_MAX,
		.file = 0,
		.processor = INT_MAX - 1,
		.seconds = 0
	};
	char path[SYMBOL_PATH_MAX];
	struct cairn_bytes directory;
	struct sandbox sandbox;

	sandbox_begin(&sandbox, 0);
	for (const char *directories = options->directories;
	     directory_list_next(&directories, &directory);)
		if (snprintf(path, sizeof(path), "%.*s", (int)directory.size,
		             (const char *)directory.data) < SYMBOL_PATH_MAX)
			sandbox_allow_read(&sandbox, path);
	for (size_t i = 0; i < options->program_count; i++) {
		/*
		 * also allow the split DWARF (.dwp) beside the program, which the symbolizer opens
		 */
		const int size = snprintf(path, sizeof(path), "%s.dwp", options->programs[i]);
		sandbox_allow_read(&sandbox, options->programs[i]);
		if (size > 0 && size < SYMBOL_PATH_MAX && access(path, F_OK) == 0)
			sandbox_allow_read(&sandbox, path);
	}
	if (options->use_fetched && debuginfod_cache_directory(path, sizeof(path)))
		sandbox_allow_read(&sandbox, path);
	if (os_confine(parent, &limits) != 0)
		return false;
	(void)sandbox_enter(&sandbox); /* old kernels do not support the sandbox; run without it */
	return true;
}

_Noreturn void worker_run(const struct worker_options *options, struct worker_page *page,
                          int socket)
{
	static struct worker worker; /* too large for the stack */

	worker.options = options;
	worker.page = page;
	worker.socket = socket;
	atomic_store(&page->module, WORKER_IDLE);
	worker.memory_file = own_use_open();
	unsetenv("DEBUGINFOD_URLS");
	if (!confine_worker(options, getppid()) || !make_worker_symbolizer(&worker))
		_exit(1);
	worker.lookup.symbolizer = worker.symbolizer;
	debug_ids_open(options, &worker.ids);
	while (serve_question(&worker))
		continue;
	_exit(0);
}

/*
 * Return true if the directory is writable. If it does not exist, check its nearest existing parent
 * instead, because libdebuginfod creates missing directories.
 */
static bool can_write_below(const char *directory)
{
	char path[FETCHER_PATH_MAX];

	if (snprintf(path, sizeof(path), "%s", directory) >= (int)sizeof(path))
		return false;
	while (access(path, F_OK) != 0 && errno == ENOENT && strrchr(path, '/') > path)
		*strrchr(path, '/') = '\0';
	return access(path, W_OK | X_OK) == 0;
}

bool fetcher_can_write(const char *directory)
{
	const pid_t child = fork();

	if (child == 0)
		_exit(os_drop_user(WORKER_NOBODY) == 0 && can_write_below(directory) ? 0 : 1);
	return child > 0 && os_child_end(child, CHANNEL_NEVER, NULL) == 0;
}

static bool bring_file(struct debuginfod *asked, enum cairn_module_file kind,
                       const struct fetcher_question *question, uint32_t *is_late)
{
	const char *path;
	const enum debuginfod_answer answer = debuginfod_find(
		asked, kind, (struct cairn_bytes){ question->id, question->id_size }, &path);

	*is_late |= answer == DEBUGINFOD_LATE;
	asked->late = false; /* a missed deadline must not prevent the next lookup */
	return answer == DEBUGINFOD_FOUND;
}

static bool serve_build(struct debuginfod *asked, int socket)
{
	struct fetcher_question question;
	struct fetcher_answer answer = { .is_late = 0 };

	if (!channel_receive(socket, &question, sizeof(question), NULL, CHANNEL_NEVER) ||
	    question.id_size == 0 || question.id_size > FETCHER_ID_MAX)
		return false;
	asked->deadline = question.seconds;
	answer.has_debug = bring_file(asked, CAIRN_FILE_DEBUG, &question, &answer.is_late);
	if (!answer.is_late)
		answer.has_program =
			bring_file(asked, CAIRN_FILE_PROGRAM, &question, &answer.is_late);
	return channel_send(socket, &answer, sizeof(answer), -1, CHANNEL_NEVER);
}

_Noreturn void fetcher_run(int socket)
{
	struct debuginfod asked = { .deadline = DEBUGINFOD_DEADLINE };
	const pid_t parent = getppid();

	/* run as the same user as the workers, because they read the downloaded files */
	if (os_drop_user(WORKER_NOBODY) != 0 || os_end_with_parent(parent) != 0)
		_exit(1);
	while (serve_build(&asked, socket))
		continue;
	_exit(0);
}
