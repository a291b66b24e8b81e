/* SPDX-License-Identifier: MIT */
/*
 * Finds names, lines and unwind rules for JIT code in three sources: the list of GDB's JIT
 * interface in the program's memory, which is always current; a jitdump, whose path is known
 * because the program maps a page of the file; and a perf map. For a core, both files are also
 * searched for in directories that the user specified. os/jit_file.h decides which files
 * are acceptable. Captures include the memory of the list, so that their readers can name and
 * unwind JIT code.
 */
#include "hotspot.h"
#include "stacks.h"

#include "base/memory.h"
#include "base/range.h"
#include "os/jit_file.h"
#include "process/snapshot/registered_code.h"
#include "process/stacks/process_snapshot.h"
#include "process_snapshot.h"
#include "symbols/jit_list.h"

#include <stdlib.h>

static bool read_dump(struct cairn_stacks *stacks, int fd, uint64_t pid)
{
	struct registered_code *file = &stacks->jit.dump;

	if (!os_jit_read(fd, OS_JIT_DUMP_MAX, &file->bytes))
		return false;
	if (jit_code_read(&file->code, file->bytes, NULL) == CAIRN_OK && file->code.dump &&
	    file->code.pid == pid) {
		file->code.machine = stacks->snapshot.machine;
		return true;
	}
	registered_code_finish(file);
	return false;
}

static void look_for_dump(struct cairn_stacks *stacks, const struct os_jit_process *process)
{
	char path[OS_JIT_PATH];

	for (size_t i = 0; i < stacks->snapshot.mapping_count; i++) {
		const struct snapshot_mapping *mapping = &stacks->snapshot.mappings[i];
		uint64_t pid = mapping->has_file ? os_jit_dump_pid(mapping->path) : 0;
		int fd = pid && !mapping->deleted ? os_jit_open_dump(process, mapping->path, path)
		                                  : -1;
		if (fd >= 0 && read_dump(stacks, fd, pid))
			return;
	}
	int fd = process->running ? -1 : os_jit_open_kept_dump(process, path);
	if (fd >= 0)
		read_dump(stacks, fd, process->pid);
}

/*
 * Read a perf map. Also accept a jitdump, because that may be the file that the host opened while
 * the process was still running.
 */
static void read_map(struct cairn_stacks *stacks, int fd)
{
	struct registered_code *file = &stacks->jit.map;

	if (fd >= 0 && os_jit_read(fd, OS_JIT_MAP_MAX, &file->bytes) &&
	    jit_code_read(&file->code, file->bytes, NULL) != CAIRN_OK)
		registered_code_finish(file);
}

/*
 * Return the memory in which to read the JIT list. A running process may change the list at any
 * time, so read its current memory rather than the snapshot.
 */
static struct cairn_target stacks_jit_code_memory(const struct cairn_stacks *stacks)
{
	return stacks->snapshot.kind == CAIRN_STACKS_PROCESS
	               ? process_snapshot_now(&stacks->snapshot)
	               : stacks->snapshot.memory;
}

static bool read_list(struct cairn_stacks *stacks, uint64_t descriptor)
{
	const struct cairn_target memory = stacks_jit_code_memory(stacks);
	const struct registered_program program = { .machine = stacks->snapshot.machine,
		                                    .big_endian = stacks->snapshot.big_endian,
		                                    .limit = stacks->size < JIT_LIST_MAX
		                                                     ? (size_t)stacks->size
		                                                     : JIT_LIST_MAX };
	struct cairn_fault fault;
	enum cairn_status status =
		registered_code_read(&stacks->jit.list, &memory, descriptor, &program, &fault);

	stacks->jit.descriptor = descriptor;
	/*
	 * A minidump contains the object files of the functions that have frames, and other object
	 * files only if there is space for them. Therefore do not report a missing object file as a
	 * problem.
	 */
	if (fault.what &&
	    !(fault.status == CAIRN_UNREADABLE && stacks->snapshot.kind == CAIRN_STACKS_MINIDUMP))
		snapshot_add_problem(&stacks->snapshot, "JIT code", fault);
	return status == CAIRN_OK;
}

/*
 * Return true if the mapping may contain global variables of a module: it is writable and maps a
 * file, or it directly follows such a mapping (.bss).
 */
static bool has_variables(const struct snapshot *snapshot, size_t index)
{
	const struct snapshot_mapping *mapping = &snapshot->mappings[index];

	return (mapping->access & SNAPSHOT_WRITE) &&
	       (mapping->has_file ||
	        (index > 0 && mapping[-1].has_file && mapping[-1].high == mapping->low));
}

/*
 * Scan the memory of global variables for the JIT list's descriptor. Needed if no symbol leads to
 * the descriptor because the modules' files are missing or stripped.
 */
static void scan_for_list(struct cairn_stacks *stacks)
{
	const struct snapshot *snapshot = &stacks->snapshot;
	const struct cairn_target memory = stacks_jit_code_memory(stacks);
	uint64_t left = JIT_LIST_SCAN, descriptor;

	for (size_t i = 0; i < snapshot->mapping_count && left > 0; i++) {
		const struct snapshot_mapping *mapping = &snapshot->mappings[i];
		struct cairn_range range = { mapping->low, mapping->high };

		if (!has_variables(snapshot, i))
			continue;
		if (range.high - range.low > left)
			range.high = range.low + left;
		left -= range.high - range.low;
		if (jit_list_scan(&memory, range, snapshot->big_endian, &descriptor) &&
		    read_list(stacks, descriptor)) {
			stacks->jit.searched = true;
			return;
		}
	}
}

/*
 * Find the JIT list through its symbol. Both the program and its libraries may contain a JIT
 * interface; use the first list with functions.
 */
static void look_for_list(struct cairn_stacks *stacks)
{
	static const char *const tables[] = { ".dynsym", ".symtab" };
	bool known = false;

	for (size_t i = 0; i < stacks->snapshot.module_count; i++) {
		const struct snapshot_module *module = &stacks->snapshot.modules[i];
		uint64_t va;

		stacks_find_file(stacks, i);
		for (size_t table = 0; table < 2 && module->has_bias && module->file.size > 0;
		     table++)
			if (jit_list_find_descriptor(module->file, tables[table], &va)) {
				known = true;
				if (read_list(stacks, va + module->bias))
					return;
				break;
			}
	}
	if (!known && stacks->snapshot.word == sizeof(uint64_t))
		scan_for_list(stacks);
}

static void look_for_files(struct cairn_stacks *stacks)
{
	const bool running = stacks->snapshot.kind == CAIRN_STACKS_PROCESS;
	const struct os_jit_process process = { .pid = stacks->snapshot.pid,
		                                .running = running,
		                                .directories =
		                                        running ? NULL : stacks->search.directories,
		                                .core = running ? NULL : stacks->options.path };
	char path[OS_JIT_PATH];

	stacks->jit.looked = true;
	look_for_list(stacks);
	if (stacks->options.open_jit) {
		read_map(stacks, stacks->options.open_jit(stacks->options.context));
		return;
	}
	look_for_dump(stacks, &process);
	read_map(stacks, os_jit_open_map(&process, path));
}

static bool find_in(struct jit_code *code, uint64_t pc, struct cairn_location *location)
{
	const struct jit_function *function = jit_code_find(code, pc);
	struct jit_line line;

	if (!function)
		return false;
	*location = (struct cairn_location){ .function = function->name,
		                             .start = function->start,
		                             .offset = pc - function->start,
		                             .size = range_location_size(function->size) };
	if (jit_code_find_line(code, function, pc, &line)) {
		location->file = line.file;
		location->line = line.line;
	}
	return true;
}

bool stacks_find_jit_code(struct cairn_stacks *stacks, uint64_t pc, struct cairn_location *location)
{
	if (!stacks->jit.looked)
		look_for_files(stacks);
	return find_in(&stacks->jit.list.code, pc, location) ||
	       find_in(&stacks->jit.dump.code, pc, location) ||
	       find_in(&stacks->jit.map.code, pc, location);
}

static struct hotspot *find_hotspot(struct cairn_stacks *stacks)
{
	const struct snapshot *snapshot = &stacks->snapshot;
	struct stacks_jit *jit = &stacks->jit;

	for (size_t i = 0; i < snapshot->module_count && !jit->hotspot_looked; i++) {
		if (snapshot->machine != CAIRN_MACHINE_AMD64 ||
		    !hotspot_is_module(snapshot->modules[i].path))
			continue;
		stacks_find_file(stacks, i);
		jit->hotspot = malloc(sizeof(*jit->hotspot));
		if (jit->hotspot &&
		    !hotspot_open(jit->hotspot, &snapshot->modules[i],
		                  stacks_jit_code_memory(stacks), stacks->memory.target)) {
			free(jit->hotspot);
			jit->hotspot = NULL;
		}
		break;
	}
	jit->hotspot_looked = true;
	return jit->hotspot;
}

static bool find_rule(void *context, uint64_t pc, const struct cairn_registers *frame,
                      struct cairn_rule *rule)
{
	struct cairn_stacks *stacks = context;

	if (!stacks->jit.looked)
		look_for_files(stacks);
	const enum cairn_machine machine = stacks->snapshot.machine;
	if ((machine == CAIRN_MACHINE_AMD64 || machine == CAIRN_MACHINE_AARCH64) &&
	    (registered_code_find_rule(&stacks->jit.list.search, pc, rule) ||
	     registered_code_find_rule(&stacks->jit.dump.search, pc, rule)))
		return true;
	struct hotspot *hotspot = find_hotspot(stacks);
	return hotspot && hotspot_find_rule(hotspot, pc, frame, rule);
}

void stacks_set_jit_rules(struct cairn_stacks *stacks)
{
	stacks->jit.list.search.code = &stacks->jit.list.code;
	stacks->jit.dump.search.code = &stacks->jit.dump.code;
	space_set_jit_code_rules(stacks->space, (struct jit_code_rules){ find_rule, stacks, NULL });
}

void stacks_close_jit(struct stacks_jit *jit)
{
	registered_code_finish(&jit->list);
	free(jit->entered);
	free(jit->hotspot);
	registered_code_finish(&jit->dump);
	registered_code_finish(&jit->map);
}

enum { PAGE = 4096 };

struct giving {
	struct cairn_stacks *stacks;
	struct cairn_target memory;
	uint64_t left;
	const struct stacks_memory_sink *sink;
};

bool stacks_note_made_frame(struct cairn_stacks *stacks, uint64_t pc)
{
	struct stacks_jit *jit = &stacks->jit;
	struct cairn_location location;

	if (snapshot_find_module(&stacks->snapshot, pc) ||
	    !stacks_find_jit_code(stacks, pc, &location))
		return true;
	const struct jit_function *function = jit_code_find(&jit->list.code, pc);
	if (!function)
		return true;
	if (!jit->entered)
		jit->entered = calloc(jit->list.code.count, sizeof(*jit->entered));
	if (!jit->entered)
		return false;
	jit->entered[function - jit->list.code.function] = true;
	return true;
}

static bool give_bytes(struct giving *g, uint64_t address, struct cairn_bytes bytes)
{
	g->left -= bytes.size;
	return g->sink->take(g->sink->context, address, bytes);
}

/*
 * Pass a range of memory to the callback. Skip memory that is no longer readable. Return false if
 * allocation fails.
 */
static bool give_range(struct giving *g, uint64_t address, size_t size)
{
	uint8_t bytes[2 * PAGE];

	if (size > g->left || !jit_list_read_memory(&g->memory, address, bytes, size))
		return true;
	return give_bytes(g, address, (struct cairn_bytes){ bytes, size });
}

/*
 * Pass the list's descriptor to the callback. If the descriptor was found by scanning, pass its
 * whole page, so that a reader of the capture can find it by scanning as well.
 */
static bool give_descriptor(struct giving *g)
{
	const uint64_t descriptor = g->stacks->jit.descriptor, in_page = descriptor % PAGE;
	const bool crosses = in_page > PAGE - JIT_LIST_DESCRIPTOR;

	return (!g->stacks->jit.searched ||
	        give_range(g, descriptor - in_page, crosses ? 2 * PAGE : PAGE)) &&
	       give_range(g, descriptor, JIT_LIST_DESCRIPTOR);
}

/*
 * Return true if a frame is in one of the functions of the object. Applies the object's relocations
 * in place, so `object` must be a copy.
 */
static bool is_object_entered(const struct cairn_stacks *stacks, struct byte_buffer *object)
{
	struct byte_buffer dump = { .limit = JIT_LIST_OBJECT, .big = stacks->snapshot.big_endian };
	struct jit_code code;
	bool entered = false;

	jit_object_relocate(object->data, object->size);
	jit_list_begin(&dump);
	if (jit_object_append((struct cairn_bytes){ object->data, object->size }, &dump) &&
	    jit_code_read(&code, (struct cairn_bytes){ dump.data, dump.size }, NULL) == CAIRN_OK) {
		const struct jit_code *list = &stacks->jit.list.code;
		for (size_t i = 0; i < code.count && !entered; i++) {
			const struct jit_function *function =
				jit_code_find(list, code.function[i].start);
			entered = function && stacks->jit.entered[function - list->function];
		}
		jit_code_finish(&code);
	}
	byte_buffer_finish(&dump);
	return entered;
}

/*
 * Pass an entry's object file to the callback if `all` is set or a frame is in its code. Clear the
 * entry's size, so that the object file is not passed twice.
 */
static bool give_object(struct giving *g, struct jit_list_entry *entry, bool all)
{
	struct byte_buffer object = { .limit = JIT_LIST_OBJECT };
	struct byte_buffer copy = { .limit = JIT_LIST_OBJECT };
	bool ok = true;

	if (entry->size > 0 && entry->size <= g->left &&
	    jit_list_read_object(&g->memory, entry, &object) && object.size > 0) {
		byte_buffer_bytes(&copy, object.data, object.size);
		if (all || (!copy.failed && is_object_entered(g->stacks, &copy))) {
			ok = give_bytes(g, entry->object,
			                (struct cairn_bytes){ object.data, object.size });
			entry->size = 0;
		}
	}
	byte_buffer_finish(&copy);
	byte_buffer_finish(&object);
	return ok;
}

static bool give_objects(struct giving *g, struct jit_list *list, bool all)
{
	bool ok = true;

	for (size_t i = 0; ok && i < list->count; i++)
		ok = give_object(g, &list->entry[i], all);
	return ok;
}

bool stacks_give_jit_code(struct cairn_stacks *stacks, uint64_t most,
                          const struct stacks_memory_sink *sink)
{
	struct giving g = { stacks, stacks_jit_code_memory(stacks), most, sink };
	WITH_CLEANUP(jit_list_finish) struct jit_list list = { .limit = JIT_LIST_MAX };
	struct cairn_fault fault;

	if (!stacks->jit.entered || jit_list_open(&list, &g.memory, stacks->jit.descriptor,
	                                          stacks->snapshot.big_endian, &fault) != CAIRN_OK)
		return true;
	bool ok = give_descriptor(&g);
	for (size_t i = 0; ok && i < list.count; i++)
		ok = give_range(&g, list.entry[i].at, JIT_LIST_ENTRY);
	return ok && (list.bytes <= g.left || give_objects(&g, &list, false)) &&
	       give_objects(&g, &list, true);
}
