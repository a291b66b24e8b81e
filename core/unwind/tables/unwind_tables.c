/* SPDX-License-Identifier: MIT */
/*
 * Finds and reads the unwind tables of a module on first use.
 *
 * Program headers state the location of a table. Not every linker creates a segment for it; then
 * the location of its section in the host's report is used. Memory is searched only if there is no
 * report.
 */
#include "unwind_tables.h"

#include "base/error.h"

#include "section_scan.h"

#include "sframe_rules.h"
#include "unwind/target/arch.h"
#include "unwind/target/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
	SFRAME_MAX = 1 << 28,
	SFRAME_STEP = 1 << 16,
	SFRAMES_MAX = 1 << 30, /* size limit of all .sframe copies of a space together */
};

/*
 * Return the distance from `va` to the end of its segment. Linkers write too large a size for
 * PT_GNU_SFRAME.
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
	*size = range_size(report->told.sframe);
	module->sframe_va = report->told.sframe.low - module->bias;
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

/* Grow the module's copy of the table. The module owns it from the start. */
static bool grow_sframe_bytes(struct cairn_space *space, struct module *module, size_t size)
{
	if (size - module->sframe_held > SFRAMES_MAX - bytes_held(space))
		return set_module_fault(module, CAIRN_NO_MEMORY,
		                        "the tables of all modules are too large");
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
 * Copy the table in steps that double, so that a file cannot cause a large allocation by only
 * claiming a size. Return false if memory is short.
 */
static bool copy_sframe_bytes(struct cairn_space *space, struct module *module, size_t size,
                              size_t *got)
{
	size_t room = size < SFRAME_STEP ? size : SFRAME_STEP;

	drop_bytes(module); /* left from an interrupted read */
	for (*got = 0;; room = size - room > room ? 2 * room : size) {
		if (!grow_sframe_bytes(space, module, room))
			return false;
		*got += memory_read_some(&space->target, module->sframe_va + module->bias + *got,
		                         module->sframe_bytes + *got, room - *got);
		if (*got < room || room == size)
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
		return set_module_fault(module, CAIRN_MALFORMED, "the section lies in no segment");
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
		return set_module_fault(module, CAIRN_NO_MEMORY, "the table is too large");
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
 * Return true if no host has examined the module's sections: a module that cairn itself found, or
 * one that a minidump lists and whose headers can be read from its file.
 */
static bool is_unexamined(const struct cairn_space *space, const struct module *module,
                          const struct host_module *report)
{
	return !report || (space->still && !module->report && !reports_cfi(&report->told));
}

/* Walk .eh_frame itself if the search table is unusable. */
static bool find_frames(struct cairn_space *space, struct module *module,
                        const struct cfi_memory *view)
{
	const struct host_module *report = module_find_host_module(space, module);
	uint64_t low, high;

	if (is_unexamined(space, module, report))
		return section_scan_eh_frame(space, module);
	if (!find_code(module, &low, &high))
		return false;
	uint64_t size = range_size(report->told.eh_frame);
	return size > 0 &&
	       cfi_coverage_walk(&module->cfi, view, report->told.eh_frame.low - module->bias, size,
	                         low, high);
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

/* Walk .eh_frame if its search table turned out to be damaged. This is tried once. */
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
