/* SPDX-License-Identifier: MIT */
/*
 * Implements cairn_core_write(): writes a core from a minidump whose stacks are open, or from a
 * core with Swift tasks as further threads. Debuggers need more from a core than a minidump has:
 * the dynamic linker's link map, the program's dynamic section that leads to it, the list of mapped
 * files, the auxiliary vector, and the first page of each module. These parts are generated from
 * the minidump's modules and, if available, the files of the modules:
 *
 *	dynamic  = (tag:8 value:8)*, where DT_DEBUG points to r_debug
 *	r_debug  = version:4 gap:4 first:8 break:8 state:4 gap:4 base:8, followed by link_map* names
 *	link_map = bias:8 name:8 dynamic:8 next:8 previous:8
 *	auxv     = (type:8 value:8)*
 *
 * The kernel's signal frames on aarch64 contain records of scalable vector registers (SVE, SME). A
 * minidump does not contain these registers, so the core has no notes for them. Without the notes,
 * debuggers fail on such a record: GDB up to 13 loops on the first one, and later versions assume
 * that the interrupted frame belongs to a machine with different registers. Therefore the core
 * omits the header of each record, by which debuggers recognize it:
 *
 *	frame   = siginfo:128 context:176 fault:8 x0 to x30:8 sp:8 pc:8 pstate:8 gap:8 record*
 *	record  = magic:4 size:4 ...
 *	extra   = magic:4 size:4 address of further records:8 their size:4 gap:12
 */
#include <cairn.h>

#include "base/byte_buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/sized.h"
#include "base/sort.h"
#include "base/target_memory.h"
#include "loader.h"
#include "placeholders.h"
#include "process/snapshot/core_file.h"
#include "process/snapshot/snapshot_modules.h"
#include "writers/capture/core_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	/*
	 * lowest address for r_debug and the link map; programs map nothing below it, and rarely
	 * anything directly above
	 */
	LIST_LOW = 1 << 12,
	HEAD = 40,
	ENTRY = 40,
	DYNAMIC_ENTRY = 16,
	DYNAMIC_MAX = 1 << 16,
	DT_NULL = 0,
	DT_DEBUG = 21,
	AUXV_ENTRY = 16,
	AT_NULL = 0,
	AT_PHDR = 3,
	AT_PHENT = 4,
	AT_PHNUM = 5,
	AT_PAGESZ = 6,
	AT_BASE = 7,
	AT_ENTRY = 9,
	AT_HWCAP = 16,
	AT_SYSINFO_EHDR = 33,
	ENTRY_AT = 24,
	HWCAP_SIGNATURES = 1 << 30, /* PACA on aarch64: addresses may be signed */
	ADDRESS_BITS = 48,
	/*
	 * Number of top bits that never contain a signature: bit 55 distinguishes kernel from user
	 * addresses, and the bits above it are tags.
	 */
	ABOVE_SIGNATURE = 9,
	RECORDS_AT = 128 + 176 + 8 + 34 * 8 + 8,
	VECTOR_RECORD_HEAD = 8,
	VECTOR_RECORD_LEAST = 16,
	/*
	 * maximum number of SVE and SME records to hide; records in further signal frames are left
	 * unchanged
	 */
	VECTOR_RECORDS_MAX = 1 << 12,
	VECTOR_RECORDS_STEPS = 1 << 8,
};

#define SVE_MAGIC UINT32_C(0x53564501)
#define ZA_MAGIC UINT32_C(0x54366345)
#define EXTRA_MAGIC UINT32_C(0x45585401)

/*
 * Segments of the core to be written, sorted and disjoint. Earlier segments take precedence: bytes
 * that overlap an existing segment are not added.
 */
struct segment_map {
	struct core_segment *segments;
	size_t count, capacity;
	bool scarce;
};

struct vector_record {
	uint64_t address;
};

struct reopened {
	struct cairn_stacks *stacks;
	struct vector_record *vectors;
	size_t vector_count, vector_capacity;
	size_t program; /* program's module index; module_count if unknown */
	struct segment_map map;
	struct core_mapped_file *files;
	size_t file_count, file_capacity;
	struct byte_buffer list;
	struct byte_buffer dynamic;
	struct byte_buffer auxv;
	uint64_t list_at;
	bool program_made;
	bool scarce;
};

static size_t find_mapped_segment(const struct segment_map *map, uint64_t address)
{
	return SORTED_UP_TO(map->segments, map->count, high, address);
}

static void insert_part(struct segment_map *map, size_t at, const struct core_segment *whole,
                        uint64_t low, uint64_t high)
{
	struct core_segment part = *whole;

	if (!array_grow(&map->segments, &map->capacity, map->count + 1, sizeof(*map->segments))) {
		map->scarce = true;
		return;
	}
	part.low = low;
	part.high = high;
	if (part.bytes.size > 0)
		part.bytes = (struct cairn_bytes){ whole->bytes.data + (low - whole->low),
			                           (size_t)(high - low) };
	memmove(&map->segments[at + 1], &map->segments[at],
	        (map->count - at) * sizeof(*map->segments));
	map->segments[at] = part;
	map->count++;
}

static void segment_map_add(struct segment_map *map, const struct core_segment *segment)
{
	uint64_t at = segment->low;

	while (at < segment->high && !map->scarce) {
		const size_t next = find_mapped_segment(map, at);
		const struct core_segment *taken = next < map->count ? &map->segments[next] : NULL;
		if (taken && taken->low <= at) {
			at = taken->high;
			continue;
		}
		const uint64_t high =
			taken && taken->low < segment->high ? taken->low : segment->high;
		insert_part(map, next, segment, at, high);
		at = high;
	}
}

/* Return the lowest page-aligned address >= `low` with `size` free bytes, or 0. */
static uint64_t segment_map_find_capacity(const struct segment_map *map, uint64_t low,
                                          uint64_t size)
{
	uint64_t at = low;

	for (size_t i = find_mapped_segment(map, low); i < map->count; i++) {
		const struct core_segment *segment = &map->segments[i];
		if (segment->low >= at && segment->low - at >= size)
			return at;
		if (segment->high > UINT64_MAX - PAGE)
			return 0;
		at = (segment->high + PAGE - 1) / PAGE * PAGE;
	}
	return size <= UINT64_MAX - at ? at : 0;
}

static void segment_map_finish(struct segment_map *map)
{
	free(map->segments);
}

/*
 * Find the first SVE or SME record at or after *at, and set *at to its address. Return false if no
 * record is found.
 */
static bool find_vectors(const struct cairn_target *target, uint64_t *at)
{
	uint8_t head[VECTOR_RECORD_HEAD], place[8];

	for (size_t i = 0; i < VECTOR_RECORDS_STEPS && memory_read(target, *at, head, sizeof(head));
	     i++) {
		const uint32_t magic = bytes_u32(head, false), size = bytes_u32(head + 4, false);
		if (magic == SVE_MAGIC || magic == ZA_MAGIC)
			return true;
		if (magic == 0 || size < VECTOR_RECORD_LEAST)
			return false;
		if (magic != EXTRA_MAGIC)
			*at += size;
		else if (memory_read(target, *at + VECTOR_RECORD_HEAD, place, sizeof(place)))
			*at = bytes_u64(place, false);
		else
			return false;
	}
	return false;
}

static void take_frame(struct reopened *r)
{
	const struct cairn_stacks *stacks = r->stacks;
	const struct cairn_registers *frame = &stacks->walk.registers;
	const unsigned sp = arch_of(CAIRN_MACHINE_AARCH64)->sp;
	struct vector_record record = { frame->value[sp] + RECORDS_AT };

	if (stacks_is_async(stacks) || !stacks->walk.step.signal || !register_known(frame, sp) ||
	    r->vector_count == VECTOR_RECORDS_MAX ||
	    !find_vectors(&stacks->memory.target, &record.address))
		return;
	if (!ARRAY_APPEND(r->vectors, r->vector_count, r->vector_capacity, record))
		r->scarce = true;
}

/*
 * Find the SVE and SME records in the signal frames of all threads. Ends the current walk. Return
 * false if allocation fails.
 */
static bool find_vector_records(struct reopened *r)
{
	if (r->stacks->snapshot.machine != CAIRN_MACHINE_AARCH64)
		return true;
	for (size_t i = 0; i < r->stacks->snapshot.thread_count && !r->scarce; i++)
		for (bool more = cairn_stacks_begin(r->stacks, i); more;
		     more = cairn_stacks_next(r->stacks))
			take_frame(r);
	SORT_BY_FIRST(r->vectors, r->vector_count, address);
	return !r->scarce;
}

/*
 * List module indices in the order of the link map, which begins with the program. Return their
 * number.
 */
static size_t list_modules(const struct reopened *r, size_t *numbers)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;
	size_t listed = 0;

	numbers[listed++] = r->program;
	for (size_t i = 0; i < snapshot->module_count; i++)
		if (i != r->program && module_is_linked(snapshot, &snapshot->modules[i]))
			numbers[listed++] = i;
	return listed;
}

/*
 * Return the address of the module's dynamic section. If it is unknown, return any address in the
 * module, which suffices for readers to identify the module.
 */
static uint64_t find_dynamic(const struct snapshot_module *module)
{
	struct elf_segment segment;

	return module_find_segment(module, ELF_PT_DYNAMIC, &segment) ? segment.va + module->bias
	                                                             : module->low;
}

static struct cairn_bytes name_in_list(const struct reopened *r, size_t number)
{
	return number == r->program ? (struct cairn_bytes){ (const uint8_t *)"", 0 }
	                            : module_path(&r->stacks->snapshot.modules[number]);
}

static uint64_t measure_list(const struct reopened *r, const size_t *numbers, size_t count)
{
	uint64_t size = HEAD + count * ENTRY;

	for (size_t i = 0; i < count; i++)
		size += name_in_list(r, numbers[i]).size + 1;
	return size;
}

static void put_list(struct reopened *r, const size_t *numbers, size_t count, uint64_t base)
{
	uint64_t name = r->list_at + HEAD + count * ENTRY;
	struct byte_buffer *out = &r->list;

	byte_buffer_number(out, 1, 8);
	byte_buffer_number(out, r->list_at + HEAD, 8);
	byte_buffer_number(out, 0, 8);
	byte_buffer_number(out, 0, 8);
	byte_buffer_number(out, base, 8);
	for (size_t i = 0; i < count; i++) {
		const struct snapshot_module *module = &r->stacks->snapshot.modules[numbers[i]];
		const uint64_t own = r->list_at + HEAD + i * ENTRY;
		byte_buffer_number(out, module->bias, 8);
		byte_buffer_number(out, name, 8);
		byte_buffer_number(out, find_dynamic(module), 8);
		byte_buffer_number(out, i + 1 < count ? own + ENTRY : 0, 8);
		byte_buffer_number(out, i > 0 ? own - ENTRY : 0, 8);
		name += name_in_list(r, numbers[i]).size + 1;
	}
	for (size_t i = 0; i < count; i++) {
		const struct cairn_bytes text = name_in_list(r, numbers[i]);
		byte_buffer_bytes(out, text.data, text.size);
		byte_buffer_u8(out, 0);
	}
}

/*
 * Copy the program's dynamic section from its file, and set its DT_DEBUG entry to the address of
 * r_debug. Return false if the file lacks the section or the section lacks a DT_DEBUG entry.
 */
static bool put_dynamic(struct reopened *r, const struct elf_segment *segment)
{
	const struct snapshot_module *module = &r->stacks->snapshot.modules[r->program];
	struct cairn_bytes file = module->file;
	uint64_t tag = 1;
	bool leads = false;

	if (segment->offset > file.size || segment->file_size > file.size - segment->offset)
		return false;
	file = (struct cairn_bytes){ file.data + segment->offset, (size_t)segment->file_size };
	for (size_t at = 0; tag != DT_NULL && file.size - at >= DYNAMIC_ENTRY && at < DYNAMIC_MAX;
	     at += DYNAMIC_ENTRY) {
		tag = bytes_u64(file.data + at, false);
		leads = leads || tag == DT_DEBUG;
		byte_buffer_number(&r->dynamic, tag, 8);
		byte_buffer_number(
			&r->dynamic,
			tag == DT_DEBUG ? r->list_at : bytes_u64(file.data + at + 8, false), 8);
	}
	return leads;
}

static bool equals_name(struct cairn_bytes path, struct cairn_bytes name)
{
	return path.size >= name.size && name.size > 0 &&
	       memcmp(path.data + path.size - name.size, name.data, name.size) == 0 &&
	       (path.size == name.size || path.data[path.size - name.size - 1] == '/');
}

static uint64_t find_linker_base(const struct reopened *r)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;
	const struct snapshot_module *program = &snapshot->modules[r->program];
	struct elf_segment segment;

	if (!module_find_segment(program, ELF_PT_INTERP, &segment) ||
	    segment.offset > program->file.size || segment.file_size < 2 ||
	    segment.file_size > program->file.size - segment.offset)
		return 0;
	const struct cairn_bytes name = base_name((struct cairn_bytes){
		program->file.data + segment.offset, (size_t)segment.file_size - 1 });
	for (size_t i = 0; i < snapshot->module_count; i++)
		if (equals_name(snapshot->modules[i].path, name))
			return snapshot->modules[i].low;
	return 0;
}

/* Return an unmapped address with `size` free bytes, or 0 if there is no such address. */
static uint64_t find_place(const struct reopened *r, uint64_t size)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;
	struct segment_map taken = { .segments = NULL };

	for (size_t i = 0; i < snapshot->mapping_count; i++)
		segment_map_add(&taken,
		                &(struct core_segment){ .low = snapshot->mappings[i].low,
		                                        .high = snapshot->mappings[i].high });
	for (size_t i = 0; i < snapshot->module_count; i++)
		segment_map_add(&taken,
		                &(struct core_segment){ .low = snapshot->modules[i].low,
		                                        .high = snapshot->modules[i].high });
	const uint64_t place = taken.scarce ? 0 : segment_map_find_capacity(&taken, LIST_LOW, size);
	segment_map_finish(&taken);
	return place;
}

static void add_made_segment(struct reopened *r, uint64_t low, const struct byte_buffer *bytes)
{
	const struct core_segment segment = {
		low, low + bytes->size, SNAPSHOT_READ | SNAPSHOT_WRITE, { bytes->data, bytes->size }
	};

	segment_map_add(&r->map, &segment);
}

/* Return the address of _r_debug, the head of the link map, in a static program, or 0. */
static uint64_t find_static_head(const struct snapshot_module *program)
{
	struct elf_symbol symbol;
	struct elf elf;

	return module_open_elf(program, &elf) && elf_find_symbol(&elf, ".symtab", "_r_debug",
	                                                         ELF_STT_OBJECT, HEAD, &symbol)
	               ? symbol.va + program->bias
	               : 0;
}

/* Add an empty r_debug for a static program. GDB reads it and complains if it is unreadable. */
static void link_static(struct reopened *r)
{
	const uint64_t head = find_static_head(&r->stacks->snapshot.modules[r->program]);

	if (head == 0)
		return;
	for (unsigned i = 0; i < HEAD; i += 8)
		byte_buffer_number(&r->list, 0, 8);
	add_made_segment(r, head, &r->list);
}

static void reopened_link(struct reopened *r)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;
	struct elf_segment segment;
	size_t count;

	if (r->program >= snapshot->module_count)
		return;
	if (!module_find_segment(&snapshot->modules[r->program], ELF_PT_DYNAMIC, &segment)) {
		link_static(r);
		return;
	}
	size_t *numbers = calloc(snapshot->module_count + 1, sizeof(*numbers));
	if (!numbers) {
		r->scarce = true;
		return;
	}
	count = list_modules(r, numbers);
	r->list_at = find_place(r, measure_list(r, numbers, count));
	if (r->list_at != 0 && put_dynamic(r, &segment)) {
		put_list(r, numbers, count, find_linker_base(r));
		add_made_segment(r, segment.va + snapshot->modules[r->program].bias, &r->dynamic);
		add_made_segment(r, r->list_at, &r->list);
	}
	free(numbers);
}

static void put_entry(struct byte_buffer *out, uint64_t type, uint64_t value)
{
	byte_buffer_number(out, type, 8);
	byte_buffer_number(out, value, 8);
}

static void put_program(struct reopened *r, const struct snapshot_module *program)
{
	struct elf_segment headers;
	struct elf elf;

	if (!module_open_elf(program, &elf))
		return;
	/* without PT_PHDR, derive the address of the program headers from their file offset */
	put_entry(&r->auxv, AT_PHDR,
	          elf_find_segment(&elf, ELF_PT_PHDR, &headers) ? headers.va + program->bias
	                                                        : program->low + elf.segments_at);
	put_entry(&r->auxv, AT_PHENT, ELF_SEGMENT_WIDE);
	put_entry(&r->auxv, AT_PHNUM, elf.segments);
	put_entry(&r->auxv, AT_ENTRY, bytes_u64(elf.bytes.data + ENTRY_AT, false) + program->bias);
	put_entry(&r->auxv, AT_BASE, find_linker_base(r));
}

/*
 * Copy the auxiliary vector from the minidump. Omit entries about the program's file, because a
 * placeholder replaces it.
 */
static void copy_auxv(struct reopened *r, const struct snapshot *snapshot)
{
	const struct cairn_bytes auxv = snapshot->auxv;

	for (size_t at = 0; auxv.size - at >= AUXV_ENTRY; at += AUXV_ENTRY) {
		const uint64_t type = bytes_u64(auxv.data + at, false);
		if (type == AT_NULL)
			return;
		if (type != AT_PHDR && type != AT_PHENT && type != AT_PHNUM && type != AT_ENTRY)
			put_entry(&r->auxv, type, bytes_u64(auxv.data + at + 8, false));
	}
}

/*
 * Return the hardware capabilities. If the minidump does not show whether addresses are signed,
 * claim that they may be, which does no harm if they are not.
 */
static uint64_t find_hwcap(const struct snapshot *snapshot)
{
	uint64_t told;

	if (snapshot_auxv(snapshot, AT_HWCAP, &told))
		return told;
	return snapshot->machine == CAIRN_MACHINE_AARCH64 ? HWCAP_SIGNATURES : 0;
}

static uint64_t reopened_signature_bits(const struct reopened *r)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;
	const uint64_t bits = snapshot_signature_bits(snapshot) | UINT64_MAX << ADDRESS_BITS;

	return snapshot->machine == CAIRN_MACHINE_AARCH64 && find_hwcap(snapshot) & HWCAP_SIGNATURES
	               ? bits & UINT64_MAX >> ABOVE_SIGNATURE
	               : 0;
}

static void reopened_make_auxv(struct reopened *r)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;
	uint64_t headers;
	const bool known = snapshot_auxv(snapshot, AT_PHDR, &headers);

	if (known && !r->program_made) {
		byte_buffer_bytes(&r->auxv, snapshot->auxv.data, snapshot->auxv.size);
		return;
	}
	if (known) {
		copy_auxv(r, snapshot);
	} else {
		put_entry(&r->auxv, AT_PAGESZ, PAGE);
		if (find_hwcap(snapshot) != 0)
			put_entry(&r->auxv, AT_HWCAP, find_hwcap(snapshot));
	}
	if (r->program < snapshot->module_count)
		put_program(r, &snapshot->modules[r->program]);
	for (size_t i = 0; i < snapshot->module_count && !known; i++)
		if (!module_is_linked(snapshot, &snapshot->modules[i]) &&
		    !snapshot->modules[i].remapped)
			put_entry(&r->auxv, AT_SYSINFO_EHDR, snapshot->modules[i].low);
	put_entry(&r->auxv, AT_NULL, 0);
}

/*
 * Return the access mode of the module's segment at `address`, or that of data outside of all
 * segments. The page with the ELF header is not always data: lld and gold can put it into the
 * segment of the code.
 */
static unsigned find_segment_access(const struct snapshot *snapshot, uint64_t address)
{
	const struct snapshot_module *module = snapshot_find_module(snapshot, address);
	struct elf_segment load;
	struct elf elf;

	if (!module || !module->has_bias || !module_open_elf(module, &elf))
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

/*
 * Add all captured memory except the headers of SVE and SME records, because GDB loops on these
 * records or misreads the interrupted frame if the core lacks the registers.
 */
static void add_captured(struct reopened *r)
{
	const struct corefile *memory = r->stacks->snapshot.source;
	const struct vector_record *vectors = r->vectors;

	for (size_t i = 0; i < memory->count; i++) {
		const struct corefile_range *range = &memory->range[i];
		const uint64_t end = range->address + range->bytes.size;
		uint64_t low = range->address;
		for (size_t at = SORTED_BELOW(vectors, r->vector_count, address, low);
		     at < r->vector_count && vectors[at].address < end; at++) {
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
	if (file->low < file->high &&
	    !ARRAY_APPEND(r->files, r->file_count, r->file_capacity, *file))
		r->scarce = true;
}

static void add_first_page(struct reopened *r, const struct snapshot_module *module)
{
	struct core_segment page = {
		module->low, module->low + PAGE, SNAPSHOT_READ, { module->file.data, PAGE }
	};
	struct elf_segment load;

	if (module_find_segment(module, ELF_PT_LOAD, &load))
		page.access = snapshot_segment_access(&load);
	if (module->file.size >= PAGE && module->high - module->low >= PAGE)
		segment_map_add(&r->map, &page);
}

/*
 * Return true if debuggers should read the segment from the file. Exclude writable data, because
 * the program may have changed it, and data that has no contents in the file. Code without contents
 * is found only in a placeholder that stands in for a missing file; include it, as zeros, on
 * aarch64 only, because GDB on aarch64 ignores call frame information for unreadable code.
 */
static bool is_for_debuggers(const struct elf_segment *load, enum cairn_machine machine)
{
	if (load->flags & ELF_PF_EXECUTE)
		return load->file_size > 0 || machine == CAIRN_MACHINE_AARCH64;
	return load->file_size > 0 && !(load->flags & ELF_PF_WRITE);
}

/*
 * Add a segment of a module's file to the list of mapped files, and to the core as a segment
 * without contents, so that debuggers read it from the file. Omit segments that the file cannot
 * supply, because debuggers would show zeros, or initial values of variables.
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
		                               load->offset - before, module_path(module) };

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
	const struct core_mapped_file file = { module->low, module->high, 0, module_path(module) };
	struct elf_segment load;
	struct elf elf;

	if (!module_open_elf(module, &elf)) {
		segment_map_add(&r->map, &all);
		add_mapped_file(r, &file);
		return;
	}
	add_first_page(r, module);
	for (uint32_t i = 0; elf_segment(&elf, i, &load); i++)
		if (load.type == ELF_PT_LOAD)
			add_mapping(r, module, &load);
}

static bool reopened_make(struct reopened *r)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;

	r->program = loader_find_program(snapshot);
	r->list.limit = 1 << 26;
	r->dynamic.limit = 1 << 20;
	r->auxv.limit = 1 << 16;
	reopened_link(r);
	add_captured(r);
	for (size_t i = 0; i < snapshot->module_count; i++)
		if (module_is_linked(snapshot, &snapshot->modules[i]))
			add_module(r, &snapshot->modules[i]);
	reopened_make_auxv(r);
	return !r->scarce && !r->map.scarce && !r->list.failed && !r->dynamic.failed &&
	       !r->auxv.failed;
}

static void reopened_finish(struct reopened *r)
{
	segment_map_finish(&r->map);
	free(r->files);
	free(r->vectors);
	byte_buffer_finish(&r->list);
	byte_buffer_finish(&r->dynamic);
	byte_buffer_finish(&r->auxv);
}

/* Count all modules and the modules without files. Return true if the program's file is missing. */
static bool fill_found_files(const struct cairn_stacks *stacks, struct cairn_core_summary *summary)
{
	const struct snapshot *snapshot = &stacks->snapshot;
	const size_t program = loader_find_program(snapshot);

	for (size_t i = 0; i < snapshot->module_count; i++) {
		const struct snapshot_module *module = &snapshot->modules[i];
		const bool linked = module_is_linked(snapshot, module);
		summary->modules += linked;
		summary->missing += linked && module->file.size == 0;
	}
	return program < snapshot->module_count && snapshot->modules[program].file.size == 0;
}

/* Store the path of the program's file, because it must outlive a placeholder for the file. */
static void fill_program(struct cairn_stacks *stacks, struct cairn_core_summary *summary)
{
	struct snapshot *snapshot = &stacks->snapshot;
	const size_t program = loader_find_program(snapshot);

	if (program < snapshot->module_count)
		summary->program = snapshot_keep(snapshot, snapshot->modules[program].file_path);
}

static enum cairn_status place_files(const struct placeholders *made,
                                     const struct cairn_core_options *options,
                                     struct cairn_error *error)
{
	for (size_t i = 0; i < made->count; i++) {
		const struct placeholder_file *file = &made->file[i];
		const int failed =
			options->write_file(options->context, file->path, file->part, file->parts);
		if (failed)
			return error_set_system(error, failed, file->path, "cannot write");
	}
	return CAIRN_OK;
}

static enum cairn_status write_core(const struct reopened *r,
                                    const struct cairn_core_options *options,
                                    struct cairn_core_summary *summary, struct cairn_error *error)
{
	const struct core_draft draft = { .snapshot = &r->stacks->snapshot,
		                          .segments = r->map.segments,
		                          .segment_count = r->map.count,
		                          .files = r->files,
		                          .file_count = r->file_count,
		                          .signature_bits = reopened_signature_bits(r),
		                          .auxv = { r->auxv.data, r->auxv.size },
		                          .name = base_name(r->stacks->snapshot.program) };
	struct core_output output = { options->write, options->context, 0 };
	struct cairn_fault fault;
	const enum cairn_status status = core_write(&draft, &output, &summary->bytes, &fault);

	if (output.error)
		error_set_system(error, output.error, NULL, "the core cannot be written");
	else if (status != CAIRN_OK)
		error_set_fault(error, NULL, NULL, &fault, NULL);
	return status;
}

static enum cairn_status make_core(struct reopened *r, const struct cairn_core_options *options,
                                   struct cairn_core_summary *summary, struct cairn_error *error)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;
	const bool stand_in = options->directory && options->write_file && !snapshot->big_endian &&
	                      (snapshot->machine == CAIRN_MACHINE_AMD64 ||
	                       snapshot->machine == CAIRN_MACHINE_AARCH64);
	enum cairn_status status = CAIRN_OK;
	struct placeholders made;

	cairn_stacks_find_files(r->stacks);
	r->program_made = fill_found_files(r->stacks, summary) && stand_in;
	if (!find_vector_records(r))
		return error_set_memory(error, NULL);
	if (stand_in)
		status = placeholders_make(&made, r->stacks, options->directory)
		                 ? place_files(&made, options, error)
		                 : error_set_memory(error, NULL);
	if (status == CAIRN_OK)
		status = reopened_make(r) ? write_core(r, options, summary, error)
		                          : error_set_memory(error, NULL);
	summary->threads = snapshot->thread_count;
	summary->linked = r->list.size > 0;
	fill_program(r->stacks, summary);
	if (stand_in) {
		summary->placed = made.count;
		summary->ambiguous = made.rows.ambiguous + made.rows.left_out;
		placeholders_finish(&made);
	}
	return status;
}

/*
 * Adds a core's Swift tasks as threads. The frames of a task are contexts on the heap, so for each
 * task we create a stack that leads a debugger from frame to frame. Each frame's pc is the first
 * byte of a function, where a frame consists of only the return address. Because debuggers look up
 * the byte before a return address, we store the caller's pc plus 1.
 */

enum {
	WORD = 8,
	AMD64_SP = 7,
	/* size of the zeros that end a task's stack after the outermost frame */
	TASK_END = 4 * WORD,
	TASK_STACKS_MAX = 1 << 28,
	TASK_NAME = 32,
};

struct task_stacks {
	struct byte_buffer bytes;
	size_t first; /* index of the first thread that is a task */
};

static void walk_threads(struct cairn_stacks *stacks)
{
	for (size_t i = 0; i < cairn_stacks_threads(stacks); i++)
		for (bool more = cairn_stacks_begin(stacks, i); more;
		     more = cairn_stacks_next(stacks))
			;
}

/*
 * Add a thread for a task that no thread runs. Until place_tasks() is called, its stack pointer is
 * an offset in tasks->bytes.
 */
static bool add_task(struct reopened *r, struct task_stacks *tasks, size_t number)
{
	struct cairn_stacks *stacks = r->stacks;
	struct byte_buffer *out = &tasks->bytes;
	struct cairn_stack_frame frame = CAIRN_SIZED(struct cairn_stack_frame);
	struct cairn_task task = CAIRN_SIZED(struct cairn_task);
	char name[TASK_NAME];

	if (!cairn_stacks_task(stacks, number, &task) || task.tid != 0 ||
	    !cairn_stacks_begin_task(stacks, number))
		return true;
	cairn_stacks_frame(stacks, &frame);
	struct snapshot_thread *thread = snapshot_add_thread(&stacks->snapshot);
	if (!thread)
		return false;
	thread->tid = CAIRN_CORE_TASK + (uint32_t)task.id;
	thread->registers.machine = stacks->snapshot.machine;
	thread->registers.pc = frame.pc;
	register_set(&thread->registers, AMD64_SP, out->size);
	while (cairn_stacks_next(stacks)) {
		cairn_stacks_frame(stacks, &frame);
		byte_buffer_number(out, frame.pc + 1, WORD);
	}
	for (size_t i = 0; i < TASK_END; i += WORD)
		byte_buffer_number(out, 0, WORD);
	snprintf(name, sizeof(name), "task_%" PRIu64, task.id);
	thread->name = snapshot_keep_string(&stacks->snapshot, name);
	return !out->failed;
}

static bool place_tasks(struct reopened *r, const struct task_stacks *tasks)
{
	struct snapshot *snapshot = &r->stacks->snapshot;
	const uint64_t low = find_place(r, tasks->bytes.size);

	if (low == 0 && tasks->bytes.size > 0)
		return false;
	for (size_t i = tasks->first; i < snapshot->thread_count; i++)
		snapshot->threads[i].registers.value[AMD64_SP] += low;
	add_made_segment(r, low, &tasks->bytes);
	return true;
}

static void copy_core(struct reopened *r)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;

	add_captured(r);
	for (size_t i = 0; i < snapshot->mapping_count; i++) {
		const struct snapshot_mapping *mapping = &snapshot->mappings[i];
		segment_map_add(&r->map, &(struct core_segment){ .low = mapping->low,
		                                                 .high = mapping->high,
		                                                 .access = mapping->access });
		if (mapping->has_file)
			add_mapped_file(r, &(struct core_mapped_file){ mapping->low, mapping->high,
			                                               mapping->offset,
			                                               mapping->path });
	}
	byte_buffer_bytes(&r->auxv, snapshot->auxv.data, snapshot->auxv.size);
}

static enum cairn_status make_task_core(struct reopened *r,
                                        const struct cairn_core_options *options,
                                        struct cairn_core_summary *summary,
                                        struct cairn_error *error)
{
	struct cairn_stacks *stacks = r->stacks;
	struct snapshot *snapshot = &stacks->snapshot;
	struct task_stacks tasks = { .bytes = { .limit = TASK_STACKS_MAX },
		                     .first = snapshot->thread_count };
	enum cairn_status status = CAIRN_OK;
	size_t count;

	if (snapshot->machine != CAIRN_MACHINE_AMD64)
		return error_set(error, CAIRN_UNSUPPORTED, NULL,
		                 "tasks can be shown as threads only for cores of amd64 programs");
	cairn_stacks_find_files(stacks);
	walk_threads(stacks);
	const char *why = cairn_stacks_find_tasks(stacks, &count);
	if (why)
		return error_set(error, CAIRN_NOT_FOUND, NULL, "%s", why);
	r->auxv.limit = 1 << 16;
	bool good = stacks_reserve_threads(stacks, count);
	for (size_t i = 0; good && i < count; i++)
		good = add_task(r, &tasks, i);
	if (good)
		copy_core(r);
	if (!good || r->scarce || !place_tasks(r, &tasks) || r->map.scarce || r->auxv.failed)
		status = error_set_memory(error, NULL);
	else
		status = write_core(r, options, summary, error);
	fill_found_files(stacks, summary);
	fill_program(stacks, summary);
	summary->threads = snapshot->thread_count;
	summary->tasks = snapshot->thread_count - tasks.first;
	byte_buffer_finish(&tasks.bytes);
	return status;
}

bool cairn_core_next_thread(struct cairn_stacks *stacks, size_t *at, struct cairn_thread *thread)
{
	size_t number;

	return core_next_thread(&stacks->snapshot, at, &number) &&
	       cairn_stacks_thread(stacks, number, thread);
}

enum cairn_status cairn_core_write(struct cairn_stacks *stacks,
                                   const struct cairn_core_options *options,
                                   struct cairn_core_summary *summary, struct cairn_error *error)
{
	struct cairn_core_options own = CAIRN_CORE_OPTIONS;
	struct cairn_core_summary filled = { .size = sizeof(filled) };
	struct reopened r = { .stacks = stacks };

	sized_take(&own, sizeof(own), options);
	if (stacks->snapshot.kind != (own.tasks ? CAIRN_STACKS_CORE : CAIRN_STACKS_MINIDUMP))
		return error_set(error, CAIRN_UNSUPPORTED, NULL,
		                 own.tasks ? "not a core file" : "not a minidump");
	const enum cairn_status status = own.tasks ? make_task_core(&r, &own, &filled, error)
	                                           : make_core(&r, &own, &filled, error);
	reopened_finish(&r);
	if (status == CAIRN_OK)
		sized_give(&filled, sizeof(filled), summary);
	return status;
}
