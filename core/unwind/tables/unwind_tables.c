/* SPDX-License-Identifier: MIT */
/*
 * Finds and reads a module's unwind tables on first use. Program headers contain the location of a
 * table. If the linker has not created a program header for a table, the section's location in the
 * host's report is used. Memory is searched only if there is no report.
 */
#include "unwind_tables.h"

#include "modules.h"
#include "sframe_rules.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/target_memory.h"
#include "formats/ehframe/ehframe.h"
#include "formats/sframe/sframe.h"

#include <stdlib.h>
#include <string.h>

enum { SECTION_SCAN_MAX = 1 << 26 };

/* Searches a module's read-only segments for an .sframe header or an .eh_frame CIE. */

enum {
	CHUNK = 1 << 14,
	OVERLAP = 64, /* number of bytes needed to examine a candidate */
	SFRAME_ALIGN = 8,
	FRAMES_ALIGN = 4,
};

struct section_scan {
	struct cairn_space *space;
	struct module *module;
	const struct module_segment *segment;
	uint64_t low, high;
	uint64_t left;
};

typedef bool judge(struct section_scan *hunt, struct cairn_bytes bytes, uint64_t va);

static bool matches_sframe_header(struct section_scan *hunt, struct cairn_bytes bytes, uint64_t va)
{
	const uint8_t *p = bytes.data;
	bool big = hunt->module->big;
	uint64_t left = hunt->segment->va + hunt->segment->size - va;

	if (bytes_u16(p, big) != 0xdee2 || p[2] < 1 || p[2] > 3 || p[3] > 7 || p[4] < 1 || p[4] > 4)
		return false;
	uint64_t rows_size = bytes_u32(p + 16, big), rows_at = bytes_u32(p + 24, big);
	return bytes_u32(p + 8, big) > 0 && SFRAME_HEADER + p[7] + rows_at + rows_size <= left;
}

/*
 * Return true for a CIE of version 1 or 3 (riscv64) whose augmentation begins with "z", followed by
 * FDEs for the module's code.
 */
static bool matches_eh_frame(struct section_scan *hunt, struct cairn_bytes bytes, uint64_t va)
{
	const uint8_t *p = bytes.data;
	struct module *m = hunt->module;
	uint32_t length = bytes_u32(p, m->big);
	const struct cfi_memory view = module_cfi_memory(hunt->space, m);
	uint8_t encoding;

	if (length < 9 || length > OVERLAP || bytes_u32(p + 4, m->big) != 0 ||
	    (p[8] != 1 && p[8] != 3) || p[9] != 'z' ||
	    ehframe_cie_encoding(bytes, va, m->big, view.word, &encoding) != CAIRN_OK)
		return false;
	return cfi_coverage_walk(&m->cfi, &view, va, hunt->segment->va + hunt->segment->size - va,
	                         hunt->low, hunt->high);
}

static bool search_chunk(struct section_scan *hunt, const uint8_t *chunk, size_t size, uint64_t va,
                         size_t align, judge *matches, uint64_t *found)
{
	size_t first = (size_t)(-va % align);

	for (size_t at = first; at + OVERLAP <= size && at < CHUNK; at += align)
		if (matches(hunt, (struct cairn_bytes){ chunk + at, size - at }, va + at)) {
			*found = va + at;
			return true;
		}
	return false;
}

static bool search_segment(struct section_scan *hunt, size_t align, judge *matches, uint64_t *found)
{
	uint8_t chunk[CHUNK + OVERLAP];
	const struct module_segment *s = hunt->segment;

	for (uint64_t at = 0; at < s->size && at < hunt->left; at += CHUNK) {
		uint64_t rest = s->size - at;
		size_t want = rest < sizeof(chunk) ? (size_t)rest : sizeof(chunk);
		memset(chunk, 0, sizeof(chunk));
		size_t size = memory_read_some(&hunt->space->target,
		                               s->va + at + hunt->module->bias, chunk, want);
		size_t padded = size == want && rest <= sizeof(chunk) ? want + OVERLAP : size;
		padded = padded < sizeof(chunk) ? padded : sizeof(chunk);
		if (search_chunk(hunt, chunk, padded, s->va + at, align, matches, found))
			return true;
		if (size < want)
			break;
	}
	hunt->left -= s->size < hunt->left ? s->size : hunt->left;
	return false;
}

/*
 * Return true if the module has a read-only segment without code. If so, this segment contains all
 * tables. Old linkers do not create such a segment and put the tables into the code segment.
 */
static bool has_constants(const struct module *m)
{
	for (unsigned i = 1; i < m->segment_count; i++)
		if (!(m->segments[i].flags & (ELF_PF_WRITE | ELF_PF_EXECUTE)))
			return true;
	return false;
}

static bool search_segments(struct section_scan *hunt, size_t align, judge *matches,
                            uint64_t *found)
{
	const struct module *m = hunt->module;

	if (!module_code_range(m, &hunt->low, &hunt->high))
		return false;
	for (unsigned code = 0; code < (has_constants(m) ? 1 : 2); code++)
		for (unsigned i = 0; i < m->segment_count; i++) {
			hunt->segment = &m->segments[i];
			bool executable = (hunt->segment->flags & ELF_PF_EXECUTE) != 0;
			if ((hunt->segment->flags & ELF_PF_WRITE) || executable != code)
				continue;
			if (search_segment(hunt, align, matches, found))
				return true;
		}
	return false;
}

static bool section_scan_sframe(struct cairn_space *space, struct module *module, uint64_t *va,
                                uint64_t *size)
{
	struct section_scan hunt = { .space = space, .module = module, .left = SECTION_SCAN_MAX };

	if (!search_segments(&hunt, SFRAME_ALIGN, matches_sframe_header, va))
		return false;
	*size = hunt.segment->va + hunt.segment->size - *va;
	return true;
}

static bool section_scan_eh_frame(struct cairn_space *space, struct module *module)
{
	struct section_scan hunt = { .space = space, .module = module, .left = SECTION_SCAN_MAX };
	uint64_t found;

	return search_segments(&hunt, FRAMES_ALIGN, matches_eh_frame, &found);
}

enum {
	SFRAME_MAX = 1 << 28,
	SFRAME_STEP = 1 << 16,
	SFRAMES_MAX = 1 << 30, /* maximum total size of a space's .sframe copies */
};

/*
 * Return the distance from `va` to the end of its segment. Needed because linkers write too large a
 * size for PT_GNU_SFRAME.
 */
static uint64_t bytes_to_segment_end(const struct module *module, uint64_t va)
{
	for (unsigned i = 0; i < module->segment_count; i++) {
		const struct module_segment *s = &module->segments[i];
		if (va - s->va < s->size)
			return s->va + s->size - va;
	}
	return 0;
}

static bool locate_sframe(struct cairn_space *space, struct module *module, uint64_t *size)
{
	const struct host_module *report = module_find_host_module(space, module);

	*size = module->sframe_size;
	if (*size > 0)
		return true;
	if (!report)
		return section_scan_sframe(space, module, &module->sframe_va, size);
	*size = range_size(report->reported.sframe);
	module->sframe_va = report->reported.sframe.low - module->bias;
	return *size > 0;
}

static bool set_module_fault(struct module *module, enum cairn_status status, const char *what)
{
	module->fault = (struct cairn_fault){ status, 0, what };
	return false;
}

static uint64_t bytes_held(const struct cairn_space *space)
{
	uint64_t held = 0;

	for (size_t i = 0; i < space->count; i++)
		held += space->modules[i]->sframe_held;
	return held;
}

static void drop_bytes(struct module *module)
{
	free(module->sframe_bytes);
	module->sframe_bytes = NULL;
	module->sframe_held = 0;
}

/*
 * Grow the module's copy of the table. The module owns the copy from the start, because the host
 * may throw an exception from a read.
 */
static bool grow_sframe_bytes(struct cairn_space *space, struct module *module, size_t size)
{
	if (size - module->sframe_held > SFRAMES_MAX - bytes_held(space))
		return set_module_fault(module, CAIRN_LIMIT,
		                        "the tables of all modules together exceed the size limit");
	uint8_t *grown = realloc(module->sframe_bytes, size);
	if (!grown)
		return set_module_fault(module, CAIRN_NO_MEMORY, "out of memory");
	module->sframe_bytes = grown;
	module->sframe_held = size;
	return true;
}

static void shrink_sframe_bytes(struct module *module, size_t got)
{
	uint8_t *smaller = got < module->sframe_held ? realloc(module->sframe_bytes, got) : NULL;

	if (!smaller)
		return;
	module->sframe_bytes = smaller;
	module->sframe_held = got;
}

/*
 * Copy the table in steps of doubling size, so that a file cannot cause a large allocation merely
 * by claiming a size. Return false if allocation fails.
 */
static bool copy_sframe_bytes(struct cairn_space *space, struct module *module, size_t size,
                              size_t *got)
{
	size_t capacity = size < SFRAME_STEP ? size : SFRAME_STEP;

	drop_bytes(module); /* an interrupted read may have left a partial copy */
	for (*got = 0;; capacity = size - capacity > capacity ? 2 * capacity : size) {
		if (!grow_sframe_bytes(space, module, capacity))
			return false;
		*got += memory_read_some(&space->target, module->sframe_va + module->bias + *got,
		                         module->sframe_bytes + *got, capacity - *got);
		if (*got < capacity || capacity == size)
			return true;
	}
}

static bool read_sframe(struct cairn_space *space, struct module *module)
{
	uint64_t size;
	size_t got;

	if (!locate_sframe(space, module, &size))
		return false;
	uint64_t limit = bytes_to_segment_end(module, module->sframe_va);
	size = size < limit ? size : limit;
	size = size < SFRAME_MAX ? size : SFRAME_MAX;
	if (size == 0)
		return set_module_fault(module, CAIRN_MALFORMED, "no segment contains the section");
	if (!copy_sframe_bytes(space, module, (size_t)size, &got)) {
		drop_bytes(module);
		return false;
	}
	if (got == 0) {
		drop_bytes(module);
		return set_module_fault(module, CAIRN_UNREADABLE, "the section cannot be read");
	}
	shrink_sframe_bytes(module, got);
	struct cairn_bytes bytes = { module->sframe_bytes, got };
	module->rules = cairn_rules_new(bytes, module->sframe_va);
	return module->rules || set_module_fault(module, CAIRN_NO_MEMORY, "out of memory");
}

bool module_adopt_sframe(struct cairn_space *space, struct module *module, struct cairn_bytes table,
                         uint64_t va)
{
	struct cairn_rules *rules = NULL;

	if (table.size > SFRAME_MAX)
		return set_module_fault(module, CAIRN_LIMIT, "the table is too large");
	drop_bytes(module);
	if (!grow_sframe_bytes(space, module, table.size))
		return false;
	memcpy(module->sframe_bytes, table.data, table.size);
	rules = cairn_rules_new((struct cairn_bytes){ module->sframe_bytes, table.size }, va);
	if (!rules) {
		drop_bytes(module);
		return set_module_fault(module, CAIRN_NO_MEMORY, "out of memory");
	}
	module->rules = rules;
	module->sframe_va = va;
	module->sframe = MODULE_SFRAME_READY;
	return true;
}

struct cairn_rules *module_rules(struct cairn_space *space, struct module *module)
{
	uint64_t low, high;

	if (module->sframe != MODULE_SFRAME_UNTRIED)
		return module->rules;
	if (!read_sframe(space, module)) {
		module->sframe = MODULE_SFRAME_NONE;
		return NULL;
	}
	module->sframe = MODULE_SFRAME_READY;
	if (module_code_range(module, &low, &high))
		rules_correct_base(module->rules, low, high);
	return module->rules;
}

enum cairn_status module_find_rule(struct cairn_space *space, struct module *module, uint64_t va,
                                   const struct cairn_rule **rule, struct cairn_fault *fault)
{
	struct cairn_rules *rules = module_rules(space, module);

	if (!rules) {
		return fault_set(fault, CAIRN_NOT_FOUND, "the module has no .sframe");
	}
	enum cairn_status status = cairn_rules_find(rules, va, rule, fault);
	if (status != CAIRN_OK && status != CAIRN_NOT_FOUND)
		module->fault = *fault;
	return status;
}

static bool find_code(struct module *module, uint64_t *low, uint64_t *high)
{
	if (!module->report)
		return module_code_range(module, low, high);
	*low = module->low;
	*high = module->high;
	return true;
}

/*
 * Return true if no host has examined the module's sections: cairn itself has found the module, or
 * a minidump lists it and its headers can be read from its file.
 */
static bool is_unexamined(const struct cairn_space *space, const struct module *module,
                          const struct host_module *report)
{
	return !report || (space->still && !module->report && !reports_cfi(&report->reported));
}

static bool find_frames(struct cairn_space *space, struct module *module,
                        const struct cfi_memory *view)
{
	const struct host_module *report = module_find_host_module(space, module);
	uint64_t low, high;

	if (is_unexamined(space, module, report))
		return section_scan_eh_frame(space, module);
	if (!find_code(module, &low, &high))
		return false;
	uint64_t size = range_size(report->reported.eh_frame);
	return size > 0 &&
	       cfi_coverage_walk(&module->cfi, view, report->reported.eh_frame.low - module->bias,
	                         size, low, high);
}

static bool find_named_frames(struct module *module, const struct cfi_memory *view)
{
	const uint64_t frames = module->cfi.frames, size = bytes_to_segment_end(module, frames);
	uint64_t low, high;

	return frames && size > 0 && find_code(module, &low, &high) &&
	       cfi_coverage_walk(&module->cfi, view, frames, size, low, high);
}

static void open_cfi(struct cairn_space *space, struct module *module,
                     const struct cfi_memory *view)
{
	struct cfi_coverage *cfi = &module->cfi;
	uint32_t size = cfi->header_size;

	if (!(size && cfi_coverage_open_header(cfi, view, size)) &&
	    !(size && find_named_frames(module, view)) && !find_frames(space, module, view))
		cfi->state = CFI_NONE;
}

struct cfi_coverage *module_cfi(struct cairn_space *space, struct module *module)
{
	const struct cfi_memory view = module_cfi_memory(space, module);

	if (module->cfi.state == CFI_UNTRIED)
		open_cfi(space, module, &view);
	return module->cfi.state == CFI_NONE ? NULL : &module->cfi;
}

/*
 * Walk .eh_frame instead if its search table has turned out to be damaged. Tried once per module.
 */
static bool leave_damaged_table(struct cairn_space *space, struct module *module,
                                const struct cfi_memory *view)
{
	if (module->cfi.state != CFI_TABLE || !module->cfi.damaged || module->cfi.walked)
		return false;
	module->cfi.walked = true;
	return find_named_frames(module, view) || find_frames(space, module, view);
}

const struct cfi_range *module_find_cfi(struct cairn_space *space, struct module *module,
                                        uint64_t va)
{
	const struct cfi_memory view = module_cfi_memory(space, module);
	struct cfi_coverage *cfi = module_cfi(space, module);
	const struct cfi_range *range = cfi ? cfi_coverage_find(cfi, &view, va) : NULL;

	if (range && !range->covered && leave_damaged_table(space, module, &view))
		range = cfi_coverage_find(cfi, &view, va);
	return range && range->covered ? range : NULL;
}

bool space_give_debug_frame(struct cairn_space *space, uint64_t pc, struct cairn_bytes section)
{
	struct module *module = space_query(space, pc);
	if (!module || module->debug_frame)
		return false;
	const struct arch *arch = arch_of(module->machine);
	module->debug_frame = debug_frame_index_new(section, module->big, arch ? arch->address : 8);
	return module->debug_frame != NULL;
}

bool cairn_space_sframe_summary(struct cairn_space *space, uint64_t pc,
                                struct cairn_sframe_summary *tables)
{
	struct module *module = space_query(space, pc);
	const struct cairn_rules *rules = module ? module_rules(space, module) : NULL;

	if (!rules || rules->table_count == 0)
		return false;
	*tables = (struct cairn_sframe_summary){ .low = rules->address + module->bias,
		                                 .count = rules->table_count };
	for (size_t i = 0; i < rules->table_count; i++) {
		const struct sframe_table *table = &rules->tables[i];
		tables->functions += table->functions;
		tables->size += table->bytes.size;
		tables->versions |= 1u << table->version;
	}
	return true;
}
