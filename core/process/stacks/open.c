/* SPDX-License-Identifier: MIT */
/*
 * Opens the source of stacks as a snapshot, configures the unwinder for it, supplies unwind tables
 * from files, and reports facts about the whole program.
 */

#include "process_snapshot.h"
#include "stacks.h"

#include "base/error.h"
#include "base/sized.h"
#include "formats/minidump.h"
#include "os/stream.h"
#include "process/snapshot/core_snapshot.h"
#include "process/snapshot/minidump_snapshot.h"
#include "process/snapshot/snapshot_modules.h"
#include "unwind/tables/unwind_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum cairn_status reject_source(struct cairn_error *error, const struct cairn_stacks *stacks,
                                       enum cairn_status status, const char *what, int number)
{
	error_set_system(error, number, stacks->options.pid ? NULL : stacks->options.path, what);
	if (error)
		error->status = status;
	return status;
}

static enum cairn_status judge_bytes(struct cairn_error *error, const struct cairn_stacks *stacks,
                                     enum cairn_status status, const struct cairn_fault *fault)
{
	if (status != CAIRN_OK)
		error_set_fault(error, stacks->options.path, NULL, fault, NULL);
	return status;
}

static enum cairn_status open_stream(struct cairn_stacks *stacks,
                                     const struct cairn_stacks_stream *stream,
                                     struct cairn_error *error)
{
	struct cairn_fault fault;
	const enum cairn_status status = core_stream_open(
		&stacks->snapshot, stream, stacks->options.keep_registers, &stacks->size, &fault);

	if (stream->packed && stacks->size > CAIRN_STACKS_INPUT_WORTH)
		stacks->size = CAIRN_STACKS_INPUT_WORTH;
	return judge_bytes(error, stacks, status, &fault);
}

static enum cairn_status open_bytes(struct cairn_stacks *stacks, struct cairn_bytes bytes,
                                    struct cairn_error *error)
{
	enum cairn_status status;
	struct cairn_fault fault;
	struct elf elf;

	stacks->size = bytes.size;
	if (minidump_has_magic(bytes)) {
		status = minidump_snapshot_open(&stacks->snapshot, bytes, &fault);
	} else {
		status = elf_open(bytes, &elf, &fault);
		if (status == CAIRN_OK)
			status = core_snapshot_open(&stacks->snapshot, &elf, &fault);
	}
	return judge_bytes(error, stacks, status, &fault);
}

static size_t read_descriptor(void *context, void *buffer, size_t size)
{
	return os_stream_read(context, buffer, size);
}

static uint64_t skip_descriptor(void *context, uint64_t size)
{
	return os_stream_skip(context, size);
}

/* Open a descriptor. Read a core as a stream, but a minidump as a whole. */
static enum cairn_status open_descriptor(struct cairn_stacks *stacks, int fd,
                                         struct cairn_error *error)
{
	struct os_stream file;
	const struct cairn_stacks_stream stream = { read_descriptor, skip_descriptor, NULL, &file,
		                                    false };
	enum cairn_status status;
	int number = os_stream_open(&file, fd);

	if (number)
		return reject_source(error, stacks, CAIRN_UNREADABLE, "cannot be read", number);
	if (!minidump_has_magic(os_stream_peek(&file, 4)))
		status = open_stream(stacks, &stream, error);
	else if ((number = os_stream_rest(&file, &stacks->file)) != 0)
		status = reject_source(error, stacks, CAIRN_UNREADABLE, "cannot be read", number);
	else
		status = open_bytes(stacks, stacks->file.bytes, error);
	os_stream_close(&file);
	return status;
}

static enum cairn_status open_path(struct cairn_stacks *stacks, const char *path,
                                   struct cairn_error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return reject_source(error, stacks, CAIRN_UNREADABLE, "cannot be opened", errno);
	enum cairn_status status = open_descriptor(stacks, fd, error);
	close(fd);
	return status;
}

static enum cairn_status open_process(struct cairn_stacks *stacks, uint64_t pid,
                                      struct cairn_error *error)
{
	int number = process_snapshot_open(&stacks->snapshot, pid);

	stacks->size = CAIRN_STACKS_INPUT_WORTH;
	switch (number) {
	case 0:
		return CAIRN_OK;
	case ESRCH:
		return reject_source(error, stacks, CAIRN_NOT_FOUND, "no such process", number);
	case ENOTSUP:
		return reject_source(error, stacks, CAIRN_UNSUPPORTED,
		                     "tracing is not supported on this machine", number);
	case ENOMEM:
		return reject_source(error, stacks, CAIRN_NO_MEMORY, "out of memory", number);
	default:
		return reject_source(error, stacks, CAIRN_UNREADABLE, "cannot be traced", number);
	}
}

static enum cairn_status open_source(struct cairn_stacks *stacks, struct cairn_error *error)
{
	const struct cairn_stacks_options *options = &stacks->options;

	if (options->pid)
		return open_process(stacks, options->pid, error);
	if (options->stream)
		return open_stream(stacks, options->stream, error);
	if (options->bytes.size > 0)
		return open_bytes(stacks, options->bytes, error);
	return options->path ? open_path(stacks, options->path, error)
	                     : open_descriptor(stacks, options->fd, error);
}

/*
 * Configure the unwinder. If the space cannot hold all modules, only stacks in the excess modules
 * are affected.
 */
static void prepare_space(struct cairn_stacks *stacks)
{
	static const struct cairn_fault full = {
		CAIRN_NO_MEMORY, 0, "too many modules; stacks end in the omitted modules"
	};

	stacks_set_go(stacks);
	stacks_set_jit_rules(stacks);
	stacks->space->still = true;
	stacks->space->code = snapshot_generated_code(&stacks->snapshot);
	space_set_signature_bits(stacks->space, snapshot_signature_bits(&stacks->snapshot));
	if (stacks->snapshot.kind == CAIRN_STACKS_MINIDUMP && !stacks_report_modules(stacks))
		snapshot_add_problem(&stacks->snapshot, "modules", full);
}

static bool finish_opening(struct cairn_stacks *stacks)
{
	struct stacks_unlisted unlisted;
	struct snapshot *snapshot = &stacks->snapshot;

	if (snapshot->module_count == 0)
		snapshot_modules_find(snapshot);
	else
		snapshot_sort_modules(snapshot);
	stacks_find_unlisted(stacks, &unlisted);
	snapshot_memory_open(&stacks->memory, snapshot);
	stacks->memory.want_file = stacks_find_file;
	stacks->memory.context = stacks;
	stacks->space = cairn_space_new(&stacks->memory.target);
	stacks->modules = calloc(snapshot->module_count + 1, sizeof(*stacks->modules));
	stacks->spent = calloc(snapshot->thread_count + 1, sizeof(*stacks->spent));
	stacks_adopt_unlisted(&unlisted);
	stacks->frames_left = STACKS_FRAMES_LEAST + stacks->size / STACKS_FRAME_BYTES;
	if (stacks->frames_left > STACKS_FRAMES_MAX)
		stacks->frames_left = STACKS_FRAMES_MAX;
	if (!stacks->space || !stacks->modules || !stacks->spent)
		return false;
	prepare_space(stacks);
	return true;
}

/*
 * Allocate the stacks and copy the host's options. A host compiled against an older version has
 * fewer fields; the missing ones get their defaults.
 */
static struct cairn_stacks *make_stacks(const struct cairn_stacks_options *options)
{
	struct cairn_stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->options = (struct cairn_stacks_options)CAIRN_STACKS_OPTIONS;
	sized_take(&stacks->options, sizeof(stacks->options), options);
	bytes_fill(&stacks->options.bytes);
	if (stacks_open_symbolizer(stacks))
		return stacks;
	cairn_stacks_close(stacks);
	return NULL;
}

enum cairn_status stacks_open_snapshot(const struct cairn_stacks_options *options,
                                       struct snapshot *snapshot, struct cairn_stacks **stacks,
                                       struct cairn_error *error)
{
	struct cairn_stacks *opened = make_stacks(options);
	enum cairn_status status = CAIRN_OK;

	if (!opened) {
		if (snapshot)
			snapshot_close(snapshot);
		return error_set_memory(error, options->path);
	}
	if (snapshot) {
		opened->snapshot = *snapshot;
		opened->size = snapshot->input;
		*snapshot = (struct snapshot){ .kind = CAIRN_STACKS_CORE };
	} else {
		status = open_source(opened, error);
	}
	opened->options.stream = NULL; /* the host's pointers are valid only during the call */
	opened->options.search = NULL;
	opened->options.sources = NULL;
	if (status == CAIRN_OK && !finish_opening(opened))
		status = error_set_memory(error, options->path);
	if (status == CAIRN_OK)
		*stacks = opened;
	else
		cairn_stacks_close(opened);
	return status;
}

enum cairn_status cairn_stacks_open(const struct cairn_stacks_options *options,
                                    struct cairn_stacks **stacks, struct cairn_error *error)
{
	return stacks_open_snapshot(options, NULL, stacks, error);
}

enum cairn_status cairn_stacks_open_file(const char *path, struct cairn_stacks **stacks,
                                         struct cairn_error *error)
{
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;

	options.path = path;
	return cairn_stacks_open(&options, stacks, error);
}

enum cairn_status cairn_stacks_open_descriptor(int fd, struct cairn_stacks **stacks,
                                               struct cairn_error *error)
{
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;

	options.has_fd = true;
	options.fd = fd;
	return cairn_stacks_open(&options, stacks, error);
}

enum cairn_status cairn_stacks_open_process(uint64_t pid, struct cairn_stacks **stacks,
                                            struct cairn_error *error)
{
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;

	/*
	 * In the options, a pid of 0 means that no process is selected. Replace it with UINT64_MAX,
	 * which is an invalid pid too, so that opening fails.
	 */
	options.pid = pid ? pid : UINT64_MAX;
	return cairn_stacks_open(&options, stacks, error);
}

enum cairn_status cairn_stacks_open_self(struct cairn_stacks **stacks, struct cairn_error *error)
{
	return cairn_stacks_open_process((uint64_t)getpid(), stacks, error);
}

static void close_module(struct stacks_module *module)
{
	stacks_close_sources(module);
	free(module->unpacked_frames);
	free(module->unpacked_symbols);
	free(module->image);
	located_close(&module->found);
}

void cairn_stacks_close(struct cairn_stacks *stacks)
{
	if (!stacks)
		return;
	stacks_close_names(&stacks->names);
	stacks_close_jit(&stacks->jit);
	stacks_close_swift(&stacks->swift);
	cairn_space_free(stacks->space);
	cairn_symbolizer_free(stacks->symbolizer);
	for (size_t i = 0; stacks->modules && i < stacks->snapshot.module_count; i++)
		close_module(&stacks->modules[i]);
	free(stacks->modules);
	free(stacks->spent);
	free(stacks->function);
	snapshot_close(&stacks->snapshot);
	os_file_close(&stacks->file);
	free(stacks);
}

size_t cairn_stacks_problems(const struct cairn_stacks *stacks, struct cairn_fault *fault)
{
	if (fault && stacks->snapshot.problem_count > 0)
		*fault = stacks->snapshot.problems[0].fault;
	return stacks->snapshot.problem_count;
}

bool cairn_stacks_problem(const struct cairn_stacks *stacks, size_t number,
                          struct cairn_source_problem *problem)
{
	if (number >= stacks->snapshot.problem_count)
		return false;
	const struct snapshot_problem *from = &stacks->snapshot.problems[number];
	const struct cairn_source_problem own = { .part = from->part, .fault = from->fault };
	sized_give(&own, sizeof(own), problem);
	return true;
}

void cairn_stacks_process(const struct cairn_stacks *stacks, struct cairn_process *process)
{
	const struct snapshot *from = &stacks->snapshot;

	const struct cairn_process own = { .kind = from->kind,
		                           .machine = from->machine,
		                           .machine_name = from->machine_name,
		                           .pid = from->pid,
		                           .program = from->program,
		                           .command_line = from->command_line,
		                           .auxv = from->auxv,
		                           .left_out = from->left_out };
	sized_give(&own, sizeof(own), process);
}

static void describe_module(const struct snapshot_module *from, struct cairn_loaded_module *module)
{
	const struct cairn_loaded_module own = { .low = from->low,
		                                 .high = from->high,
		                                 .start = snapshot_module_start(from),
		                                 .has_bias = from->has_bias,
		                                 .bias = from->bias,
		                                 .remapped = from->remapped,
		                                 .path = from->path,
		                                 .build_id = from->build_id,
		                                 .package = from->package,
		                                 .file = from->file_path,
		                                 .file_missing = from->file_why };
	sized_give(&own, sizeof(own), module);
}

size_t cairn_stacks_modules(const struct cairn_stacks *stacks)
{
	return stacks->snapshot.module_count;
}

bool cairn_stacks_module(const struct cairn_stacks *stacks, size_t number,
                         struct cairn_loaded_module *module)
{
	if (number >= stacks->snapshot.module_count)
		return false;
	describe_module(&stacks->snapshot.modules[number], module);
	return true;
}

void cairn_stacks_find_files(struct cairn_stacks *stacks)
{
	for (size_t i = 0; i < stacks->snapshot.module_count; i++)
		stacks_find_file(stacks, i);
}

bool cairn_stacks_module_at(struct cairn_stacks *stacks, uint64_t pc,
                            struct cairn_loaded_module *module)
{
	size_t index;
	const struct snapshot_module *found = stacks_find_module(stacks, pc, &index);

	if (found)
		describe_module(found, module);
	return found != NULL;
}

struct cairn_bytes cairn_stacks_perf_map(const struct cairn_stacks *stacks)
{
	return stacks->jit.map.bytes;
}

/*
 * Adds the .debug_frame of a module to the unwinder, from the module's file, its separate debug
 * file or .gnu_debugdata. Also adds an SFrame file created for the module.
 */

static struct cairn_bytes read_frames(const struct cairn_stacks *stacks,
                                      struct stacks_module *files, struct cairn_bytes file)
{
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	struct elf_section section;
	struct elf elf;
	size_t size;

	if (file.size == 0 || !elf_opens(file, &elf) ||
	    !elf_find_section(&elf, ".debug_frame", &section))
		return none;
	if (!(section.flags & ELF_SHF_COMPRESSED))
		return elf_section_bytes(&elf, &section);
	if (files->unpacked_frames || !stacks->options.unpack ||
	    stacks->options.unpack(file, ".debug_frame", &files->unpacked_frames, &size) !=
	            CAIRN_OK)
		return none;
	return (struct cairn_bytes){ files->unpacked_frames, size };
}

static struct cairn_bytes unpack_symbols(const struct cairn_stacks *stacks,
                                         struct stacks_module *files)
{
	size_t size = 0;

	if (!stacks->options.unpack || !files->found.path ||
	    stacks->options.unpack(files->found.file.bytes, ".gnu_debugdata",
	                           &files->unpacked_symbols, &size) != CAIRN_OK)
		size = 0;
	return (struct cairn_bytes){ files->unpacked_symbols, size };
}

/*
 * Add an SFrame file created for the module. Search beside the file that was found and beside the
 * path that the process uses, because a process's file is opened through /proc, where it has no
 * neighbors.
 */
static bool give_side_table(struct cairn_stacks *stacks, size_t index, uint64_t pc)
{
	const struct cairn_symbolizer_options *options = &stacks->search;
	const char *found = stacks->modules[index].found.path;
	char path[LOCATE_PATH_MAX], side[LOCATE_PATH_MAX];
	struct cairn_sframe_search search = CAIRN_SFRAME_SEARCH;

	if (!cairn_space_wants_sframe(stacks->space, pc))
		return false;
	search.directories = options->directories;
	search.skip = options->skip & (CAIRN_SKIP_SYSTEM | CAIRN_SKIP_CACHE);
	search.binary = found;
	if (found &&
	    cairn_sframe_file_find(stacks->space, pc, &search, side, sizeof(side)) == CAIRN_OK)
		return true;
	if (!locate_path(options->sysroot, stacks->snapshot.modules[index].path, path))
		snprintf(path, sizeof(path), "/");
	search.binary = path;
	return (!found || strcmp(found, path) != 0) &&
	       cairn_sframe_file_find(stacks->space, pc, &search, side, sizeof(side)) == CAIRN_OK;
}

bool stacks_give_tables(void *context, uint64_t pc)
{
	struct cairn_stacks *stacks = context;
	size_t index;

	if (!stacks_find_module(stacks, pc, &index) || stacks->modules[index].gave_tables)
		return false;
	struct stacks_module *files = &stacks->modules[index];
	files->gave_tables = true;
	struct cairn_bytes frames = read_frames(stacks, files, files->found.file.bytes);
	if (frames.size == 0)
		frames = read_frames(stacks, files, stacks_find_debug_file(stacks, index));
	if (frames.size == 0)
		frames = read_frames(stacks, files, unpack_symbols(stacks, files));
	/* debug frames and the SFrame file may each cover code that the other does not */
	const bool gave = frames.size > 0 && space_give_debug_frame(stacks->space, pc, frames);
	return give_side_table(stacks, index, pc) || gave;
}
