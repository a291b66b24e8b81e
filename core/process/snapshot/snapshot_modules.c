/* SPDX-License-Identifier: MIT */
/* Finds the modules of a snapshot by its mappings and the headers in memory. */
#include "snapshot_modules.h"

#include "remapped_code.h"

#include "base/bytes.h"
#include "formats/elf/elf.h"
#include "unwind/tables/image.h"
#include "unwind/target/memory.h"

#include <stdlib.h>

enum {
	AT_SYSINFO_EHDR = 33,
	NOTES_MAX = 1 << 14, /* bytes of notes that are read per segment */
	RUNS_MAX = 16,       /* segments of notes per module */
	PARTS_MAX = 256,     /* mappings of a module before its first code; linkers create five */
	SMALL_ADDRESS = 39, /* address bits on aarch64 with three levels of 4 KiB pages (Android) */
};

static const char vdso_name[] = "[vdso]";

static bool has_elf_header(const struct snapshot *snapshot, uint64_t address)
{
	uint8_t start[4];

	return memory_read(&snapshot->memory, address, start, sizeof(start)) &&
	       elf_has_magic((struct cairn_bytes){ start, sizeof(start) });
}

static void read_notes(struct snapshot *snapshot, struct snapshot_module *module,
                       const struct elf *elf)
{
	uint8_t bytes[NOTES_MAX];
	struct elf_segment s;
	unsigned runs = 0;

	for (uint32_t i = 0; runs < RUNS_MAX && elf_segment(elf, i, &s); i++) {
		if (s.type != ELF_PT_NOTE)
			continue;
		runs++;
		size_t wanted = s.file_size < sizeof(bytes) ? (size_t)s.file_size : sizeof(bytes);
		struct cairn_bytes notes = { bytes,
			                     memory_read_some(&snapshot->memory,
			                                      s.va + module->bias, bytes, wanted) };
		struct cairn_bytes id = elf_build_id_in_notes(notes, elf->big);
		struct cairn_bytes package = elf_package_in_notes(notes, elf->big);
		if (module->build_id.size == 0 && id.size > 0)
			module->build_id = snapshot_keep(snapshot, id);
		if (module->package.size == 0 && package.size > 0)
			module->package = snapshot_keep(snapshot, package);
	}
}

/*
 * Return true if the mapping may contain code. gcore omits unmodified code from the segments, so
 * its access mode is unknown.
 */
static bool may_be_code(const struct snapshot_mapping *mapping)
{
	return !mapping->has_access || (mapping->access & SNAPSHOT_EXECUTE);
}

/*
 * Return true if code of the same file is mapped between mapping `first` and `high`. A file that is
 * mapped as data has an ELF header, too.
 */
static bool holds_code(const struct snapshot *snapshot, size_t first, uint64_t high)
{
	const struct snapshot_mapping *start = &snapshot->mappings[first];

	for (size_t i = first; i < snapshot->mapping_count && i - first < PARTS_MAX &&
	                       snapshot->mappings[i].low < high;
	     i++)
		if (may_be_code(&snapshot->mappings[i]) &&
		    bytes_equal(snapshot->mappings[i].path, start->path))
			return true;
	return false;
}

/*
 * Add the module whose header is at the start of mapping `first`. Return false if no module was
 * added.
 */
static bool add_by_header(struct snapshot *snapshot, struct module *image, size_t first)
{
	uint8_t apart[MODULE_PAGE];
	struct elf elf;

	if (!image_read(&snapshot->memory, snapshot->mappings[first].low, image) ||
	    !holds_code(snapshot, first, image->high) ||
	    !image_open(&snapshot->memory, image, apart, &elf))
		return false;
	struct snapshot_module *module = snapshot_add_module(snapshot);
	if (!module)
		return false;
	module->low = image->low;
	module->high = image->high;
	module->bias = image->bias;
	module->has_bias = true;
	read_notes(snapshot, module, &elf);
	return true;
}

/*
 * Add a file whose header was not dumped, from this mapping to the last consecutive one of the same
 * file.
 */
static void add_by_file(struct snapshot *snapshot, size_t first)
{
	const struct snapshot_mapping *start = &snapshot->mappings[first];
	struct snapshot_module *module;
	uint64_t high = start->high;
	bool executable = may_be_code(start);

	for (size_t i = first + 1; i < snapshot->mapping_count; i++) {
		const struct snapshot_mapping *m = &snapshot->mappings[i];
		if (!m->has_file || m->offset == 0 || !bytes_equal(m->path, start->path))
			break;
		high = m->high;
		executable = executable || may_be_code(m);
	}
	if (!executable)
		return; /* data, such as a font or a cache */
	module = snapshot_add_module(snapshot);
	if (!module)
		return;
	module->low = start->low;
	module->high = high;
	module->path = start->path;
}

static bool is_vdso(const struct snapshot *snapshot, const struct snapshot_mapping *mapping)
{
	uint64_t address;

	return bytes_are(mapping->path, vdso_name) ||
	       (snapshot_auxv(snapshot, AT_SYSINFO_EHDR, &address) && address == mapping->low);
}

static void name_module(struct snapshot *snapshot, const struct snapshot_mapping *mapping)
{
	struct snapshot_module *module = &snapshot->modules[snapshot->module_count - 1];

	module->path = mapping->path;
	if (module->path.size == 0 && is_vdso(snapshot, mapping))
		module->path =
			(struct cairn_bytes){ (const uint8_t *)vdso_name, sizeof(vdso_name) - 1 };
}

struct naming {
	struct snapshot *snapshot;
	size_t count;
};

/*
 * Return true if the entry describes the module. Compares the dynamic section, too, because all
 * libraries that are loaded at their linked addresses have a bias of 0.
 */
static bool is_module_of(const struct snapshot_module *module, const struct link_map_entry *entry)
{
	return module->has_bias && module->bias == entry->bias &&
	       entry->dynamic - module->low < module->high - module->low;
}

/*
 * Name the modules that do not have a path. The first entry is the program itself and does not have
 * a name.
 */
static bool take_link_map_name(void *context, const struct link_map_entry *entry)
{
	struct naming *naming = context;
	struct snapshot *snapshot = naming->snapshot;

	for (size_t i = 0; entry->name.size > 0 && i < snapshot->module_count; i++) {
		struct snapshot_module *module = &snapshot->modules[i];
		if (is_module_of(module, entry) && module->path.size == 0)
			module->path = snapshot_keep(snapshot, entry->name);
	}
	return naming->count++ < LINK_MAP_MAX;
}

/*
 * Return true if the address is in one of the last two modules. The last one may be in a gap of the
 * one before.
 */
static bool is_within_last(const struct snapshot *snapshot, uint64_t address)
{
	for (size_t i = snapshot->module_count; i > 0 && i + 2 > snapshot->module_count; i--) {
		const struct snapshot_module *module = &snapshot->modules[i - 1];
		if (address - module->low < module->high - module->low)
			return true;
	}
	return false;
}

/*
 * Return true if the mapping does not belong to an earlier module. The kernel leaves the gaps
 * between the segments of the program and of the dynamic linker free; on aarch64, where these are
 * 64 KiB apart, it maps the vDSO there.
 */
static bool is_own_module(const struct snapshot *snapshot, const struct snapshot_mapping *mapping)
{
	return is_vdso(snapshot, mapping) || !is_within_last(snapshot, mapping->low);
}

void snapshot_modules_find(struct snapshot *snapshot)
{
	struct module *image = malloc(sizeof(*image));
	struct naming naming = { snapshot, 0 };
	bool unnamed = false;

	for (size_t i = 0; image && i < snapshot->mapping_count; i++) {
		const struct snapshot_mapping *mapping = &snapshot->mappings[i];
		if (!is_own_module(snapshot, mapping))
			continue;
		if (has_elf_header(snapshot, mapping->low) && add_by_header(snapshot, image, i)) {
			name_module(snapshot, mapping);
			unnamed |= snapshot->modules[snapshot->module_count - 1].path.size == 0;
		} else if (mapping->has_file && mapping->offset == 0 && mapping->path.size > 0) {
			add_by_file(snapshot, i);
		}
	}
	free(image);
	if (unnamed)
		snapshot_link_map(snapshot, 0, take_link_map_name, &naming);
	snapshot_sort_modules(snapshot);
	snapshot_remapped_code_find(snapshot);
}

static bool find_remapped(void *snapshot, uint64_t *pc)
{
	const struct snapshot_module *module = snapshot_find_module(snapshot, *pc);

	if (!module || !module->remapped)
		return false;
	*pc = *pc - module->bias + module->first_bias;
	return true;
}

bool snapshot_may_be_executed(const struct snapshot *snapshot, uint64_t pc)
{
	const struct snapshot_mapping *mapping = snapshot->kind == CAIRN_STACKS_MINIDUMP
	                                                 ? NULL
	                                                 : snapshot_find_mapping(snapshot, pc);

	return mapping && (mapping->access & SNAPSHOT_EXECUTE);
}

static bool is_code(void *snapshot, uint64_t pc)
{
	return snapshot_may_be_executed(snapshot, pc) || find_remapped(snapshot, &pc);
}

/*
 * Return true if `pc` is known not to be executable. Without a list of mappings, as in small
 * minidumps, nothing is excluded.
 */
static bool must_not_be_executed(void *context, uint64_t pc)
{
	const struct snapshot *snapshot = context;
	const struct snapshot_mapping *mapping = snapshot_find_mapping(snapshot, pc);

	return mapping ? mapping->has_access && !(mapping->access & SNAPSHOT_EXECUTE)
	               : snapshot->mapping_count > 0;
}

struct generated_code snapshot_generated_code(struct snapshot *snapshot)
{
	return (struct generated_code){ is_code, must_not_be_executed, find_remapped, snapshot };
}

/*
 * Return the program's highest address. On aarch64 the stack and the libraries are at the end of
 * the address space.
 */
static uint64_t find_highest(const struct snapshot *snapshot)
{
	uint64_t highest = 0;

	for (size_t i = 0; i < snapshot->mapping_count; i++)
		if (snapshot->mappings[i].high > highest)
			highest = snapshot->mappings[i].high;
	for (size_t i = 0; i < snapshot->module_count; i++)
		if (snapshot->modules[i].high > highest)
			highest = snapshot->modules[i].high;
	return highest > 0 ? highest - 1 : 0;
}

uint64_t snapshot_signature_bits(const struct snapshot *snapshot)
{
	uint64_t highest, bits = UINT64_MAX << SMALL_ADDRESS;

	if (snapshot->machine != CAIRN_MACHINE_AARCH64)
		return 0;
	if (snapshot->signature_bits)
		return snapshot->signature_bits;
	highest = find_highest(snapshot);
	return highest >> (SMALL_ADDRESS - 1) == 1 ? bits : 0;
}
