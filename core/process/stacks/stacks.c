/* SPDX-License-Identifier: MIT */
/* Implements cairn/stacks.h: a snapshot, the files of its modules, and one walk at a time. */
#include "debug_file.h"
#include "formats/minidump/minidump.h"
#include "module_file.h"
#include "module_names.h"
#include "os/file/stream.h"
#include "process/core/stream.h"
#include "process/minidump/minidump_snapshot.h"
#include "process/running/process_snapshot.h"
#include "process/snapshot/run_times.h"
#include "process/snapshot/snapshot_memory.h"
#include "process/snapshot/snapshot_modules.h"
#include "process/walk/stack_walk.h"
#include "symbols/symbolizer/elf_table.h"
#include "unwind/modules/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is known of a module. */
struct stacks_module {
	bool looked, opened; /* for its file, and its symbols */
	struct module_file found;
	struct cairn_symbol_file *symbols;
	struct elf_table table;
	bool debug_looked;
	struct os_file debug; /* its separate debug file; empty: there is none */
	struct elf_table debug_table;
	struct module_stubs stubs;
	bool gave_tables;
};

struct cairn_stacks {
	struct snapshot snapshot;
	struct os_file file; /* of a minidump */
	struct snapshot_memory memory;
	struct cairn_space *space;
	struct stacks_module *modules; /* as many as the snapshot has */
	struct stack_walk walk;
};

static void find_file(void *context, size_t index)
{
	struct cairn_stacks *stacks = context;
	struct stacks_module *module = &stacks->modules[index];
	const struct module_file_search search = { .snapshot = &stacks->snapshot };

	if (module->looked)
		return;
	module->looked = true;
	module_file_find(&search, index, &module->found);
}

/* The module of a pc, with its file looked for; NULL for none. */
static struct stacks_module *locate_module(struct cairn_stacks *stacks, uint64_t pc)
{
	const struct snapshot_module *module = snapshot_find_module(&stacks->snapshot, pc);

	if (!module)
		return NULL;
	const size_t index = (size_t)(module - stacks->snapshot.modules);
	find_file(stacks, index);
	return &stacks->modules[index];
}

/* The separate debug file of a module, looked for once; empty: there is none. */
static struct cairn_bytes find_debug_file(struct stacks_module *module,
                                          const struct snapshot_module *of)
{
	if (!module->debug_looked && !debug_file_find(of->build_id, &module->debug))
		module->debug = (struct os_file){ .bytes = { NULL, 0 } };
	module->debug_looked = true;
	return module->debug.bytes;
}

/* The section of a file; empty when it has none, or a compressed one. */
static struct cairn_bytes read_frames(struct cairn_bytes file)
{
	struct elf_section section;
	struct cairn_fault fault;
	struct elf elf;

	if (elf_open(file, &elf, &fault) != CAIRN_OK ||
	    !elf_find_section(&elf, ".debug_frame", &section) ||
	    (section.flags & ELF_SHF_COMPRESSED))
		return (struct cairn_bytes){ NULL, 0 };
	return elf_section_bytes(&elf, &section);
}

/* The .debug_frame of a file or its debug file, for code that nothing else describes. */
static bool give_tables(void *context, uint64_t pc)
{
	struct cairn_stacks *stacks = context;
	struct stacks_module *module = locate_module(stacks, pc);
	char path[SYMBOL_PATH_MAX];

	if (!module || module->gave_tables)
		return false;
	module->gave_tables = true;
	struct cairn_bytes frames = read_frames(module->found.file.bytes);
	if (frames.size == 0)
		frames = read_frames(find_debug_file(
			module, &stacks->snapshot.modules[module - stacks->modules]));
	/* each may describe what the other does not */
	const bool gave = frames.size > 0 && space_give_debug_frame(stacks->space, pc, frames);
	return (cairn_space_wants_sframe(stacks->space, pc) &&
	        cairn_sframe_file_find(stacks->space, pc,
	                               module->found.path ? module->found.path : "/", NULL, path,
	                               sizeof(path)) == CAIRN_OK) ||
	       gave;
}

/* Takes over a snapshot that was opened; *stacks is freed when memory is short. */
static enum cairn_status finish_opening(struct cairn_stacks *opened, struct cairn_stacks **stacks,
                                        struct cairn_fault *fault)
{
	if (opened->snapshot.module_count == 0)
		snapshot_modules_find(&opened->snapshot);
	else
		snapshot_sort_modules(&opened->snapshot);
	snapshot_memory_open(&opened->memory, &opened->snapshot);
	opened->memory.want_file = find_file;
	opened->memory.context = opened;
	opened->space = cairn_space_new(&opened->memory.target);
	opened->modules = calloc(opened->snapshot.module_count + 1, sizeof(*opened->modules));
	if (opened->space && opened->modules) {
		space_set_still(opened->space);
		space_set_code(opened->space, snapshot_generated_code(&opened->snapshot));
		space_set_signature_bits(opened->space, snapshot_signature_bits(&opened->snapshot));
		*stacks = opened;
		return CAIRN_OK;
	}
	cairn_stacks_close(opened);
	*fault = (struct cairn_fault){ CAIRN_NO_MEMORY, 0, "out of memory" };
	return CAIRN_NO_MEMORY;
}

static enum cairn_status fail_opening(struct cairn_stacks *opened, enum cairn_status status,
                                      const char *what, struct cairn_fault *fault)
{
	free(opened);
	*fault = (struct cairn_fault){ status, 0, what };
	return status;
}

static size_t read_stream(void *context, void *buffer, size_t size)
{
	return os_stream_read(context, buffer, size);
}

static uint64_t skip_stream(void *context, uint64_t size)
{
	return os_stream_skip(context, size);
}

static enum cairn_status open_stream(struct cairn_stacks *opened, struct os_stream *stream,
                                     struct cairn_fault *fault)
{
	const struct core_input input = { stream, read_stream, skip_stream, NULL };

	if (!minidump_has_magic(os_stream_peek(stream, 4)))
		return core_stream_open(&opened->snapshot, &input, fault);
	int error = os_stream_rest(stream, &opened->file);
	if (error) {
		*fault = (struct cairn_fault){ CAIRN_UNREADABLE, 0, strerror(error) };
		return CAIRN_UNREADABLE;
	}
	enum cairn_status status =
		minidump_snapshot_open(&opened->snapshot, opened->file.bytes, fault);
	if (status != CAIRN_OK)
		os_file_close(&opened->file);
	return status;
}

enum cairn_status cairn_stacks_open_file(const char *path, struct cairn_stacks **stacks,
                                         struct cairn_fault *fault)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fail_opening(NULL, CAIRN_UNREADABLE, strerror(errno), fault);
	enum cairn_status status = cairn_stacks_open_descriptor(fd, stacks, fault);
	close(fd);
	return status;
}

enum cairn_status cairn_stacks_open_descriptor(int fd, struct cairn_stacks **stacks,
                                               struct cairn_fault *fault)
{
	struct cairn_stacks *opened = calloc(1, sizeof(*opened));
	struct os_stream stream;

	if (!opened)
		return fail_opening(opened, CAIRN_NO_MEMORY, "out of memory", fault);
	int error = os_stream_open(&stream, fd);
	if (error)
		return fail_opening(opened, CAIRN_UNREADABLE, strerror(error), fault);
	enum cairn_status status = open_stream(opened, &stream, fault);
	os_stream_close(&stream);
	if (status == CAIRN_OK)
		return finish_opening(opened, stacks, fault);
	free(opened);
	return status;
}

enum cairn_status cairn_stacks_open_process(uint64_t pid, struct cairn_stacks **stacks,
                                            struct cairn_fault *fault)
{
	struct cairn_stacks *opened = calloc(1, sizeof(*opened));
	int error = opened ? process_snapshot_open(&opened->snapshot, pid) : ENOMEM;

	switch (error) {
	case 0:
		return finish_opening(opened, stacks, fault);
	case ESRCH:
		return fail_opening(opened, CAIRN_NOT_FOUND, "no such process", fault);
	case ENOTSUP:
		return fail_opening(opened, CAIRN_UNSUPPORTED, "not on this machine", fault);
	case ENOMEM:
		return fail_opening(opened, CAIRN_NO_MEMORY, "out of memory", fault);
	default:
		return fail_opening(opened, CAIRN_UNREADABLE, "it may not be traced", fault);
	}
}

void cairn_stacks_close(struct cairn_stacks *stacks)
{
	if (!stacks)
		return;
	cairn_space_free(stacks->space);
	for (size_t i = 0; stacks->modules && i < stacks->snapshot.module_count; i++) {
		cairn_symbol_file_close(stacks->modules[i].symbols);
		elf_table_close(&stacks->modules[i].table);
		elf_table_close(&stacks->modules[i].debug_table);
		os_file_close(&stacks->modules[i].debug);
		os_file_close(&stacks->modules[i].found.file);
		free(stacks->modules[i].found.path);
	}
	free(stacks->modules);
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

size_t cairn_stacks_threads(const struct cairn_stacks *stacks)
{
	return stacks->snapshot.thread_count;
}

bool cairn_stacks_thread(const struct cairn_stacks *stacks, size_t number,
                         struct cairn_thread *thread)
{
	if (number >= stacks->snapshot.thread_count)
		return false;
	const struct snapshot_thread *from = &stacks->snapshot.threads[number];
	*thread = (struct cairn_thread){ .tid = from->tid,
		                         .name = from->name,
		                         .crashed = from->crashed,
		                         .stack_cut = from->stack_cut,
		                         .signal = from->signal,
		                         .stop_nanoseconds = from->stop_nanoseconds,
		                         .registers = from->registers };
	return true;
}

bool cairn_stacks_begin(struct cairn_stacks *stacks, size_t number)
{
	stacks->walk = (struct stack_walk){ .space = stacks->space,
		                            .want_tables = give_tables,
		                            .context = stacks,
		                            .end = STACK_END_NO_CONTEXT };
	return number < stacks->snapshot.thread_count &&
	       stack_walk_begin(&stacks->walk, &stacks->snapshot.threads[number].registers);
}

bool cairn_stacks_next(struct cairn_stacks *stacks)
{
	return stack_walk_next(&stacks->walk);
}

void cairn_stacks_frame(struct cairn_stacks *stacks, struct cairn_stack_frame *frame)
{
	const struct stack_walk *walk = &stacks->walk;
	const uint64_t lookup = stack_walk_lookup_address(walk);
	const struct snapshot_module *module = snapshot_find_module(&stacks->snapshot, lookup);

	*frame = (struct cairn_stack_frame){ .level = walk->level,
		                             .pc = walk->registers.pc,
		                             .lookup = lookup,
		                             .cfa = walk->step.cfa,
		                             .found = walk->found,
		                             .signal = walk->step.signal };
	if (!module)
		return;
	frame->module = module->path;
	frame->build_id = module->build_id;
	frame->module_offset = walk->registers.pc - snapshot_module_start(module);
}

bool cairn_stacks_complete(const struct cairn_stacks *stacks)
{
	return stacks->walk.end == STACK_END_OUTERMOST;
}

const char *cairn_stacks_end(const struct cairn_stacks *stacks)
{
	const struct stack_walk *walk = &stacks->walk;
	const char *made = NULL;

	if (walk->end != STACK_END_UNKNOWN)
		return stack_end_text(walk->end);
	if (walk->step.stop == CAIRN_STOP_NO_MODULE)
		made = snapshot_explain_made_code(&stacks->snapshot,
		                                  stack_walk_lookup_address(walk));
	return made ? made : cairn_stop_text(walk->step.stop);
}

/* Symbols are opened when the first name of a module is asked for. */
static void find_symbols(struct stacks_module *module, const struct snapshot_module *of)
{
	struct cairn_fault fault;

	if (module->opened)
		return;
	module->opened = true;
	if (of->build_id.size > 0 &&
	    cairn_symbol_file_find(module->found.path ? module->found.path : "/", of->build_id,
	                           NULL, &module->symbols, &fault) != CAIRN_OK)
		module->symbols = NULL;
	if (of->file.size > 0 && !elf_table_open(&module->table, of->file))
		module->table.count = 0;
	const struct cairn_bytes debug = find_debug_file(module, of);
	if (debug.size > 0 && !elf_table_open(&module->debug_table, debug))
		module->debug_table.count = 0;
}

/* By symbol tables: that of the debug file has functions of the file that others do not see. */
static bool find_symbol(struct cairn_stacks *stacks, struct stacks_module *module,
                        const struct snapshot_module *of, uint64_t va,
                        struct cairn_location *location)
{
	return elf_table_find(&module->debug_table, va, location) ||
	       elf_table_find(&module->table, va, location) ||
	       module_names_find_stub(&module->stubs, &stacks->snapshot, of->file, va, location);
}

size_t cairn_stacks_names(struct cairn_stacks *stacks, uint64_t pc,
                          struct cairn_location *locations, size_t room)
{
	const struct snapshot_module *of = snapshot_find_module(&stacks->snapshot, pc);
	struct stacks_module *module = locate_module(stacks, pc);
	size_t count = 0;

	if (!module || !of->has_bias || room == 0)
		return 0;
	find_symbols(module, of);
	if (module->symbols)
		count = module_names_find(module->symbols, pc - of->bias,
		                          snapshot_module_start(of) - of->bias, locations, room);
	if (count == 0 && find_symbol(stacks, module, of, pc - of->bias, locations))
		count = 1;
	return count;
}
