/* SPDX-License-Identifier: MIT */
/*
 * Finds the modules of a snapshot at mappings with ELF headers, in the link map, and through the
 * auxiliary vector. Also finds second mappings of their code, the vDSO, and run-times that generate
 * code.
 */
#include "snapshot_modules.h"

#include "base/bytes.h"
#include "base/path.h"
#include "base/reader.h"
#include "base/sort.h"
#include "base/target_memory.h"
#include "formats/elf/elf.h"
#include "unwind/tables/modules.h"

#include <stdlib.h>
#include <string.h>

/*
 * Follows the link map, the dynamic linker's list of loaded modules:
 *
 *	auxv       = (type:W value:W)*
 *	AT_PHDR    -> program headers, of which PT_DYNAMIC -> (tag:W value:W)*
 *	DT_DEBUG   -> r_debug = version:4 pad first:W ...
 *	link_map   = bias:W name:W dynamic:W next:W previous:W
 */

enum {
	AT_PHDR = 3,
	AT_PHNUM = 5,
	DT_DEBUG = 21,
	/* maximum number of dynamic entries to read or compare; programs have about 40 */
	DYNAMIC_MAX = 512,
	HEADERS_MAX = 64,
	NAME_MAX_BYTES = 4096,
	NAME_STEP = 64,
};

static bool read_word(const struct snapshot *snapshot, uint64_t address, uint64_t *value)
{
	uint8_t bytes[8];

	if (!memory_read(&snapshot->memory, address, bytes, snapshot->word))
		return false;
	*value = bytes_unsigned(bytes, snapshot->word, snapshot->big_endian);
	return true;
}

bool snapshot_auxv(const struct snapshot *snapshot, uint64_t type, uint64_t *value)
{
	const size_t word = snapshot->word;
	const uint8_t *at = snapshot->auxv.data;

	for (size_t left = snapshot->auxv.size; word > 0 && left >= 2 * word; left -= 2 * word) {
		if (bytes_unsigned(at, word, snapshot->big_endian) == type) {
			*value = bytes_unsigned(at + word, word, snapshot->big_endian);
			return true;
		}
		at += 2 * word;
	}
	return false;
}

static bool find_header(const struct snapshot *snapshot, uint64_t headers, uint64_t count,
                        uint32_t type, uint64_t *va)
{
	const bool wide = snapshot->word == 8;
	const size_t size = wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW;
	uint8_t header[ELF_SEGMENT_WIDE];

	for (uint64_t i = 0; i < count && i < HEADERS_MAX; i++) {
		if (!memory_read(&snapshot->memory, headers + i * size, header, size))
			return false;
		if (bytes_u32(header, snapshot->big_endian) != type)
			continue;
		*va = bytes_unsigned(header + (wide ? 16 : 8), snapshot->word,
		                     snapshot->big_endian);
		return true;
	}
	return false;
}

static bool find_debug(const struct snapshot *snapshot, uint64_t dynamic, uint64_t *debug)
{
	uint64_t tag = 1, entry = 2 * (uint64_t)snapshot->word;

	for (uint64_t i = 0; i < DYNAMIC_MAX && tag != 0; i++) {
		if (!read_word(snapshot, dynamic + i * entry, &tag))
			return false;
		if (tag == DT_DEBUG)
			return read_word(snapshot, dynamic + i * entry + snapshot->word, debug) &&
			       *debug != 0;
	}
	return false;
}

static bool find_program_dynamic(const struct snapshot *snapshot, uint64_t *dynamic)
{
	uint64_t headers, count, linked;

	if (!snapshot_auxv(snapshot, AT_PHDR, &headers) ||
	    !snapshot_auxv(snapshot, AT_PHNUM, &count) ||
	    !find_header(snapshot, headers, count, ELF_PT_DYNAMIC, dynamic))
		return false;
	if (find_header(snapshot, headers, count, ELF_PT_PHDR, &linked))
		*dynamic += headers - linked; /* a program without PT_PHDR is not relocated */
	return true;
}

static bool find_list(const struct snapshot *snapshot, uint64_t dynamic, uint64_t *first)
{
	uint64_t debug;

	if (dynamic == 0 && !find_program_dynamic(snapshot, &dynamic))
		return false;
	return find_debug(snapshot, dynamic, &debug) &&
	       read_word(snapshot, debug + snapshot->word, first);
}

static struct cairn_bytes read_link_name(const struct snapshot *snapshot, uint64_t address,
                                         uint8_t *buffer)
{
	size_t size = 0;

	while (size < NAME_MAX_BYTES) {
		size_t got = memory_read_some(&snapshot->memory, address + size, buffer + size,
		                              NAME_STEP);
		const uint8_t *end = got ? memchr(buffer + size, 0, got) : NULL;
		if (end)
			return (struct cairn_bytes){ buffer, (size_t)(end - buffer) };
		size += got;
		if (got < NAME_STEP)
			break;
	}
	return (struct cairn_bytes){ buffer, 0 };
}

static bool read_link_entry(const struct snapshot *snapshot, uint64_t at, uint8_t *buffer,
                            struct link_map_entry *entry)
{
	const uint64_t word = snapshot->word;
	uint64_t name;

	if (!read_word(snapshot, at, &entry->bias) || !read_word(snapshot, at + word, &name) ||
	    !read_word(snapshot, at + 2 * word, &entry->dynamic))
		return false;
	entry->name = read_link_name(snapshot, name, buffer);
	return true;
}

void snapshot_link_map(const struct snapshot *snapshot, uint64_t dynamic, link_map_visit *visit,
                       void *context)
{
	uint8_t buffer[NAME_MAX_BYTES + NAME_STEP];
	struct link_map_entry entry;
	uint64_t at, word = snapshot->word;

	if ((word != 4 && word != 8) || !find_list(snapshot, dynamic, &at))
		return;
	for (unsigned i = 0; at != 0 && i < LINK_MAP_MAX; i++) {
		if (!read_link_entry(snapshot, at, buffer, &entry) || !visit(context, &entry) ||
		    !read_word(snapshot, at + 3 * word, &at))
			return;
	}
}

enum { PAGE = 4096 };

/* A module with a path and a build ID. The array is sorted because many paths are looked up. */
struct named_module {
	struct cairn_bytes path;
	size_t index;
};

static int compare_modules(const void *a, const void *b)
{
	const struct named_module *x = a, *y = b;
	const int order = bytes_order(x->path, y->path);

	return order ? order : (x->index > y->index) - (x->index < y->index);
}

static struct named_module *sort_by_path(const struct snapshot *snapshot, size_t *count)
{
	struct named_module *list = calloc(snapshot->module_count + 1, sizeof(*list));

	*count = 0;
	for (size_t i = 0; list && i < snapshot->module_count; i++) {
		const struct snapshot_module *module = &snapshot->modules[i];
		if (module->has_bias && module->path.size > 0 && module->build_id.size > 0)
			list[(*count)++] = (struct named_module){ module->path, i };
	}
	if (*count > 0)
		qsort(list, *count, sizeof(*list), compare_modules);
	return list;
}

static const struct named_module *find_first_of_path(const struct named_module *named, size_t count,
                                                     struct cairn_bytes path)
{
	struct bisection search = bisect_begin(count);

	while (search.low < search.high)
		bisect_narrow(&search, bytes_order(named[search.middle].path, path) < 0);
	return search.low < count && bytes_equal(named[search.low].path, path) ? &named[search.low]
	                                                                       : NULL;
}

/*
 * Return true if this may be a second mapping of code. gcore writes no segments for unmodified
 * code, so the access mode of such a mapping is unknown.
 */
static bool may_be_remapped(const struct snapshot_mapping *mapping)
{
	return mapping->has_file && mapping->offset > 0 && mapping->path.size > 0 &&
	       (!mapping->has_access ||
	        ((mapping->access & SNAPSHOT_EXECUTE) && !(mapping->access & SNAPSHOT_WRITE)));
}

/*
 * Set *common to the file offsets of the whole pages that the segment and the mapping share. Return
 * false if they share no page.
 */
static bool find_common_pages(const struct snapshot_mapping *mapping, const struct elf_segment *s,
                              struct cairn_range *common)
{
	const uint64_t size = mapping->high - mapping->low;

	if (s->type != ELF_PT_LOAD || !(s->flags & ELF_PF_EXECUTE) || (s->flags & ELF_PF_WRITE) ||
	    s->file_size > UINT64_MAX - PAGE - s->offset || size > UINT64_MAX - mapping->offset)
		return false;
	const uint64_t start = s->offset - s->offset % PAGE;
	const uint64_t end = (s->offset + s->file_size + PAGE - 1) / PAGE * PAGE;
	*common = (struct cairn_range){ start, end };
	if (common->low < mapping->offset)
		common->low = mapping->offset;
	if (common->high > mapping->offset + size)
		common->high = mapping->offset + size;
	return common->low < common->high;
}

/* Find the code segment that the mapping contains. Uses the program headers in memory. */
static bool find_segment(const struct snapshot *snapshot, const struct snapshot_module *module,
                         const struct snapshot_mapping *mapping, struct elf_segment *s,
                         struct cairn_range *common)
{
	uint8_t page[PAGE];
	struct elf elf;

	if (!memory_read(&snapshot->memory, module->low, page, sizeof(page)) ||
	    !elf_opens((struct cairn_bytes){ page, sizeof(page) }, &elf))
		return false;
	for (uint32_t i = 0; elf_segment(&elf, i, s); i++)
		if (find_common_pages(mapping, s, common))
			return true;
	return false;
}

static void add_remapped(struct snapshot *snapshot, size_t index,
                         const struct snapshot_mapping *mapping)
{
	const struct snapshot_module first = snapshot->modules[index];
	struct cairn_range common;
	struct elf_segment s;

	if (!find_segment(snapshot, &first, mapping, &s, &common))
		return;
	struct snapshot_module *module = snapshot_add_module(snapshot);
	if (!module)
		return;
	/* address that corresponds to the first byte of the file */
	const uint64_t from = mapping->low - mapping->offset;
	module->low = from + common.low;
	module->high = from + common.high;
	module->bias = from + s.offset - s.va;
	module->has_bias = true;
	module->remapped = true;
	module->first_low = first.low;
	module->first_bias = first.bias;
	module->path = first.path;
	module->build_id = first.build_id;
	module->package = first.package;
}

/* Mappings and modules are sorted by address, so one pass over both suffices. */
void snapshot_remapped_code_find(struct snapshot *snapshot)
{
	const size_t modules = snapshot->module_count;
	size_t count, next = 0;
	struct named_module *named = sort_by_path(snapshot, &count);

	for (size_t i = 0; count > 0 && i < snapshot->mapping_count; i++) {
		const struct snapshot_mapping *mapping = &snapshot->mappings[i];
		while (next < modules && snapshot->modules[next].high <= mapping->low)
			next++;
		if (!may_be_remapped(mapping) ||
		    (next < modules && snapshot->modules[next].low <= mapping->low))
			continue;
		const struct named_module *found = find_first_of_path(named, count, mapping->path);
		if (found)
			add_remapped(snapshot, found->index, mapping);
	}
	free(named);
	snapshot_sort_modules(snapshot);
}

/* Finds the modules of a snapshot through its mappings and the ELF headers in memory. */

enum {
	AT_SYSINFO_EHDR = 33,
	NOTES_MAX = 1 << 14, /* maximum number of note bytes to read per segment */
	RUNS_MAX = 16,
	/* maximum number of a module's mappings to examine for code; linkers create five */
	PARTS_MAX = 256,
	/* number of address bits on aarch64 with three levels of 4 KiB pages (Android) */
	SMALL_ADDRESS = 39,
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
 * Return true if the mapping may contain code. gcore writes no segments for unmodified code, so the
 * access mode of such a mapping is unknown.
 */
static bool may_be_code(const struct snapshot_mapping *mapping)
{
	return !mapping->has_access || (mapping->access & SNAPSHOT_EXECUTE);
}

/*
 * Return true if code from the file in mapping `first` is mapped below `high`. Otherwise the file
 * is mapped only as data, although it has an ELF header.
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
 * Add the module whose header is at the start of mapping `first`. Return false if there is no valid
 * module.
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
 * Add a file whose header has not been dumped. It extends from mapping `first` to the last
 * consecutive mapping of the file.
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
 * Return true if the entry describes the module. Also compare the address of the dynamic section,
 * because every library loaded at its link-time address has a bias of 0.
 */
static bool is_module_of(const struct snapshot_module *module, const struct link_map_entry *entry)
{
	return module->has_bias && module->bias == entry->bias &&
	       entry->dynamic - module->low < module->high - module->low;
}

/*
 * Set the path of a module that lacks one. Skip entries without a name, such as the first one,
 * which is the program itself.
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
 * Return true if the address is in one of the last two modules. The last module may be in a gap
 * within the one before it.
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
 * Return true if the mapping does not belong to an earlier module. Between the segments of the
 * program and of the dynamic linker, the kernel usually leaves gaps unmapped. On aarch64, however,
 * a gap may be 64 KiB large, and the kernel may map the vDSO into it.
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

/*
 * Return true if a mapping shows that `pc` is executable. A minidump's mappings are not trusted,
 * because they may lack access modes.
 */
static bool snapshot_may_be_executed(const struct snapshot *snapshot, uint64_t pc)
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
 * Return true if `pc` is known not to be executable. Nothing is known if the list of mappings is
 * missing, as in small minidumps.
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
 * the address space, so this address shows the size of the address space.
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

/*
 * Compares files with a core's memory and mappings, and adds the modules whose headers the core
 * lacks.
 */

enum { AT_ENTRY = 9, DT_NULL = 0 };

static struct snapshot_module *find_module(const struct snapshot *snapshot, uint64_t address)
{
	for (size_t i = 0; i < snapshot->module_count; i++) {
		struct snapshot_module *module = &snapshot->modules[i];
		if (address - module->low < module->high - module->low)
			return module;
	}
	return NULL;
}

bool snapshot_has_module(const struct snapshot *snapshot, uint64_t address)
{
	const struct snapshot_module *module = find_module(snapshot, address);

	return module && module->has_bias;
}

bool snapshot_lacks_program(const struct snapshot *snapshot)
{
	uint64_t headers;

	return snapshot_auxv(snapshot, AT_PHDR, &headers) &&
	       !snapshot_has_module(snapshot, headers);
}

static bool find_linked_headers(const struct elf *file, uint64_t *va)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(file, i, &s); i++) {
		if (s.type != ELF_PT_LOAD || file->segments_at - s.offset >= s.file_size)
			continue;
		*va = s.va + (file->segments_at - s.offset);
		return true;
	}
	return false;
}

/*
 * Return true if the core has mappings for all segments. If `may_be_cut` is set, also return true
 * if it has mappings for no segment, because a reduced core may not list the program.
 */
static bool is_mapped(const struct snapshot *snapshot, const struct elf *file, uint64_t bias,
                      bool may_be_cut)
{
	unsigned all = 0, mapped = 0;
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(file, i, &s); i++) {
		if (s.type != ELF_PT_LOAD || s.memory_size == 0)
			continue;
		if (s.memory_size > UINT64_MAX - s.va)
			return false;
		all++;
		mapped += snapshot_find_mapping(snapshot, s.va + bias) != NULL;
	}
	return all > 0 && (mapped == all || (may_be_cut && mapped == 0));
}

/*
 * Return true if the entries are equal, or differ only by the bias that the dynamic linker adds to
 * addresses. DT_DEBUG is set at run time, so its value is not compared.
 */
static bool is_same_entry(const uint8_t *linked, const uint8_t *loaded, size_t word, bool big,
                          uint64_t bias)
{
	const uint64_t mask = word == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t tag = bytes_unsigned(linked, word, big);
	uint64_t before = bytes_unsigned(linked + word, word, big);
	uint64_t after = bytes_unsigned(loaded + word, word, big);

	return bytes_unsigned(loaded, word, big) == tag &&
	       (tag == DT_DEBUG || after == before || after == ((before + bias) & mask));
}

/*
 * Return true if the dynamic section in memory matches the one in the file, or if the file has no
 * dynamic section.
 */
static bool has_same_dynamic(const struct snapshot *snapshot, const struct elf *file, uint64_t bias)
{
	const size_t word = file->wide ? 8 : 4;
	struct elf_segment s;
	struct cairn_bytes linked;
	uint8_t loaded[16];

	if (!elf_find_segment(file, ELF_PT_DYNAMIC, &s))
		return true;
	if (!bytes_slice(file->bytes, s.offset, s.file_size, &linked))
		return false;
	for (size_t i = 0; i < DYNAMIC_MAX && (i + 1) * 2 * word <= linked.size; i++) {
		const uint8_t *entry = linked.data + i * 2 * word;
		if (!memory_read(&snapshot->memory, s.va + bias + i * 2 * word, loaded, 2 * word) ||
		    !is_same_entry(entry, loaded, word, file->big, bias))
			return false;
		if (bytes_unsigned(entry, word, file->big) == DT_NULL)
			return i > 0;
	}
	return false;
}

/*
 * Return true if the core lacks the file's dynamic section because the program's variables have not
 * been dumped.
 */
static bool lacks_dynamic(const struct snapshot *snapshot, const struct elf *file, uint64_t bias)
{
	struct elf_segment s;
	struct cairn_bytes linked;
	uint8_t first;

	return elf_find_segment(file, ELF_PT_DYNAMIC, &s) &&
	       bytes_slice(file->bytes, s.offset, s.file_size, &linked) &&
	       !memory_read(&snapshot->memory, s.va + bias, &first, 1);
}

/*
 * Return true if the file matches the core. If the core contains nothing to compare, only a file
 * that the user supplied (`given`) matches.
 */
static bool is_file_of(const struct snapshot *snapshot, const struct elf *file, uint64_t bias,
                       bool given)
{
	return elf_machine(file) == snapshot->machine && file->big == snapshot->big_endian &&
	       is_mapped(snapshot, file, bias, given) &&
	       (has_same_dynamic(snapshot, file, bias) ||
	        (given && lacks_dynamic(snapshot, file, bias)));
}

bool snapshot_is_program(const struct snapshot *snapshot, const struct elf *file, bool given,
                         uint64_t *bias)
{
	uint64_t headers, count, entry, linked;

	if ((file->type != ELF_TYPE_EXEC && file->type != ELF_TYPE_DYN) ||
	    !snapshot_auxv(snapshot, AT_PHDR, &headers) ||
	    !snapshot_auxv(snapshot, AT_PHNUM, &count) ||
	    !snapshot_auxv(snapshot, AT_ENTRY, &entry) || !find_linked_headers(file, &linked))
		return false;
	uint64_t found = headers - linked;
	if (count != file->segments || entry != file->entry + found ||
	    (file->type == ELF_TYPE_EXEC && found != 0) ||
	    !is_file_of(snapshot, file, found, given))
		return false;
	*bias = found;
	return true;
}

bool snapshot_is_loaded(const struct snapshot *snapshot, const struct elf *file,
                        const struct link_map_entry *entry)
{
	struct elf_segment dynamic;

	return file->type == ELF_TYPE_DYN && elf_find_segment(file, ELF_PT_DYNAMIC, &dynamic) &&
	       dynamic.va + entry->bias == entry->dynamic &&
	       is_file_of(snapshot, file, entry->bias, false);
}

uint64_t snapshot_dynamic_address(const struct elf *file, uint64_t bias)
{
	struct elf_segment dynamic;

	return elf_find_segment(file, ELF_PT_DYNAMIC, &dynamic) ? dynamic.va + bias : 0;
}

struct snapshot_module *snapshot_add_unlisted(struct snapshot *snapshot, const struct elf *file,
                                              uint64_t bias, struct cairn_bytes path)
{
	struct snapshot_module *module;
	struct cairn_range span;

	if (!elf_load_span(file, &span) || span.low + bias >= span.high + bias)
		return NULL;
	module = find_module(snapshot, span.low + bias);
	if (module && module->has_bias)
		return NULL;
	if (!module)
		module = snapshot_add_module(snapshot);
	if (!module)
		return NULL;
	module->low = span.low + bias;
	module->high = span.high + bias;
	module->bias = bias;
	module->has_bias = true;
	if (module->path.size == 0)
		module->path = snapshot_keep(snapshot, path);
	module->build_id = snapshot_keep(snapshot, elf_build_id(file));
	return module;
}

size_t vdso_image_size(const struct snapshot *snapshot, const struct snapshot_module *module)
{
	const struct snapshot_mapping *mapping = snapshot_find_mapping(snapshot, module->low);

	if (!bytes_are(module->path, "[vdso]") || !mapping ||
	    mapping->high - module->low > VDSO_IMAGE_MAX)
		return 0;
	return (size_t)(mapping->high - module->low);
}

/* Run-times, recognized by the beginning of a module's file name. The first match is used. */
static const struct run_time {
	const char *file, *reason;
} run_times[] = {
	{ "libjvm", "compiled code of the JVM, which keeps no frame pointers: start it with "
	            "-XX:+PreserveFramePointer" },
	{ "libj9jit", "compiled code of OpenJ9, which keeps no frame pointers" },
	{ "libcoreclr", "JIT code of .NET, which records no frames" },
	{ "libmonosgen", "JIT code of Mono, which records no frames" },
	{ "mono", "JIT code of Mono, which records no frames" },
	{ "libluajit", "JIT code of LuaJIT, which keeps no frame pointers" },
	{ "luajit", "JIT code of LuaJIT, which keeps no frame pointers" },
	{ "php", "JIT code of PHP, which keeps no frame pointers" },
	{ "libphp", "JIT code of PHP, which keeps no frame pointers" },
	{ "beam", "code of Erlang, which keeps no frame pointers: start it with +JPperf true" },
	{ "node", "JIT code of V8, of which nothing is recorded: start Node.js with --perf-prof" },
	{ "libnode",
	  "JIT code of V8, of which nothing is recorded: start Node.js with --perf-prof" },
	{ "libv8", "JIT code of V8, of which nothing is recorded" },
};

static bool is_letter(uint8_t c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/*
 * Return true if the file name begins with `name` and no letter follows: php8.2, libjvm.so,
 * beam.smp.
 */
static bool has_base_name(struct cairn_bytes path, const char *name)
{
	const struct cairn_bytes base = base_name(path);
	const size_t size = strlen(name);

	return bytes_begin_with(base, name) && (base.size == size || !is_letter(base.data[size]));
}

const char *snapshot_explain_jit_code(const struct snapshot *snapshot, uint64_t pc)
{
	if (snapshot_find_module(snapshot, pc) || !snapshot_may_be_executed(snapshot, pc))
		return NULL;
	for (size_t i = 0; i < sizeof(run_times) / sizeof(*run_times); i++)
		for (size_t k = 0; k < snapshot->module_count; k++)
			if (has_base_name(snapshot->modules[k].path, run_times[i].file))
				return run_times[i].reason;
	return "JIT code of the program, of which nothing is recorded";
}
