/* SPDX-License-Identifier: MIT */
/* Puts together the segments of a core that a minidump becomes: its memory, and around it the mappings of modules. */
#include "reopened.h"

#include "base/array_grow.h"
#include "base/bisect.h"
#include "loader.h"
#include "process/snapshot/snapshot_modules.h"
#include "unwind/target/core_file.h"

#include <stdlib.h>

enum { PAGE = 4096 };

/* That of the module's segment there, as a first page may have code (lld, gold); what is in no segment is data. */
static unsigned find_segment_access(const struct snapshot *snapshot, uint64_t address)
{
	const struct snapshot_module *module = snapshot_find_module(snapshot, address);
	struct elf_segment load;
	struct elf elf;

	if (!module || !module->has_bias || !reopened_open_elf(module, &elf))
		return SNAPSHOT_READ | SNAPSHOT_WRITE;
	for (uint32_t i = 0; elf_segment(&elf, i, &load); i++)
		if (load.type == ELF_PT_LOAD && address - module->bias - load.va < load.memory_size)
			return snapshot_segment_access(&load);
	return SNAPSHOT_READ | SNAPSHOT_WRITE;
}

static void add_part(struct reopened *r, const struct corefile_range *range, uint64_t low,
                     uint64_t high)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;
	const struct snapshot_mapping *mapping = snapshot_find_mapping(snapshot, low);
	const struct core_segment part = {
		low,
		high,
		mapping && mapping->has_access ? mapping->access
					       : find_segment_access(snapshot, low),
		{ range->bytes.data + (low - range->address), (size_t)(high - low) }
	};

	segment_map_add(&r->map, &part);
}

/* All memory that was captured is lent, but for heads of records that debuggers fail on. */
static void add_captured(struct reopened *r)
{
	const struct corefile *memory = r->stacks->snapshot.source;
	const struct vector_record *vectors = r->vectors->record;

	for (size_t i = 0; i < memory->count; i++) {
		const struct corefile_range *range = &memory->range[i];
		const uint64_t end = range->address + range->bytes.size;
		uint64_t low = range->address;
		for (size_t at = SORTED_BELOW(vectors, r->vectors->count, address, low);
		     at < r->vectors->count && vectors[at].address < end; at++) {
			if (low < vectors[at].address)
				add_part(r, range, low, vectors[at].address);
			low = vectors[at].address + VECTOR_RECORD_HEAD;
		}
		if (low < end)
			add_part(r, range, low, end);
	}
}

static void add_mapped_file(struct reopened *r, const struct core_mapped_file *file)
{
	if (file->low < file->high && !ARRAY_APPEND(r->files, r->file_count, r->file_room, *file))
		r->scarce = true;
}

/* The first page of its file identifies a module for debuggers. */
static void add_first_page(struct reopened *r, const struct snapshot_module *module)
{
	struct core_segment page = {
		module->low, module->low + PAGE, SNAPSHOT_READ, { module->file.data, PAGE }
	};
	struct elf_segment load;

	if (reopened_find_segment(module, ELF_PT_LOAD, &load))
		page.access = snapshot_segment_access(&load);
	if (module->file.size >= PAGE && module->high - module->low >= PAGE)
		segment_map_add(&r->map, &page);
}

/*
 * Can debuggers have it from the file? Not data that the program has written, nor code of which a file that stands in has no bytes. But GDB goes by no
 * call frame information of aarch64 where it cannot read the code: there it has zeros.
 */
static bool is_for_debuggers(const struct elf_segment *load, enum cairn_machine machine)
{
	if (load->flags & ELF_PF_EXECUTE)
		return load->file_size > 0 || machine == CAIRN_MACHINE_AARCH64;
	return load->file_size > 0 && !(load->flags & ELF_PF_WRITE);
}

/*
 * One mapping of a module's file: listed, and as a segment without bytes, which debuggers read from the file. What the file does not tell is neither:
 * they would show zeros, or what the variables had at the start.
 */
static void add_mapping(struct reopened *r, const struct snapshot_module *module,
                        const struct elf_segment *load)
{
	const uint64_t before = load->va % PAGE, low = load->va - before + module->bias;
	const uint64_t size = before + load->memory_size + PAGE - 1;
	const uint64_t in_file = before + load->file_size + PAGE - 1;
	const struct core_segment segment = { .low = low,
		                              .high = low + size - size % PAGE,
		                              .access = snapshot_segment_access(load) };
	const struct core_mapped_file file = { low, low + in_file - in_file % PAGE,
		                               load->offset - before, reopened_path(module) };

	if (low < module->low || load->memory_size > module->high - module->low ||
	    load->file_size > load->memory_size || load->offset < before ||
	    !is_for_debuggers(load, r->stacks->snapshot.machine))
		return;
	segment_map_add(&r->map, &segment);
	add_mapped_file(r, &file);
}

static void add_module(struct reopened *r, const struct snapshot_module *module)
{
	const struct core_segment all = { .low = module->low,
		                          .high = module->high,
		                          .access = SNAPSHOT_READ | SNAPSHOT_EXECUTE };
	const struct core_mapped_file file = { module->low, module->high, 0,
		                               reopened_path(module) };
	struct elf_segment load;
	struct elf elf;

	if (!reopened_open_elf(module, &elf)) {
		segment_map_add(&r->map, &all);
		add_mapped_file(r, &file);
		return;
	}
	add_first_page(r, module);
	for (uint32_t i = 0; elf_segment(&elf, i, &load); i++)
		if (load.type == ELF_PT_LOAD)
			add_mapping(r, module, &load);
}

bool reopened_make(struct reopened *r)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;

	r->program = loader_find_program(snapshot);
	r->list.limit = 1 << 26;
	r->dynamic.limit = 1 << 20;
	r->auxv.limit = 1 << 16;
	reopened_link(r);
	add_captured(r);
	for (size_t i = 0; i < snapshot->module_count; i++)
		if (reopened_is_linked(snapshot, &snapshot->modules[i]))
			add_module(r, &snapshot->modules[i]);
	reopened_make_auxv(r);
	return !r->scarce && !r->map.scarce && !r->list.failed && !r->dynamic.failed &&
	       !r->auxv.failed;
}

void reopened_finish(struct reopened *r)
{
	segment_map_finish(&r->map);
	free(r->files);
	byte_buffer_finish(&r->list);
	byte_buffer_finish(&r->dynamic);
	byte_buffer_finish(&r->auxv);
}
