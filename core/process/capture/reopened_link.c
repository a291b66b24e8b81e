/* SPDX-License-Identifier: MIT */
/*
 * Makes what leads a debugger to the modules:
 *
 *	dynamic = (tag:8 value:8)*, of which DT_DEBUG leads to the list
 *	list    = version:4 gap:4 first:8 break:8 state:4 gap:4 base:8 (bias:8 name:8 dynamic:8 next:8 previous:8)* names
 *	auxv    = (type:8 value:8)*
 */
#include "reopened.h"

#include "base/base_name.h"
#include "base/bytes.h"
#include "base/bytes_compare.h"
#include "process/snapshot/snapshot_modules.h"

#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	LIST_LOW =
		1
		<< 12, /* below it nobody maps anything; from there on programs mostly have nothing */
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
	ENTRY_AT = 24,              /* e_entry */
	HWCAP_SIGNATURES = 1 << 30, /* of aarch64 (PACA): what may sign addresses */
	ADDRESS_BITS = 48,
	ABOVE_SIGNATURE = 9, /* bit 55, by which addresses are the kernel's, and tags */
};

/* Modules in the order of the list, the program first. */
static size_t list_modules(const struct reopened *r, size_t *numbers)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;
	size_t listed = 0;

	numbers[listed++] = r->program;
	for (size_t i = 0; i < snapshot->module_count; i++)
		if (i != r->program && reopened_is_linked(snapshot, &snapshot->modules[i]))
			numbers[listed++] = i;
	return listed;
}

/* Without a dynamic section, any place in the module, by which readers know it. */
static uint64_t find_dynamic(const struct snapshot_module *module)
{
	struct elf_segment segment;

	return reopened_find_segment(module, ELF_PT_DYNAMIC, &segment) ? segment.va + module->bias
	                                                               : module->low;
}

static struct cairn_bytes name_in_list(const struct reopened *r, size_t number)
{
	return number == r->program ? (struct cairn_bytes){ (const uint8_t *)"", 0 }
	                            : reopened_path(&r->stacks->snapshot.modules[number]);
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

/* The program's dynamic section, as its file has it, with where the list is; false: it has none to lead there. */
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

/* The dynamic linker's module: its name is in the program. Past the last: not known. */
static size_t find_linker(const struct reopened *r)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;
	const struct snapshot_module *program = &snapshot->modules[r->program];
	struct elf_segment segment;
	size_t i = 0;

	if (!reopened_find_segment(program, ELF_PT_INTERP, &segment) ||
	    segment.offset > program->file.size || segment.file_size < 2 ||
	    segment.file_size > program->file.size - segment.offset)
		return snapshot->module_count;
	struct cairn_bytes name = { program->file.data + segment.offset,
		                    (size_t)segment.file_size - 1 };
	name = base_name(name);
	while (i < snapshot->module_count && !equals_name(snapshot->modules[i].path, name))
		i++;
	return i;
}

static uint64_t find_linker_base(const struct reopened *r)
{
	const size_t linker = find_linker(r);

	return linker < r->stacks->snapshot.module_count ? r->stacks->snapshot.modules[linker].low
	                                                 : 0;
}

/* Everything that is mapped or captured, so that the list is where nothing is. */
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
	const uint64_t place = taken.scarce ? 0 : segment_map_find_room(&taken, LIST_LOW, size);
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

/* Where a static program has the head of the list, in a variable; 0: nowhere. */
static uint64_t find_static_head(const struct snapshot_module *program)
{
	struct elf_section table;
	struct elf_symbol symbol;
	struct elf elf;

	if (!reopened_open_elf(program, &elf) || !elf_find_section(&elf, ".symtab", &table))
		return 0;
	for (uint64_t i = 0; elf_symbol(&elf, &table, i, &symbol); i++)
		if (symbol.section != 0 && symbol.size >= HEAD &&
		    bytes_are(elf_symbol_name(&elf, &table, &symbol), "_r_debug"))
			return symbol.va + program->bias;
	return 0;
}

/* The list of a static program is empty. GDB reads its head, and complains if it cannot. */
static void link_static(struct reopened *r)
{
	const uint64_t head = find_static_head(&r->stacks->snapshot.modules[r->program]);

	if (head == 0)
		return;
	for (unsigned i = 0; i < HEAD; i += 8)
		byte_buffer_number(&r->list, 0, 8);
	add_made_segment(r, head, &r->list);
}

void reopened_link(struct reopened *r)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;
	struct elf_segment segment;
	size_t count;

	if (r->program >= snapshot->module_count)
		return;
	if (!reopened_find_segment(&snapshot->modules[r->program], ELF_PT_DYNAMIC, &segment)) {
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

/* Where no segment describes the program headers, their offset in the file tells their address. */
static uint64_t find_headers(const struct snapshot_module *program, const struct elf *elf)
{
	struct elf_segment headers;

	return reopened_find_segment(program, ELF_PT_PHDR, &headers)
	               ? headers.va + program->bias
	               : program->low + elf->segments_at;
}

static void put_program(struct reopened *r, const struct snapshot_module *program)
{
	struct elf elf;

	if (!reopened_open_elf(program, &elf))
		return;
	put_entry(&r->auxv, AT_PHDR, find_headers(program, &elf));
	put_entry(&r->auxv, AT_PHENT, ELF_SEGMENT_WIDE);
	put_entry(&r->auxv, AT_PHNUM, elf.segments);
	put_entry(&r->auxv, AT_ENTRY, bytes_u64(elf.bytes.data + ENTRY_AT, false) + program->bias);
	put_entry(&r->auxv, AT_BASE, find_linker_base(r));
}

/* The minidump's, but for what a file that stands in for the program's has otherwise. */
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

/* Where a minidump does not tell whether addresses are signed debuggers get the bits all the same: without signatures they change nothing. */
static uint64_t find_hwcap(const struct snapshot *snapshot)
{
	uint64_t told;

	if (snapshot_auxv(snapshot, AT_HWCAP, &told))
		return told;
	return snapshot->machine == CAIRN_MACHINE_AARCH64 ? HWCAP_SIGNATURES : 0;
}

uint64_t reopened_signature_bits(const struct reopened *r)
{
	const struct snapshot *snapshot = &r->stacks->snapshot;
	const uint64_t bits = snapshot_signature_bits(snapshot) | UINT64_MAX << ADDRESS_BITS;

	return snapshot->machine == CAIRN_MACHINE_AARCH64 && find_hwcap(snapshot) & HWCAP_SIGNATURES
	               ? bits & UINT64_MAX >> ABOVE_SIGNATURE
	               : 0;
}

void reopened_make_auxv(struct reopened *r)
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
		if (!reopened_is_linked(snapshot, &snapshot->modules[i]) &&
		    !snapshot->modules[i].remapped)
			put_entry(&r->auxv, AT_SYSINFO_EHDR, snapshot->modules[i].low);
	put_entry(&r->auxv, AT_NULL, 0);
}
