/* SPDX-License-Identifier: MIT */
/* Fills a snapshot from /proc and from the captured threads of a process. */
#include "process_snapshot.h"

#include "process_registers.h"
#include "process_stacks.h"

#include "base/bytes.h"
#include "base/sort.h"
#include "formats/procmaps.h"
#include "os/process/thread_capture.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAME_MAX_SIZE = 64,
	HEADERS = 4096,
};

struct process_source {
	struct os_process process;
	struct os_thread_capture capture;
	struct os_captured_stack *stacks;
	size_t stack_count;
	struct snapshot *snapshot;
	struct process_stacks look;
	char *maps;
	bool has_process;
};

/*
 * Return true if the range is in the headers of a file. A tool that adds headers to a program may
 * make their page writable (patchelf), but the program does not write to it.
 */
static bool is_of_headers(const struct snapshot_mapping *mapping, uint64_t address, size_t size)
{
	const uint64_t at = address - mapping->low;

	return mapping->has_file && mapping->offset == 0 && at < HEADERS && size <= HEADERS - at;
}

/*
 * Read memory that the process cannot modify, and code. JIT compilers may rewrite code in place,
 * but not code that is on a stack, and unwind steps that follow code are verified.
 */
static bool read_constant(const struct process_source *source, uint64_t address, void *buffer,
                          size_t size)
{
	const struct snapshot_mapping *mapping = snapshot_find_mapping(source->snapshot, address);

	if (!mapping || size > mapping->high - address ||
	    ((mapping->access & SNAPSHOT_WRITE) && !(mapping->access & SNAPSHOT_EXECUTE) &&
	     !is_of_headers(mapping, address, size)))
		return false;
	return os_process_read(&source->process, address, buffer, size);
}

/*
 * Return the captured stack that may contain an address. Prefers the stacks of the thread that is
 * being walked: threads are copied one after the other, and the copy for one thread may include the
 * stack of another (Go has them on its heap), but only a thread's own copy matches its registers.
 */
static const struct os_captured_stack *find_stack(const struct process_source *source,
                                                  uint64_t address)
{
	const struct os_thread_capture *capture = &source->capture;
	const size_t next = SORTED_UP_TO(source->stacks, source->stack_count, low, address);

	if (source->snapshot->walked < capture->count) {
		const struct os_captured_thread *thread =
			&capture->thread[source->snapshot->walked];
		for (size_t i = 0; i < thread->stack_count; i++)
			if (address - thread->stacks[i].low < thread->stacks[i].size)
				return &thread->stacks[i];
	}
	return next ? &source->stacks[next - 1] : NULL;
}

static enum cairn_status read_process_memory(void *context, uint64_t address, void *buffer,
                                             size_t size)
{
	const struct process_source *source = context;
	const struct os_captured_stack *stack = find_stack(source, address);

	if (stack && address - stack->low < stack->size) {
		uint64_t offset = address - stack->low;
		if (size > stack->size - offset)
			return CAIRN_UNREADABLE;
		memcpy(buffer, source->capture.memory + stack->at + offset, size);
		return CAIRN_OK;
	}
	return read_constant(source, address, buffer, size) ? CAIRN_OK : CAIRN_UNREADABLE;
}

static void close_source(void *context)
{
	struct process_source *source = context;

	os_thread_capture_free(&source->capture);
	if (source->has_process)
		os_process_close(&source->process);
	free(source->stacks);
	free(source->maps);
	free(source);
}

/* Read the mappings. Return false if the process has ended or they are not accessible. */
static bool read_mappings(struct snapshot *snapshot, struct process_source *source)
{
	struct procmaps_entry entry;
	size_t size;

	source->maps = os_process_text(&source->process, "maps", &size);
	if (!source->maps || size == 0)
		return false;
	struct procmaps maps =
		procmaps_open((struct cairn_bytes){ (const uint8_t *)source->maps, size });
	while (procmaps_next(&maps, &entry)) {
		struct snapshot_mapping *mapping = snapshot_add_mapping(snapshot);
		if (mapping)
			*mapping = procmaps_mapping(&entry);
		if (bytes_are(entry.path, "[stack]"))
			source->look.main_stack = (struct cairn_range){ entry.low, entry.high };
	}
	snapshot_sort_mappings(snapshot);
	return true;
}

/*
 * Store a file in the snapshot. `text`: without NULs and newlines at its end, and with other NULs
 * replaced by blanks.
 */
static struct cairn_bytes keep_file(struct snapshot *snapshot, const struct process_source *source,
                                    const char *name, bool text)
{
	struct cairn_bytes kept = { (const uint8_t *)"", 0 };
	size_t size;
	char *bytes = os_process_text(&source->process, name, &size);

	while (bytes && text && size > 0 && (bytes[size - 1] == '\0' || bytes[size - 1] == '\n'))
		size--;
	for (size_t i = 0; bytes && text && i < size; i++)
		bytes[i] = bytes[i] ? bytes[i] : ' ';
	if (bytes && size > 0)
		kept = snapshot_keep(snapshot,
		                     (struct cairn_bytes){ (const uint8_t *)bytes, size });
	free(bytes);
	return kept;
}

static void read_process(struct snapshot *snapshot, const struct process_source *source)
{
	char path[PATH_MAX];

	snapshot->pid = source->process.pid;
	snapshot->living = source->process.living;
	snapshot->command_line = keep_file(snapshot, source, "cmdline", true);
	snapshot->auxv = keep_file(snapshot, source, "auxv", false);
	snapshot->running_nanoseconds = os_process_age(&source->process);
	snapshot->program = os_process_link(&source->process, "exe", path, sizeof(path))
	                            ? snapshot_keep_string(snapshot, path)
	                            : keep_file(snapshot, source, "comm", true);
}

static const char *describe_error(int error)
{
	if (error == EBUSY)
		return "a thread waits in the kernel, for a disk or a child of vfork(), and cannot "
		       "be stopped";
	if (error == ETIMEDOUT)
		return "a thread did not stop, because no processor was free for it";
	return "a thread could not be captured";
}

/* Set the kind of program, from the first thread that could be captured. */
static void take_machine(struct snapshot *snapshot, const struct process_source *source)
{
	const struct os_thread_capture *capture = &source->capture;

	for (size_t i = 0; i < capture->count; i++) {
		const struct corenotes_layout layout =
			process_registers_layout(capture->thread[i].registers_size);
		if (capture->thread[i].error != 0)
			continue;
		snapshot->machine = layout.machine;
		snapshot->machine_name = process_registers_machine_name(layout.machine);
		snapshot->word = layout.wide ? 8 : 4;
		return;
	}
}

static bool is_of_program(const struct snapshot *snapshot,
                          const struct os_captured_thread *captured)
{
	return process_registers_layout(captured->registers_size).machine == snapshot->machine;
}

static void add_thread(struct snapshot *snapshot, const struct process_source *source,
                       const struct os_captured_thread *captured)
{
	struct snapshot_thread *thread = snapshot_add_thread(snapshot);
	char name[NAME_MAX_SIZE];

	if (!thread)
		return;
	snprintf(name, sizeof(name), "task/%llu/comm", (unsigned long long)captured->tid);
	thread->tid = captured->tid;
	thread->name = keep_file(snapshot, source, name, true);
	thread->stack_cut = captured->cut;
	thread->stop_nanoseconds = captured->nanoseconds;
	if (captured->stack_count > 0)
		thread->stack =
			(struct cairn_range){ captured->stacks[0].low,
			                      captured->stacks[0].low + captured->stacks[0].size };
	if (captured->error == 0 && is_of_program(snapshot, captured)) {
		thread->registers =
			process_registers_decode(captured->registers, captured->registers_size);
		thread->general =
			(struct cairn_bytes){ captured->registers, captured->registers_size };
	} else if (captured->error == 0)
		snapshot_add_problem(
			snapshot, "threads",
			(struct cairn_fault){ CAIRN_UNSUPPORTED, captured->tid,
		                              "a thread runs code of another machine than "
		                              "the first one" });
	else {
		snapshot_add_problem(snapshot, "threads",
		                     (struct cairn_fault){ CAIRN_UNREADABLE, captured->tid,
		                                           describe_error(captured->error) });
	}
}

static bool sort_stacks(struct process_source *source)
{
	const struct os_thread_capture *capture = &source->capture;
	size_t count = 0;

	for (size_t i = 0; i < capture->count; i++)
		count += capture->thread[i].stack_count;
	source->stacks = malloc((count + 1) * sizeof(*source->stacks));
	if (!source->stacks)
		return false;
	for (size_t i = 0; i < capture->count; i++)
		for (size_t k = 0; k < capture->thread[i].stack_count; k++)
			source->stacks[source->stack_count++] = capture->thread[i].stacks[k];
	SORT_BY_FIRST(source->stacks, source->stack_count, low);
	return true;
}

static int capture_process(struct snapshot *snapshot, struct process_source *source, uint64_t pid)
{
	const struct os_thread_plan plan = { process_stacks_first, process_stacks_further,
		                             &source->look };
	int error = os_process_open(pid, &source->process);

	if (error != 0)
		return error;
	source->has_process = true;
	source->look.process = &source->process;
	source->look.snapshot = snapshot;
	if (!read_mappings(snapshot, source))
		return os_process_is_alive(&source->process) ? EPERM : ESRCH;
	error = os_thread_capture(&source->process, &plan, &source->capture);
	if (error != 0)
		return error;
	if (!sort_stacks(source))
		return ENOMEM;
	take_machine(snapshot, source);
	read_process(snapshot, source);
	for (size_t i = 0; i < source->capture.count; i++)
		add_thread(snapshot, source, &source->capture.thread[i]);
	return 0;
}

int process_snapshot_open(struct snapshot *snapshot, uint64_t pid)
{
	const struct corenotes_layout host = process_registers_layout(OS_REGISTERS_MAX);
	struct process_source *source = calloc(1, sizeof(*source));

	if (!source)
		return ENOMEM;
	source->snapshot = snapshot;
	*snapshot = (struct snapshot){ .kind = CAIRN_STACKS_PROCESS,
		                       .system = SNAPSHOT_SYSTEM_LINUX,
		                       .machine = host.machine,
		                       .machine_name = process_registers_machine_name(host.machine),
		                       .big_endian = process_registers_are_big(),
		                       .word = sizeof(void *),
		                       .memory = { read_process_memory, source },
		                       .source = source,
		                       .close_source = close_source };
	int error = host.machine == CAIRN_MACHINE_NONE ? ENOTSUP
	                                               : capture_process(snapshot, source, pid);
	if (error != 0)
		snapshot_close(snapshot);
	return error;
}

uint64_t process_snapshot_duration(const struct snapshot *snapshot)
{
	const struct process_source *source = snapshot->source;

	return snapshot->kind == CAIRN_STACKS_PROCESS ? source->capture.nanoseconds : 0;
}

static enum cairn_status read_memory_now(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct process_source *source = context;

	return os_process_read(&source->process, address, buffer, size) ? CAIRN_OK
	                                                                : CAIRN_UNREADABLE;
}

struct cairn_target process_snapshot_now(const struct snapshot *snapshot)
{
	return (struct cairn_target){ .read_memory = read_memory_now, .context = snapshot->source };
}
