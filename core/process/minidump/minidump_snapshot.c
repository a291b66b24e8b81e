/* SPDX-License-Identifier: MIT */
/* Fills a snapshot from the streams of a minidump. */
#include "minidump_snapshot.h"

#include "base/error.h"

#include "minidump_records.h"

#include "unwind/target/core_file.h"

#include <stdlib.h>

/* Exception codes in dumps of programs that did not crash. */
#define DUMP_REQUESTED UINT32_C(0xffffffff) /* Breakpad on Linux */
#define SIMULATED UINT32_C(0x0517a7ed)      /* Crashpad */
#define ACCESS_VIOLATION UINT32_C(0xc0000005)

/* Lowest si_code of a fault, which has an address; others are from processes. */
enum { PAGE = 4096, FIRST_FAULT_CODE = 1 };

static enum snapshot_system system_of(uint32_t platform)
{
	switch (platform) {
	case MINIDUMP_PLATFORM_LINUX:
		return SNAPSHOT_SYSTEM_LINUX;
	case MINIDUMP_PLATFORM_ANDROID:
		return SNAPSHOT_SYSTEM_ANDROID;
	case MINIDUMP_PLATFORM_MACOS:
	case MINIDUMP_PLATFORM_IOS:
		return SNAPSHOT_SYSTEM_MACOS;
	case MINIDUMP_PLATFORM_WINDOWS_NT:
		return SNAPSHOT_SYSTEM_WINDOWS;
	default:
		return SNAPSHOT_SYSTEM_UNKNOWN;
	}
}

/* Return the capacity needed for all ranges of memory that the dump may describe. */
static size_t count_ranges(const struct minidump *dump)
{
	const struct minidump_list lists[] = { minidump_list(dump, MINIDUMP_MEMORY),
		                               minidump_list(dump, MINIDUMP_MEMORY64),
		                               minidump_list(dump, MINIDUMP_THREADS) };
	size_t count = 1;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		count += (size_t)lists[i].left;
	return count;
}

static size_t add_memory_range(struct corefile_range *ranges, size_t count, uint64_t address,
                               struct cairn_bytes bytes)
{
	if (bytes.size == 0 || bytes.size > UINT64_MAX - address)
		return count;
	ranges[count] = (struct corefile_range){ address, bytes, true };
	return count + 1;
}

static size_t collect_ranges(const struct minidump *dump, struct corefile_range *ranges)
{
	static const enum minidump_stream_type types[] = { MINIDUMP_MEMORY, MINIDUMP_MEMORY64 };
	struct minidump_list list = minidump_list(dump, MINIDUMP_THREADS);
	struct minidump_memory memory;
	struct minidump_thread thread;
	size_t count = 0;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct minidump_list part = minidump_list(dump, types[i]);
		while (minidump_next_memory(&part, &memory))
			count = add_memory_range(ranges, count, memory.address, memory.part.bytes);
	}
	while (minidump_next_thread(&list, &thread))
		count = add_memory_range(ranges, count, thread.stack, thread.captured.bytes);
	return count;
}

static void note_missing_memory(struct snapshot *snapshot, const struct minidump *dump)
{
	static const enum minidump_stream_type types[] = { MINIDUMP_MEMORY, MINIDUMP_MEMORY64 };
	struct minidump_memory memory;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct minidump_list list = minidump_list(dump, types[i]);
		bool cut = false;
		while (!cut && minidump_next_memory(&list, &memory))
			cut = memory.part.cut;
		if (!cut && list.in.fault.status == CAIRN_NOT_FOUND)
			continue;
		if (cut || !reader_ok(&list.in))
			snapshot_add_problem(snapshot, "memory",
			                     cut ? (struct cairn_fault){ CAIRN_TRUNCATED,
			                                                 memory.part.offset,
			                                                 "the file ends before all "
			                                                 "captured memory" }
			                         : list.in.fault);
	}
}

static struct corefile *open_memory(const struct minidump *dump)
{
	struct corefile_range *ranges = calloc(count_ranges(dump), sizeof(*ranges));
	struct corefile *core = malloc(sizeof(*core));

	if (!ranges || !core) {
		free(ranges);
		free(core);
		return NULL;
	}
	corefile_adopt(core, ranges, collect_ranges(dump, ranges));
	return core;
}

/* Set the signal or exception, and the address of the access if the system records it. */
static void take_fault_address(struct snapshot_crash *crash, enum snapshot_system system,
                               const struct minidump_exception *exception)
{
	bool is_unix = system == SNAPSHOT_SYSTEM_LINUX || system == SNAPSHOT_SYSTEM_ANDROID;

	if (is_unix) {
		crash->signal = exception->code;
		crash->code = (int32_t)exception->flags;
		crash->has_address = crash->code >= FIRST_FAULT_CODE;
		crash->fault_address = exception->address;
		return;
	}
	crash->exception = exception->code;
	if (exception->code == ACCESS_VIOLATION && exception->parameters > 1) {
		crash->has_address = true;
		crash->fault_address = exception->parameter[1];
	} else if (system == SNAPSHOT_SYSTEM_MACOS) {
		crash->has_address = true;
		crash->fault_address = exception->address;
	}
}

static void take_exception(struct snapshot *snapshot, const struct minidump *dump,
                           enum minidump_machine machine)
{
	struct snapshot_crash *crash = &snapshot->crash;
	struct minidump_exception exception;

	if (!minidump_read_exception(dump, &exception))
		return;
	crash->known = exception.code != DUMP_REQUESTED && exception.code != SIMULATED;
	crash->tid = exception.thread;
	if (crash->known)
		take_fault_address(crash, snapshot->system, &exception);
	for (size_t i = 0; i < snapshot->thread_count; i++) {
		struct snapshot_thread *thread = &snapshot->threads[i];
		if (thread->tid != exception.thread)
			continue;
		thread->crashed = crash->known;
		thread->signal = crash->signal;
		/*
		 * The exception holds the registers at the crash. The thread's registers may be
		 * from a signal handler; they are kept if the exception lacks a context.
		 */
		if (exception.context.bytes.size > 0)
			minidump_keep_registers(snapshot, dump, machine, &exception.context,
			                        thread);
		return;
	}
}

/* Store the arguments, which are separated by NULs, as one line. */
static struct cairn_bytes keep_command_line(struct snapshot *snapshot,
                                            const struct minidump_part *part)
{
	struct cairn_bytes kept = snapshot_keep(snapshot, part->bytes);
	/* Owned by the snapshot, so it is writable. */
	uint8_t *text = (uint8_t *)(uintptr_t)kept.data;

	while (kept.size > 0 && text[kept.size - 1] == 0)
		kept.size--;
	for (size_t i = 0; i < kept.size; i++)
		text[i] = text[i] ? text[i] : ' ';
	return kept;
}

static void take_process(struct snapshot *snapshot, const struct minidump *dump)
{
	struct minidump_process process;
	struct minidump_part part;

	if (minidump_read_process(dump, &process)) {
		snapshot->pid = process.id;
		if (process.started > 0 && dump->time >= process.started)
			snapshot->running_nanoseconds =
				(uint64_t)(dump->time - process.started) * 1000000000;
	}
	if (minidump_find_stream(dump, MINIDUMP_LINUX_COMMAND, &part))
		snapshot->command_line = keep_command_line(snapshot, &part);
	if (minidump_find_stream(dump, MINIDUMP_LINUX_AUXV, &part))
		snapshot->auxv = part.bytes;
}

/* Store the path of the program, which all writers list as the first module. */
static void take_program(struct snapshot *snapshot, const struct minidump *dump)
{
	struct minidump_list list = minidump_list(dump, MINIDUMP_MODULES);
	struct minidump_module first;

	if (minidump_next_module(&list, &first))
		snapshot->program = minidump_keep_text(snapshot, dump, first.name);
}

static void fill_snapshot(struct snapshot *snapshot, const struct minidump *dump,
                          struct corefile *core)
{
	struct minidump_system system;
	bool known = minidump_read_system(dump, &system);

	*snapshot = (struct snapshot){
		.kind = CAIRN_STACKS_MINIDUMP,
		.system = system_of(known ? system.platform : 0),
		.machine = minidump_machine_for(system.machine),
		.machine_name = known ? minidump_processor_name(system.processor) : NULL,
		.big_endian = dump->big,
		.word = system.machine == MINIDUMP_MACHINE_X86 ||
		                        system.machine == MINIDUMP_MACHINE_ARM
		                ? 4
		                : 8,
		.input = dump->bytes.size,
		.memory = core->target,
		.source = core,
		.close_source = corefile_free,
	};
	if (!known)
		snapshot_add_problem(
			snapshot, "system",
			(struct cairn_fault){ CAIRN_NOT_FOUND, 0, "the dump has no such stream" });
	minidump_add_threads(snapshot, dump, system.machine);
	minidump_add_modules(snapshot, dump);
	minidump_add_mappings(snapshot, dump);
	minidump_extend_modules(snapshot);
	note_missing_memory(snapshot, dump);
	take_exception(snapshot, dump, system.machine);
	take_process(snapshot, dump);
	take_program(snapshot, dump);
}

enum cairn_status minidump_snapshot_open(struct snapshot *snapshot, struct cairn_bytes bytes,
                                         struct cairn_fault *fault)
{
	struct minidump dump;
	enum cairn_status status = minidump_open(bytes, &dump, fault);

	if (status != CAIRN_OK)
		return status;
	struct corefile *core = open_memory(&dump);
	if (!core) {
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	}
	fill_snapshot(snapshot, &dump, core);
	if (minidump_streams(&dump) < dump.streams)
		snapshot_add_problem(snapshot, "directory",
		                     (struct cairn_fault){ CAIRN_TRUNCATED, dump.directory,
		                                           "streams are missing" });
	return CAIRN_OK;
}

void minidump_snapshot_set_bias(struct snapshot_module *module, const struct elf *elf)
{
	struct cairn_range span;

	if (elf_load_span(elf, &span))
		module->bias = module->low - (span.low - span.low % PAGE);
}
