/* SPDX-License-Identifier: MIT */
/*
 * Finds the module that contains a pc among the known modules, in a report from the host, or by
 * searching memory for an ELF header. Reads the module's headers.
 */

#include "modules.h"
#include "sframe_rules.h"

#include "base/bytes.h"
#include "base/reader.h"
#include "base/target_memory.h"

#include <stdlib.h>
#include <string.h>

enum {
	LINKED_MODULES_MAX = 64,
	LINKED_MODULES_DYNAMIC = 128,
};

static void add_segment(struct module *module, const struct elf_segment *s)
{
	if (module->segment_count == MODULE_SEGMENTS)
		return;
	module->segments[module->segment_count++] =
		(struct module_segment){ s->va, s->memory_size, s->flags };
}

/*
 * Return true for the vDSO, which is the only image without a writable segment. No program starts
 * there, although a 32-bit vDSO has an entry point: it is a function for programs to call.
 */
static bool is_for_calls_only(const struct elf *elf, const struct module *module)
{
	if (elf->type == ELF_TYPE_EXEC)
		return false;
	for (unsigned i = 0; i < module->segment_count; i++)
		if (module->segments[i].flags & ELF_PF_WRITE)
			return false;
	return true;
}

/* Read the segments, and set *first to the link-time address of the file's first byte. */
static bool read_segments(const struct elf *elf, struct module *module, uint64_t *first)
{
	struct elf_segment s;
	bool found = false;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		switch (s.type) {
		case ELF_PT_LOAD:
			if (s.offset == 0 && !found) {
				found = true;
				*first = s.va;
			}
			add_segment(module, &s);
			break;
		case ELF_PT_DYNAMIC:
			module->dynamic_va = s.va;
			module->dynamic_size = s.memory_size;
			break;
		case ELF_PT_GNU_SFRAME:
			module->sframe_va = s.va;
			module->sframe_size = s.file_size;
			break;
		case ELF_PT_GNU_EH_FRAME:
			module->cfi.header = s.va;
			module->cfi.header_size =
				s.file_size > UINT32_MAX ? UINT32_MAX : (uint32_t)s.file_size;
			break;
		default:
			break;
		}
	return found;
}

/*
 * Return true if `address` is the second mapping of the file's first page. lld may put code into
 * this page, which is then mapped twice, and the second mapping looks like the start of another
 * module. It is recognized because the first mapping is at the distance that the program headers
 * state.
 */
static bool is_copy(const struct cairn_target *target, const struct elf *elf, uint64_t address,
                    uint64_t first, const struct module *module)
{
	uint8_t below[ELF_HEADER_MAX];
	struct elf_segment s;

	if (elf->type == ELF_TYPE_EXEC)
		return address != first;
	for (uint32_t i = 0; elf_segment(elf, i, &s); i++) {
		uint64_t page = s.va - s.va % MODULE_PAGE;
		bool again = s.type == ELF_PT_LOAD && s.offset / MODULE_PAGE == 0 && page > first;
		if (again && memory_read(target, address - (page - first), below, sizeof(below)) &&
		    memcmp(below, module->print, sizeof(below)) == 0)
			return true;
	}
	return false;
}

static bool set_span(struct module *module)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (unsigned i = 0; i < module->segment_count; i++) {
		const struct module_segment *s = &module->segments[i];
		if (s->va + s->size < s->va)
			return false;
		low = s->va < low ? s->va : low;
		high = s->va + s->size > high ? s->va + s->size : high;
	}
	module->low = low + module->bias;
	module->high = high + module->bias;
	return low < high && module->low < module->high;
}

/*
 * Read the build ID if its note is in the first page, where linkers put it. Other kinds of notes
 * may precede it in a segment of their own. Return the offset in the page at which the ID ends, or
 * 0 if there is no usable ID.
 */
static size_t read_id(struct module *module, struct cairn_bytes page, const struct elf *elf,
                      uint64_t first)
{
	struct elf_segment s;
	struct cairn_bytes bytes, id = { NULL, 0 };

	for (uint32_t i = 0; id.size == 0 && elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_NOTE && bytes_slice(page, s.va - first, s.file_size, &bytes))
			id = elf_build_id_in_notes(bytes, elf->big);
	if (id.size == 0 || id.size > MODULE_ID_MAX)
		return 0;
	memcpy(module->id, id.data, id.size);
	module->id_size = id.size;
	return (size_t)(id.data + id.size - page.data);
}

static uint64_t size_of_segments(const struct elf *elf)
{
	return (uint64_t)elf->segments * (elf->wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW);
}

/*
 * Return true if a segment maps the program headers at `offset` such that their distance from the
 * file's first byte is the same in memory as in the file.
 */
static bool is_loaded_evenly(const struct elf *elf, uint64_t offset)
{
	struct elf_segment s;
	bool found = false;
	uint64_t first = 0;

	for (uint32_t i = 0; !found && elf_segment(elf, i, &s); i++) {
		found = s.type == ELF_PT_LOAD && s.offset == 0;
		first = s.va;
	}
	for (uint32_t i = 0; found && elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_LOAD && offset - s.offset < s.file_size &&
		    s.va - first == s.offset)
			return true;
	return false;
}

bool image_open(const struct cairn_target *target, const struct module *module,
                uint8_t apart[MODULE_PAGE], struct elf *elf)
{
	const struct cairn_bytes page = { module->print, MODULE_PAGE };

	if (!elf_opens(page, elf))
		return false;
	const uint64_t at = elf->segments_at, size = size_of_segments(elf);
	if (size > MODULE_PAGE || at <= MODULE_PAGE - size)
		return true;
	if (at > UINT64_MAX - module->print_at ||
	    !memory_read(target, module->print_at + at, apart, (size_t)size))
		return false;
	elf->bytes = (struct cairn_bytes){ apart, (size_t)size };
	elf->segments_at = 0;
	return is_loaded_evenly(elf, at);
}

bool image_read(const struct cairn_target *target, uint64_t address, struct module *module)
{
	const struct cairn_bytes page = { module->print, MODULE_PAGE };
	uint8_t apart[MODULE_PAGE];
	struct elf elf;
	uint64_t first = 0;

	*module = (struct module){ .print_at = address };
	if (!memory_read(target, address, module->print, MODULE_PAGE) ||
	    !image_open(target, module, apart, &elf) ||
	    (elf.type != ELF_TYPE_EXEC && elf.type != ELF_TYPE_DYN) ||
	    !read_segments(&elf, module, &first) || is_copy(target, &elf, address, first, module))
		return false;
	module->bias = address - first;
	module->machine = elf_machine(&elf);
	module->big = elf.big;
	module->entry = is_for_calls_only(&elf, module) ? 0 : elf.entry;
	module->has_sections = elf.sections_at != 0;
	const size_t headers = elf.bytes.data == apart
	                               ? (size_t)ELF_HEADER_MAX
	                               : (size_t)(elf.segments_at + size_of_segments(&elf));
	size_t id_end = read_id(module, page, &elf, first);
	module->print_size = id_end > headers ? id_end : headers;
	return module->print_size <= MODULE_PAGE && set_span(module);
}

bool image_unchanged(const struct cairn_target *target, const struct module *module)
{
	uint8_t now[MODULE_PAGE];

	/* a module without identifying bytes counts as unchanged; see cairn_space_add_module() */
	if (module->print_size == 0)
		return true;
	return memory_read(target, module->print_at, now, module->print_size) &&
	       memcmp(now, module->print, module->print_size) == 0;
}

/*
 * Creates modules for images that a program has registered. Their sections have final addresses, so
 * the bias is 0.
 */

enum {
	PRINT_MAX = 64, /* maximum number of code bytes that identify the image in the target */
	SFRAME_MAX = 1 << 26,
	SECTIONS_MAX = 1 << 16
};

/* Read memory from the image itself, using the addresses of its sections. */
static enum cairn_status read_jit_image_memory(void *context, uint64_t address, void *buffer,
                                               size_t size)
{
	const struct elf *elf = context;
	struct elf_section s;
	struct cairn_bytes part;

	for (uint32_t i = 1; i < SECTIONS_MAX && elf_section(elf, i, &s); i++)
		if ((s.flags & ELF_SHF_ALLOC) && address - s.va < s.size &&
		    bytes_slice(elf_section_bytes(elf, &s), address - s.va, size, &part)) {
			memcpy(buffer, part.data, size);
			return CAIRN_OK;
		}
	return CAIRN_UNREADABLE;
}

static void copy_code_print(struct module *module, const struct elf *elf,
                            const struct elf_section *s)
{
	struct cairn_bytes code = elf_section_bytes(elf, s);

	if (module->print_size > 0 || code.size == 0)
		return;
	module->print_size = code.size < PRINT_MAX ? code.size : PRINT_MAX;
	module->print_at = s->va;
	memcpy(module->print, code.data, module->print_size);
}

/* Return true for a section with code. Sections of type 0 are placeholders. */
static bool has_code(const struct elf_section *s)
{
	const uint64_t wanted = ELF_SHF_ALLOC | ELF_SHF_EXECUTE;

	return s->type != 0 && (s->flags & wanted) == wanted && s->size > 0 &&
	       s->va + s->size >= s->va;
}

static bool add_code_segments(struct module *module, const struct elf *elf)
{
	struct elf_section s;

	for (uint32_t i = 1; i < SECTIONS_MAX && elf_section(elf, i, &s); i++) {
		if (!has_code(&s) || module->segment_count == MODULE_SEGMENTS)
			continue;
		module->segments[module->segment_count++] =
			(struct module_segment){ s.va, s.size, ELF_PF_EXECUTE };
		copy_code_print(module, elf, &s);
	}
	return module_code_range(module, &module->low, &module->high);
}

static bool copy_jit_sframe(struct module *module, const struct elf *elf)
{
	struct sframe_section found;

	if (sframe_section_find(elf, &found) != CAIRN_OK || found.bytes.size > SFRAME_MAX)
		return false;
	module->sframe_bytes = malloc(found.bytes.size);
	if (!module->sframe_bytes)
		return false;
	memcpy(module->sframe_bytes, found.bytes.data, found.bytes.size);
	module->sframe_va = found.address;
	module->sframe_size = module->sframe_held = found.bytes.size;
	struct cairn_bytes copy = { module->sframe_bytes, found.bytes.size };
	module->rules = cairn_rules_new(copy, found.address);
	module->sframe = MODULE_SFRAME_READY;
	return module->rules != NULL;
}

/*
 * Record which code .eh_frame covers. The debugger reads the image as well, so it unwinds this code
 * itself.
 */
static void read_jit_cfi(struct module *module, struct elf *elf)
{
	const struct cairn_target image = { read_jit_image_memory, elf };
	const struct cfi_memory view = { &image, 0, elf->big, elf->wide ? 8 : 4 };
	struct elf_section s;

	if (!elf_find_section(elf, ".eh_frame", &s) ||
	    !cfi_coverage_walk(&module->cfi, &view, s.va, s.size, module->low, module->high))
		module->cfi.state = CFI_NONE;
}

static void forget_older(struct cairn_space *space, const struct module *module)
{
	for (size_t i = space->count; i-- > 0;) {
		const struct module *old = space->modules[i];
		if (old->registered && old->low < module->high && module->low < old->high)
			space_drop_module(space, i);
	}
}

/*
 * List an image for which cairn has no usable unwind table. List each section with code separately,
 * because other code may lie between them.
 */
static void list_image(struct cairn_space *space, const struct module *module,
                       const struct elf *elf)
{
	struct registered_image image = { .machine = module->machine, .big = module->big };
	struct elf_section s;
	unsigned listed = 0;

	for (uint32_t i = 1;
	     i < SECTIONS_MAX && elf_section(elf, i, &s) && listed < REGISTERED_IMAGES_MAX; i++) {
		if (!has_code(&s))
			continue;
		listed++;
		image.code = (struct cairn_range){ s.va, s.va + s.size };
		registered_images_add(&space->registered, &space->target, image);
	}
}

enum cairn_status cairn_space_add_jit_image(struct cairn_space *space, struct cairn_bytes image)
{
	struct elf elf;

	space_begin_query(space);
	if (!elf_opens(image, &elf))
		return CAIRN_NOT_FOUND;
	space_drop_draft(space); /* the draft may contain the result of an earlier search */
	if (!space_make_draft(space))
		return CAIRN_NO_MEMORY;
	struct module *module = space->draft;
	module->machine = elf_machine(&elf);
	module->big = elf.big;
	module->has_sections = true;
	module->registered = true;
	const bool is_code = add_code_segments(module, &elf);
	if (is_code && module->print_size > 0)
		forget_older(space, module);
	if (!is_code || module->print_size == 0 || !copy_jit_sframe(module, &elf)) {
		if (is_code)
			list_image(space, module, &elf);
		space_drop_draft(space);
		return CAIRN_NOT_FOUND;
	}
	read_jit_cfi(module, &elf);
	space_publish_draft(space);
	return CAIRN_OK;
}

/*
 * Walks the link map, the dynamic linker's list of modules. On 64-bit machines <link.h> declares:
 *
 *	r_debug  = version:4 pad:4 map:8 ...
 *	link_map = addr:8 name:8 ld:8 next:8 prev:8 ...
 *
 * `addr` is a module's bias, and `ld` the address of its dynamic section, which linkers put after
 * the code.
 */

enum {
	DT_DEBUG = 21,
	ENTRY = 16,
	LIST_AT = 8,
	LINK_MAP_DYNAMIC = 16,
	LINK_MAP_NEXT = 24,
	LINK_MAP = 32,
};

/*
 * Find DT_DEBUG. Search for it only once, because its address is fixed; the dynamic linker sets its
 * value later.
 */
static void locate_debug_slot(const struct cairn_target *target, struct module *module)
{
	uint8_t bytes[LINKED_MODULES_DYNAMIC * ENTRY];
	size_t size =
		module->dynamic_size < sizeof(bytes) ? (size_t)module->dynamic_size : sizeof(bytes);

	size = memory_read_some(target, module->dynamic_va + module->bias, bytes, size);
	for (size_t at = 0; at + ENTRY <= size && module->debug_slot == 0; at += ENTRY)
		if (bytes_u64(bytes + at, module->big) == DT_DEBUG)
			module->debug_slot = module->dynamic_va + at + ENTRY / 2;
	module->dynamic_size = 0;
}

static bool has_list(const struct cairn_target *target, struct module *module)
{
	const struct arch *arch = arch_of(module->machine);

	if (!arch || arch->address != 8 || module->report)
		return false;
	if (module->dynamic_size > 0)
		locate_debug_slot(target, module);
	return module->debug_slot != 0;
}

/*
 * Return the first element of the link map, or 0 if the dynamic linker has not created the list
 * yet.
 */
static uint64_t find_first_element(const struct cairn_target *target, const struct module *module)
{
	uint64_t debug, first;

	if (!memory_word(target, module->debug_slot + module->bias, module->big, &debug) ||
	    debug == 0 || !memory_word(target, debug + LIST_AT, module->big, &first))
		return 0;
	return first;
}

/*
 * Search the link map of `program` for the module that contains `pc`, and set *bias to its bias.
 * The result is only a candidate, which the caller must verify. Return false if there is no link
 * map or no module in it contains `pc`.
 */
static bool linked_modules_find(const struct cairn_target *target, struct module *program,
                                uint64_t pc, uint64_t *bias)
{
	uint8_t map[LINK_MAP];
	uint64_t at = has_list(target, program) ? find_first_element(target, program) : 0;

	for (unsigned i = 0; at != 0 && i < LINKED_MODULES_MAX; i++) {
		if (!memory_read(target, at, map, sizeof(map)))
			return false;
		*bias = bytes_u64(map, program->big);
		if (*bias <= pc && pc < bytes_u64(map + LINK_MAP_DYNAMIC, program->big))
			return true;
		at = bytes_u64(map + LINK_MAP_NEXT, program->big);
	}
	return false;
}

/* Creates a module from the host's report alone: its range, machine and unwind tables. */

enum { FINGERPRINT_SIZE = 256 }; /* number of table bytes that identify a module without headers */

/*
 * Copy a table's first bytes, which identify the module later. A module without a table needs no
 * identification, because there is nothing to misread.
 */
static void read_fingerprint(struct module *module, const struct cairn_target *target)
{
	const struct cairn_host_module *reported = &module->report->reported;
	const struct cairn_range tables[] = { reported->sframe, reported->eh_frame_hdr,
		                              reported->eh_frame };

	for (unsigned i = 0; i < 3; i++) {
		uint64_t size = range_size(tables[i]);
		size = size < FINGERPRINT_SIZE ? size : FINGERPRINT_SIZE;
		if (size == 0 || !memory_read(target, tables[i].low, module->print, (size_t)size))
			continue;
		module->print_at = tables[i].low;
		module->print_size = (size_t)size;
		return;
	}
}

/*
 * Initialize `module`, which must not own anything, from `report`, which is borrowed. The module
 * gets a single segment. Reads a table's first bytes from the target.
 */
static void reported_module_fill(struct module *module, const struct host_module *report,
                                 const struct cairn_target *target)
{
	const struct cairn_host_module *reported = &report->reported;
	uint64_t header_size = range_size(reported->eh_frame_hdr);

	*module = (struct module){ .low = reported->low,
		                   .high = reported->high,
		                   .machine = reported->machine,
		                   .big = reported->big_endian,
		                   .has_sections = true,
		                   .report = report,
		                   .sframe_va = reported->sframe.low,
		                   .sframe_size = range_size(reported->sframe) };
	module->segments[0] =
		(struct module_segment){ reported->low, reported->high - reported->low,
		                         ELF_PF_EXECUTE };
	module->segment_count = 1;
	module->cfi.header = reported->eh_frame_hdr.low;
	module->cfi.header_size = header_size < UINT32_MAX ? (uint32_t)header_size : UINT32_MAX;
	read_fingerprint(module, target);
}

enum {
	SCAN_PAGE = 4096,
	/* maximum number of reads by consecutive unsuccessful searches; covers 512 MiB of pages */
	SCAN_READS = 1 << 17,
	SCAN_NEAR = 8,    /* number of reads before the link map is searched */
	SCAN_SHORT = 256, /* maximum number of reads per search once SCAN_READS is exceeded */
	SCAN_PROBE = 64,
	SCAN_DRAFT = 8, /* cost, in reads, of a page that merely looks like a module */
	/* maximum number of consecutive unreadable pages; old linkers left holes of 2 MiB */
	SCAN_GAP = 512,
	/*
	 * maximum number of unreadable pages in total; allows a hole of SCAN_GAP pages before each
	 * of four segments
	 */
	SCAN_GAPS = 4 * SCAN_GAP,
	/*
	 * maximum number of pages below a module's first section; sufficient for the largest page
	 * size, 64 KiB
	 */
	HOST_MODULE_PAGES = 17,
};

static bool is_in_segment(const struct module *module, uint64_t pc)
{
	const uint64_t va = pc - module->bias;

	for (unsigned i = 0; i < module->segment_count; i++) {
		const uint64_t before = module->segments[i].va % SCAN_PAGE;
		const uint64_t size = before + module->segments[i].size + SCAN_PAGE - 1;
		if (va - (module->segments[i].va - before) < size - size % SCAN_PAGE)
			return true;
	}
	return false;
}

/*
 * Return the known module that contains `pc`, or NULL. Skip a module whose bytes are no longer in
 * memory, but keep it because it may belong to another process. If the pc is in a gap of one
 * module, prefer another module that contains the pc.
 */
struct module *space_find_known(struct cairn_space *space, uint64_t pc)
{
	struct module *around = NULL;

	for (size_t i = 0; i < space->count; i++) {
		struct module *module = space->modules[i];
		if (pc - space->spans[i].low >= space->spans[i].size ||
		    !module_is_live(space, module))
			continue;
		if (!module->has_gap || is_in_segment(module, pc))
			return module;
		around = module;
	}
	return around;
}

static struct module *find_module_of_report(struct cairn_space *space,
                                            const struct host_module *report)
{
	for (size_t i = 0; i < space->count; i++)
		if (space->modules[i]->report == report && module_is_live(space, space->modules[i]))
			return space->modules[i];
	return NULL;
}

static bool in_hole(struct cairn_space *space, uint64_t pc)
{
	for (unsigned i = 0; i < MODULES_HOLES; i++) {
		struct hole *h = &space->holes[i];
		if (pc - h->low >= h->high - h->low)
			continue;
		if (h->uses++ < MODULES_HOLE_USES)
			return true;
		*h = (struct hole){ .uses = 0 };
	}
	return false;
}

static void add_hole(struct cairn_space *space, uint64_t low, uint64_t high)
{
	space->holes[space->next_hole] = (struct hole){ low, high, 0 };
	space->next_hole = (space->next_hole + 1) % MODULES_HOLES;
}

static bool draft_at(struct cairn_space *space, uint64_t page, uint64_t pc)
{
	struct module *draft = space->draft;

	return image_read(&space->target, page, draft) &&
	       pc - draft->low < draft->high - draft->low;
}

/*
 * Return true if page 0 is readable. Operating systems keep it unreadable. If it is readable
 * nevertheless, the target returns data for every address, and a search over long distances would
 * find no module.
 */
static bool reads_first_page(const struct cairn_space *space)
{
	uint8_t byte;

	return memory_read(&space->target, 0, &byte, 1);
}

/* A search for the ELF header of the image that contains a pc, from the pc downwards. */
struct header_search {
	uint64_t pc, page;
	unsigned left;
	unsigned gap, gaps;
	unsigned pages;
};

static struct header_search begin_header_search(uint64_t pc, unsigned reads)
{
	return (struct header_search){ .pc = pc, .page = pc - pc % SCAN_PAGE, .left = reads };
}

/*
 * Search downwards until only `left` reads remain. Return true if a module has been found; it is
 * then in space->draft. Otherwise search->page is the page at which the search stopped.
 */
static bool search_header_downwards(struct cairn_space *space, struct header_search *search,
                                    unsigned left)
{
	static const uint8_t magic[4] = { 0x7f, 'E', 'L', 'F' };
	uint8_t start[4];

	for (; search->left > left && search->gap < SCAN_GAP && search->gaps < SCAN_GAPS;
	     --search->left, search->page -= SCAN_PAGE) {
		if (search->pages++ == SCAN_PROBE && reads_first_page(space))
			break;
		bool readable = memory_read(&space->target, search->page, start, sizeof(start));
		bool begins = readable && memcmp(start, magic, sizeof(magic)) == 0;
		search->gap = readable ? 0 : search->gap + 1;
		search->gaps += !readable;
		if (begins && draft_at(space, search->page, search->pc))
			return true;
		if (begins)
			search->left -= search->left > SCAN_DRAFT ? SCAN_DRAFT : search->left - 1;
		if (search->page < SCAN_PAGE)
			break;
	}
	return false;
}

/* Return true if the link map of a known module leads to an image that contains `pc`. */
static bool draft_linked(struct cairn_space *space, uint64_t pc)
{
	uint64_t bias;

	for (size_t i = 0; i < space->count; i++)
		if (module_is_live(space, space->modules[i]) &&
		    linked_modules_find(&space->target, space->modules[i], pc, &bias))
			return draft_at(space, bias, pc);
	return false;
}

/* Search near the pc, then in the link map, then everywhere below the pc. */
static bool search_header(struct cairn_space *space, struct header_search *search)
{
	unsigned far = search->left > SCAN_NEAR ? search->left - SCAN_NEAR : 0;

	if (search_header_downwards(space, search, far))
		return true;
	if (search->left > far) /* the search ended early, so there is no module further down */
		return false;
	if (draft_linked(space, search->pc))
		return true;
	return search_header_downwards(space, search, 0);
}

/*
 * Search memory for a module. The number of reads is limited, because a search could otherwise take
 * a long time in a target where every address is readable.
 */
static struct module *scan_for_module(struct cairn_space *space, uint64_t pc)
{
	unsigned all = SCAN_READS - space->scanned;
	uint8_t byte;

	if (!space_make_draft(space) || !memory_read(&space->target, pc, &byte, 1))
		return NULL;
	all = all > SCAN_SHORT ? all : SCAN_SHORT;
	struct header_search search = begin_header_search(pc, all);
	if (search_header(space, &search)) {
		space->scanned = 0;
		return space_publish_draft(space);
	}
	all = space->scanned + (all - search.left);
	space->scanned = all < SCAN_READS ? all : SCAN_READS;
	add_hole(space, search.page, pc - pc % SCAN_PAGE + SCAN_PAGE);
	return NULL;
}

/*
 * Return the module that the host has reported at `pc`, or NULL if no report covers `pc` or the
 * headers show a different range. Create the module from its headers, or from the report alone if
 * the headers are unreadable.
 */
static struct module *find_reported_module(struct cairn_space *space, uint64_t pc)
{
	const struct host_module *report = host_modules_find(&space->reports, pc);

	if (!report)
		return NULL;
	struct header_search search = begin_header_search(report->reported.low, HOST_MODULE_PAGES);
	struct module *module = find_module_of_report(space, report);
	if (module || space_find_known(space, report->reported.low) || !space_make_draft(space))
		return module;
	if (!search_header_downwards(space, &search, 0)) {
		reported_module_fill(space->draft, report, &space->target);
		return space_publish_draft(space);
	}
	module = space_publish_draft(space);
	return pc - module->low < module->high - module->low ? module : NULL;
}

/*
 * Return the module that contains `pc` in a gap between two segments of `around`. The kernel may
 * map another module into such a gap, such as the vDSO on aarch64. Its header is nearby, above the
 * preceding segment. Return `around` if no module is found.
 */
static struct module *find_in_gap(struct cairn_space *space, struct module *around, uint64_t pc)
{
	const uint64_t page = pc - pc % SCAN_PAGE;
	unsigned pages = 1;

	if (!around->has_gap || is_in_segment(around, pc) || in_hole(space, pc) ||
	    space->count == MODULES_MAX || !space_make_draft(space))
		return around;
	while (pages < SCAN_NEAR && !is_in_segment(around, page - (pages - 1) * SCAN_PAGE - 1))
		pages++;
	struct header_search search = begin_header_search(pc, pages);
	if (search_header_downwards(space, &search, 0) && is_in_segment(space->draft, pc))
		return space_publish_draft(space);
	add_hole(space, page, page + SCAN_PAGE);
	return around;
}

static bool is_remapped(const struct cairn_space *space, uint64_t pc)
{
	return space_find_remapped(space, &pc);
}

struct module *space_find(struct cairn_space *space, uint64_t pc)
{
	struct module *module;

	if (space->last.valid && space->last.pc == pc)
		return space->last.module;
	module = space_find_known(space, pc);
	module = module ? find_in_gap(space, module, pc) : find_reported_module(space, pc);
	if (!module && !in_hole(space, pc) && !is_remapped(space, pc))
		module = scan_for_module(space, pc);
	if (space->still)
		space->last = (struct last_answer){ true, pc, module };
	return module;
}

struct module *space_query(struct cairn_space *space, uint64_t pc)
{
	space_begin_query(space);
	return space_find(space, pc);
}
