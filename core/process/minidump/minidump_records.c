/* SPDX-License-Identifier: MIT */
/* Adds the threads, modules and mappings of a minidump to a snapshot. */
#include "minidump_records.h"

#include "base/bytes.h"
#include "base/sort.h"
#include "formats/procmaps.h"

#include <stdlib.h>
#include <string.h>

static const char vdso_path[] = "[vdso]";

enum { TEXT_MAX = 3 * 4096 }; /* bytes of a path or name: enough for 4096 characters */

/*
 * Read a string as UTF-8 into a buffer of TEXT_MAX bytes. Truncates names that are longer than any
 * real one.
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

struct cairn_bytes minidump_keep_text(struct snapshot *snapshot, const struct minidump *dump,
                                      uint64_t offset)
{
	const struct cairn_bytes none = { dump->bytes.data, 0 };
	uint8_t bytes[TEXT_MAX];

	return snapshot->texts_over ? none
	                            : snapshot_keep(snapshot, read_name_text(dump, offset, bytes));
}

enum cairn_machine minidump_machine_for(enum minidump_machine machine)
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

void minidump_keep_registers(struct snapshot *snapshot, const struct minidump *dump,
                             enum minidump_machine machine, const struct minidump_part *context,
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

/* Report a damaged list. A missing list is not a problem, unless every dump has one. */
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

void minidump_add_threads(struct snapshot *snapshot, const struct minidump *dump,
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

/* Return true for Breakpad's name of the vDSO, which does not have a file. */
static bool is_vdso(const struct snapshot *snapshot, struct cairn_bytes path)
{
	return snapshot->system != SNAPSHOT_SYSTEM_WINDOWS && bytes_are(path, "linux-gate.so");
}

/*
 * Set the build ID of the module, and the ID and name by which Breakpad identifies debug
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
 * A module, in an array sorted by name. The first of several modules with the same name represents
 * all.
 */
struct named_module {
	struct snapshot_module *module;
	size_t first;  /* index of the first module with this name */
	bool has_bias; /* the loader reported a bias; set only in the first */
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
 * Read the loader's list, and set the bias of each module by its name. The name of the program
 * itself is often empty.
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

void minidump_add_modules(struct snapshot *snapshot, const struct minidump *dump)
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

void minidump_add_mappings(struct snapshot *snapshot, const struct minidump *dump)
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
