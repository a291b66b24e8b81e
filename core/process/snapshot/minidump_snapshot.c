/* SPDX-License-Identifier: MIT */
/*
 * Converts a minidump's lists of threads, modules and mappings to a snapshot. Damaged lists are
 * reported as problems.
 */
#include "minidump_snapshot.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/linux_sets.h"
#include "base/snapshot.h"
#include "base/sort.h"
#include "formats/minidump.h"
#include "formats/procmaps.h"
#include "process/snapshot/core_file.h"

#include <stdlib.h>
#include <string.h>

/*
 * Converts a context's registers other than the integer registers to Linux register sets, which the
 * writers of cores and minidumps expect.
 */

static void keep_amd64(struct snapshot *snapshot, const struct minidump_context_rest *rest,
                       struct snapshot_thread *thread)
{
	uint8_t set[LINUX_AMD64_WORDS * LINUX_WORD] = { 0 };

	/* UINT64_MAX means that the thread is not in a system call */
	linux_set_word(set, LINUX_AMD64_SYSTEM_CALL, UINT64_MAX);
	linux_set_word(set, LINUX_AMD64_FLAGS, rest->flags);
	for (unsigned i = 0; i < LINUX_AMD64_SEGMENTS; i++)
		linux_set_word(set, linux_amd64_segments[i], rest->segment[i]);
	if (rest->segment[0] == 0)
		linux_set_word(set, LINUX_AMD64_CS, LINUX_USER_CODE);
	if (rest->segment[LINUX_AMD64_SEGMENTS - 1] == 0)
		linux_set_word(set, LINUX_AMD64_SS, LINUX_USER_DATA);
	thread->general = snapshot_keep(snapshot, (struct cairn_bytes){ set, sizeof(set) });
	thread->floats = rest->vectors;
}

static void keep_arm64(struct snapshot *snapshot, const struct minidump_context_rest *rest,
                       struct snapshot_thread *thread)
{
	uint8_t set[LINUX_ARM64_WORDS * LINUX_WORD] = { 0 }, floats[LINUX_ARM64_FLOATS] = { 0 };

	linux_set_word(set, LINUX_ARM64_PSTATE, rest->flags);
	thread->general = snapshot_keep(snapshot, (struct cairn_bytes){ set, sizeof(set) });
	if (rest->vectors.size != LINUX_ARM64_VECTORS)
		return;
	memcpy(floats, rest->vectors.data, LINUX_ARM64_VECTORS);
	linux_set_word(floats, LINUX_ARM64_VECTORS / LINUX_WORD,
	               (uint64_t)rest->fp_control << 32 | rest->fp_status);
	thread->floats = snapshot_keep(snapshot, (struct cairn_bytes){ floats, sizeof(floats) });
}

static void minidump_keep_sets(struct snapshot *snapshot, const struct minidump *dump,
                               enum minidump_machine machine, const struct minidump_part *context,
                               struct snapshot_thread *thread)
{
	struct minidump_context_rest rest;

	minidump_read_context_rest(dump, machine, context, &rest);
	thread->general = thread->floats = (struct cairn_bytes){ NULL, 0 };
	if (!rest.known)
		return;
	if (machine == MINIDUMP_MACHINE_AMD64)
		keep_amd64(snapshot, &rest, thread);
	else
		keep_arm64(snapshot, &rest, thread);
}

/*
 * Corrects the ends of modules with the mappings of the process, because LLDB records only the size
 * of the first segment.
 */

/* Extend the module to the end of the adjacent mappings of its file, or to the next module. */
static void extend_module(const struct snapshot *snapshot, struct snapshot_module *module,
                          uint64_t limit)
{
	const struct snapshot_mapping *first = snapshot_find_mapping(snapshot, module->low);
	const struct snapshot_mapping *at = first, *next;

	if (!first || !first->has_file || first->path.size == 0)
		return;
	while ((next = snapshot_next_mapping(snapshot, at->low)) && next->low == at->high &&
	       next->low < limit && next->has_file && bytes_equal(first->path, next->path))
		at = next;
	const uint64_t end = at->high < limit ? at->high : limit;
	if (at != first && end > module->high)
		module->high = end;
}

static void minidump_extend_modules(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->module_count; i++)
		extend_module(snapshot, &snapshot->modules[i],
		              i + 1 < snapshot->module_count ? snapshot->modules[i + 1].low
		                                             : UINT64_MAX);
}

static const char vdso_path[] = "[vdso]";

enum { TEXT_MAX = 3 * 4096 }; /* maximum size of a path or name, enough for 4096 characters */

/*
 * Read a string as UTF-8 into a buffer of TEXT_MAX bytes. Truncate longer strings, because no real
 * name is that long.
 */
static struct cairn_bytes read_name_text(const struct minidump *dump, uint64_t offset,
                                         uint8_t *buffer)
{
	struct minidump_part text = minidump_text(dump, offset);
	struct sink out = sink_open(buffer, TEXT_MAX);

	if (text.bytes.size > TEXT_MAX / 3 * 2)
		text.bytes.size = TEXT_MAX / 3 * 2;
	minidump_put_text(dump, &text, &out);
	return (struct cairn_bytes){ buffer, out.size };
}

/* Return the UTF-16 string at an offset as UTF-8, stored in the snapshot, or an empty string. */
static struct cairn_bytes minidump_keep_text(struct snapshot *snapshot, const struct minidump *dump,
                                             uint64_t offset)
{
	const struct cairn_bytes none = { dump->bytes.data, 0 };
	uint8_t bytes[TEXT_MAX];

	return snapshot->texts_over ? none
	                            : snapshot_keep(snapshot, read_name_text(dump, offset, bytes));
}

static enum cairn_machine minidump_machine_for(enum minidump_machine machine)
{
	switch (machine) {
	case MINIDUMP_MACHINE_X86:
		return CAIRN_MACHINE_I386;
	case MINIDUMP_MACHINE_AMD64:
		return CAIRN_MACHINE_AMD64;
	case MINIDUMP_MACHINE_ARM:
		return CAIRN_MACHINE_ARM;
	case MINIDUMP_MACHINE_ARM64:
		return CAIRN_MACHINE_AARCH64;
	case MINIDUMP_MACHINE_OTHER:
	case MINIDUMP_MACHINE_UNKNOWN:
		break;
	}
	return CAIRN_MACHINE_NONE;
}

/*
 * Set the thread's registers. If the new registers are unreadable, keep the thread's previous ones
 * and report a problem.
 */
static void minidump_keep_registers(struct snapshot *snapshot, const struct minidump *dump,
                                    enum minidump_machine machine,
                                    const struct minidump_part *context,
                                    struct snapshot_thread *thread)
{
	struct cairn_registers registers = { .big_endian = dump->big };
	struct minidump_registers read;
	struct cairn_fault fault;

	if (minidump_read_registers(dump, machine, context, &read, &fault) != CAIRN_OK) {
		snapshot_add_problem(snapshot, "registers", fault);
		return;
	}
	registers.machine = minidump_machine_for(read.machine);
	registers.pc = read.pc;
	registers.known = read.known;
	memcpy(registers.value, read.value, sizeof(registers.value));
	thread->registers = registers;
	minidump_keep_sets(snapshot, dump, read.machine, context, thread);
}

/* Report a list that is damaged, or that is missing although every minidump must contain it. */
static void note_list(struct snapshot *snapshot, const char *part, const struct minidump_list *list,
                      bool needed)
{
	enum cairn_status status = list->in.fault.status;

	if (status != CAIRN_OK && (needed || status != CAIRN_NOT_FOUND))
		snapshot_add_problem(snapshot, part, list->in.fault);
}

static int compare_thread_ids(const void *left, const void *right)
{
	const struct snapshot_thread *const *a = left, *const *b = right;

	if ((*a)->tid != (*b)->tid)
		return (*a)->tid < (*b)->tid ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

static void name_thread(struct snapshot *snapshot, struct snapshot_thread **by_id,
                        const struct minidump *dump, const struct minidump_thread_name *name)
{
	struct bisection search = bisect_begin(snapshot->thread_count);

	while (search.low < search.high)
		bisect_narrow(&search, by_id[search.middle]->tid < name->thread);
	if (search.low < snapshot->thread_count && by_id[search.low]->tid == name->thread &&
	    by_id[search.low]->name.size == 0)
		by_id[search.low]->name = minidump_keep_text(snapshot, dump, name->name);
}

static void name_threads(struct snapshot *snapshot, const struct minidump *dump)
{
	struct snapshot_thread **by_id = malloc((snapshot->thread_count + 1) * sizeof(*by_id));
	struct minidump_list list = minidump_list(dump, MINIDUMP_THREAD_NAMES);
	struct minidump_thread_name name;

	if (!by_id)
		return;
	for (size_t i = 0; i < snapshot->thread_count; i++)
		by_id[i] = &snapshot->threads[i];
	if (snapshot->thread_count > 0)
		qsort(by_id, snapshot->thread_count, sizeof(*by_id), compare_thread_ids);
	while (minidump_next_thread_name(&list, &name))
		name_thread(snapshot, by_id, dump, &name);
	note_list(snapshot, "thread names", &list, false);
	free(by_id);
}

static void minidump_add_threads(struct snapshot *snapshot, const struct minidump *dump,
                                 enum minidump_machine machine)
{
	struct minidump_list list = minidump_list(dump, MINIDUMP_THREADS);
	struct minidump_thread read;
	struct snapshot_thread *thread;

	while (minidump_next_thread(&list, &read)) {
		if (!(thread = snapshot_add_thread(snapshot)))
			continue; /* snapshot_add_thread() counts dropped threads */
		thread->tid = read.id;
		thread->stack =
			(struct cairn_range){ read.stack, read.stack + read.captured.bytes.size };
		thread->stack_cut = read.captured.cut;
		minidump_keep_registers(snapshot, dump, machine, &read.context, thread);
	}
	note_list(snapshot, "threads", &list, true);
	name_threads(snapshot, dump);
}

static struct cairn_bytes take_base_name(struct cairn_bytes path)
{
	for (size_t i = path.size; i > 0; i--)
		if (path.data[i - 1] == '/' || path.data[i - 1] == '\\')
			return (struct cairn_bytes){ path.data + i, path.size - i };
	return path;
}

static bool is_vdso(const struct snapshot *snapshot, struct cairn_bytes path)
{
	return snapshot->system != SNAPSHOT_SYSTEM_WINDOWS && bytes_are(path, "linux-gate.so");
}

/*
 * Set the module's build ID, and the ID and file name by which Breakpad identifies debug
 * information.
 */
static void identify_module(struct snapshot *snapshot, struct snapshot_module *module,
                            const struct minidump *dump, const struct minidump_module *read)
{
	char id[MINIDUMP_ID_MAX];

	if (snapshot->texts_over)
		return;
	struct minidump_debug debug = minidump_read_debug(dump, read);
	if (!snapshot_take_text(snapshot, debug.id.size + debug.name.size))
		return;
	size_t size = minidump_debug_id(dump, &debug, id);
	if (debug.kind == MINIDUMP_DEBUG_ELF)
		module->build_id = debug.id;
	module->debug_id =
		snapshot_keep(snapshot, (struct cairn_bytes){ (const uint8_t *)id, size });
	module->debug_name = take_base_name(debug.name.size > 0 ? debug.name : module->path);
}

/*
 * A module in an array sorted by name. The first of several modules with the same name represents
 * all of them.
 */
struct named_module {
	struct snapshot_module *module;
	size_t first; /* array index of the first module with this name */
	/* the dynamic linker reported a bias; set only in the first module with this name */
	bool has_bias;
};

static int compare_module_names(const void *left, const void *right)
{
	const struct named_module *a = left, *b = right;

	return bytes_order(a->module->path, b->module->path);
}

static struct named_module *sort_by_name(struct snapshot *snapshot)
{
	const size_t count = snapshot->module_count;
	struct named_module *named = calloc(count + 1, sizeof(*named));

	if (!named)
		return NULL;
	for (size_t i = 0; i < count; i++)
		named[i].module = &snapshot->modules[i];
	if (count > 0)
		qsort(named, count, sizeof(*named), compare_module_names);
	for (size_t i = 1; i < count; i++)
		named[i].first = compare_module_names(&named[i - 1], &named[i]) == 0
		                         ? named[i - 1].first
		                         : i;
	return named;
}

static struct named_module *find_name(struct named_module *named, size_t count,
                                      struct cairn_bytes name)
{
	struct bisection search = bisect_begin(count);

	while (search.low < search.high)
		bisect_narrow(&search, bytes_order(named[search.middle].module->path, name) < 0);
	return search.low < count && bytes_equal(named[search.low].module->path, name)
	               ? &named[search.low]
	               : NULL;
}

/*
 * Read the minidump's copy of the link map, and set the bias of each module by its name. Skip
 * entries without a name, such as the program's.
 */
static void read_loader_list(struct snapshot *snapshot, const struct minidump *dump,
                             struct named_module *named)
{
	struct minidump_list list = minidump_dso_list(dump, snapshot->word);
	struct minidump_dso dso;
	uint8_t bytes[TEXT_MAX];

	while (!snapshot->texts_over && minidump_next_dso(&list, &dso)) {
		const struct cairn_bytes name = read_name_text(dump, dso.name, bytes);
		if (name.size == 0 || !snapshot_take_text(snapshot, name.size))
			continue;
		struct named_module *found = find_name(named, snapshot->module_count, name);
		if (!found)
			continue;
		found->module->bias = dso.bias;
		found->has_bias = true;
	}
	note_list(snapshot, "loaded objects", &list, false);
}

static void take_loader_bias(struct snapshot *snapshot, const struct minidump *dump)
{
	struct named_module *named = sort_by_name(snapshot);

	if (!named)
		return;
	read_loader_list(snapshot, dump, named);
	for (size_t i = 0; i < snapshot->module_count; i++)
		if (named[named[i].first].has_bias)
			named[i].module->bias = named[named[i].first].module->bias;
	free(named);
}

static void minidump_add_modules(struct snapshot *snapshot, const struct minidump *dump)
{
	struct minidump_list list = minidump_list(dump, MINIDUMP_MODULES);
	struct minidump_module read;
	struct snapshot_module *module;

	while (minidump_next_module(&list, &read)) {
		if (read.size == 0 || read.size > UINT64_MAX - read.low)
			continue;
		if (!(module = snapshot_add_module(snapshot)))
			continue;
		module->low = module->bias = read.low;
		module->high = read.low + read.size;
		module->has_bias = true;
		module->path = minidump_keep_text(snapshot, dump, read.name);
		identify_module(snapshot, module, dump, &read);
		if (is_vdso(snapshot, module->path))
			module->path = (struct cairn_bytes){ (const uint8_t *)vdso_path,
				                             sizeof(vdso_path) - 1 };
	}
	note_list(snapshot, "modules", &list, true);
	take_loader_bias(snapshot, dump);
	snapshot_sort_modules(snapshot);
}

static void add_regions(struct snapshot *snapshot, const struct minidump *dump)
{
	struct minidump_list list = minidump_list(dump, MINIDUMP_REGIONS);
	struct minidump_region region;
	struct snapshot_mapping *mapping;

	while (minidump_next_region(&list, &region)) {
		if (region.state == MINIDUMP_REGION_FREE ||
		    region.size > UINT64_MAX - region.address)
			continue;
		if (!(mapping = snapshot_add_mapping(snapshot)))
			continue;
		mapping->low = region.address;
		mapping->high = region.address + region.size;
		mapping->has_access = true;
		mapping->access =
			snapshot_access_of(minidump_region_allows(&region, MINIDUMP_READ),
		                           minidump_region_allows(&region, MINIDUMP_WRITE),
		                           minidump_region_allows(&region, MINIDUMP_EXECUTE));
	}
	note_list(snapshot, "memory regions", &list, false);
}

static void minidump_add_mappings(struct snapshot *snapshot, const struct minidump *dump)
{
	struct minidump_part text;

	if (minidump_find_stream(dump, MINIDUMP_LINUX_MAPS, &text)) {
		struct procmaps maps = procmaps_open(text.bytes);
		struct procmaps_entry entry;
		while (procmaps_next(&maps, &entry)) {
			struct snapshot_mapping *mapping = snapshot_add_mapping(snapshot);
			if (mapping)
				*mapping = procmaps_mapping(&entry);
		}
	} else {
		add_regions(snapshot, dump);
	}
	snapshot_sort_mappings(snapshot);
}

/* Exception codes in dumps of programs that did not crash. */
#define DUMP_REQUESTED UINT32_C(0xffffffff) /* Breakpad on Linux */
#define SIMULATED UINT32_C(0x0517a7ed)      /* Crashpad */
#define ACCESS_VIOLATION UINT32_C(0xc0000005)

/*
 * Lowest si_code of a fault, for which the kernel reports an address. Lower codes mean that a
 * process sent the signal.
 */
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

/* Set the signal or exception, and the address of the faulting access if the system records it. */
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
		 * Prefer the registers in the exception, which are from the time of the crash. The
		 * thread's registers may already be from a signal handler.
		 */
		if (exception.context.bytes.size > 0)
			minidump_keep_registers(snapshot, dump, machine, &exception.context,
			                        thread);
		return;
	}
}

static struct cairn_bytes keep_command_line(struct snapshot *snapshot,
                                            const struct minidump_part *part)
{
	struct cairn_bytes kept = snapshot_keep(snapshot, part->bytes);
	/* the snapshot owns this string, so it is writable */
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

/* Store the program's path. All writers list the program as the first module. */
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
		.find_part = corefile_find_part,
		.source = core,
		.close_source = corefile_free,
	};
	if (!known)
		snapshot_add_problem(snapshot, "system",
		                     (struct cairn_fault){ CAIRN_NOT_FOUND, 0,
		                                           "the minidump has no such stream" });
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
