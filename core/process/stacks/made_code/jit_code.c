/* SPDX-License-Identifier: MIT */
/*
 * Names and lines of code that the program has made (JIT), by what it records of it: the list of GDB's JIT interface in its memory,
 * which is right at this moment; a jitdump, of which it maps a page,
 * so that its path is among the mappings, and a perf map.  Of a core both are looked for in the folders that the user
 * names, too.  Which files count is decided in os/process/jit_file.h.
 */
#include "process/stacks/stacks.h"

#include "base/range.h"
#include "hotspot.h"
#include "os/process/jit_file.h"
#include "process/registered/registered_code.h"
#include "process/running/process_snapshot.h"
#include "symbols/sources/jit/jit_list.h"

#include <stdlib.h>

static struct os_jit_process describe_process(const struct cairn_stacks *stacks)
{
	const bool running = stacks->snapshot.kind == CAIRN_STACKS_PROCESS;

	return (struct os_jit_process){ .pid = stacks->snapshot.pid,
		                        .running = running,
		                        .directories = running ? NULL : stacks->search.folders,
		                        .core = running ? NULL : stacks->options.path };
}

/* Reads a jitdump of that number; false: it is none. */
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

/* Reads a perf map, or what a host has opened while the process was there, which is one of both. */
static void read_map(struct cairn_stacks *stacks, int fd)
{
	struct registered_code *file = &stacks->jit.map;

	if (fd >= 0 && os_jit_read(fd, OS_JIT_MAP_MAX, &file->bytes) &&
	    jit_code_read(&file->code, file->bytes, NULL) != CAIRN_OK)
		registered_code_finish(file);
}

struct cairn_target stacks_made_code_memory(const struct cairn_stacks *stacks)
{
	return stacks->snapshot.kind == CAIRN_STACKS_PROCESS
	               ? process_snapshot_now(&stacks->snapshot)
	               : stacks->snapshot.memory;
}

/* Reads the list at the address; false: it is empty, or there is none. */
static bool read_list(struct cairn_stacks *stacks, uint64_t descriptor)
{
	const struct cairn_target memory = stacks_made_code_memory(stacks);
	const struct registered_program program = { .machine = stacks->snapshot.machine,
		                                    .big_endian = stacks->snapshot.big_endian,
		                                    .limit = stacks->size < JIT_LIST_MAX
		                                                     ? (size_t)stacks->size
		                                                     : JIT_LIST_MAX };
	struct cairn_fault fault;
	enum cairn_status status =
		registered_code_read(&stacks->jit.list, &memory, descriptor, &program, &fault);

	stacks->jit.descriptor = descriptor;
	/* A minidump has the objects that frames are in, and others as far as there is room. */
	if (fault.what &&
	    !(fault.status == CAIRN_UNREADABLE && stacks->snapshot.kind == CAIRN_STACKS_MINIDUMP))
		snapshot_add_problem(&stacks->snapshot, "made code", fault);
	return status == CAIRN_OK;
}

/* Has the mapping variables of a module: those of its file, or those behind them, which begin as zeros? */
static bool has_variables(const struct snapshot *snapshot, size_t index)
{
	const struct snapshot_mapping *mapping = &snapshot->mappings[index];

	return (mapping->access & SNAPSHOT_WRITE) &&
	       (mapping->has_file ||
	        (index > 0 && mapping[-1].has_file && mapping[-1].high == mapping->low));
}

/* No symbol table leads to the list: files of modules are not there, or have no symbols. */
static void scan_for_list(struct cairn_stacks *stacks)
{
	const struct snapshot *snapshot = &stacks->snapshot;
	const struct cairn_target memory = stacks_made_code_memory(stacks);
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

/* A program may have the interface itself, or in a library; the first one with a list counts. */
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
	const struct os_jit_process process = describe_process(stacks);
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

/* Open the code cache of the JVM, once, and return NULL if the program has none. */
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
		                  stacks_made_code_memory(stacks), stacks->memory.target)) {
			free(jit->hotspot);
			jit->hotspot = NULL;
		}
		break;
	}
	jit->hotspot_looked = true;
	return jit->hotspot;
}

/* A perf map has no rules. */
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
	space_set_made_code_rules(stacks->space,
	                          (struct made_code_rules){ find_rule, stacks, NULL });
}

void stacks_close_jit(struct stacks_jit *jit)
{
	registered_code_finish(&jit->list);
	free(jit->entered);
	free(jit->hotspot);
	registered_code_finish(&jit->dump);
	registered_code_finish(&jit->map);
}
