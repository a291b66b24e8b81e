/* SPDX-License-Identifier: MIT */
/* Creates, keeps and drops the modules of a space. */
#include "modules.h"

#include "image.h"

#include "unwind/target/arch.h"

#include <stdlib.h>
#include <string.h>

enum { SCAN_REFILL = 4 }; /* reads of unsuccessful searches forgiven per query */

static void module_free(struct module *module)
{
	if (!module)
		return;
	cairn_rules_free(module->rules);
	free(module->sframe_bytes);
	cfi_coverage_finish(&module->cfi);
	debug_frame_index_free(module->debug_frame);
	if (module->free_saved)
		module->free_saved(module->saved);
	cairn_files_free(module->files);
	free(module);
}

struct cairn_space *cairn_space_new(const struct cairn_target *target)
{
	struct cairn_space *space = calloc(1, sizeof(*space));

	if (space)
		space->target = *target;
	return space;
}

/* Forget all modules that were found. Reports of the host stay. */
static void forget_found(struct cairn_space *space)
{
	for (size_t i = 0; i < space->count; i++)
		module_free(space->modules[i]);
	module_free(space->draft);
	space->count = 0;
	space->draft = NULL;
	memset(space->holes, 0, sizeof(space->holes));
	space->next_hole = 0;
	space->scanned = 0;
	space->forgotten++;
	space->last.valid = false;
}

void cairn_space_reset(struct cairn_space *space)
{
	if (space->made.free)
		space_set_made_code_rules(space, (struct made_code_rules){ .find = NULL });
	forget_found(space);
	host_modules_finish(&space->reports);
	registered_images_free(&space->registered);
	space_traces_free(space->traces);
	space->traces = NULL;
}

#define SIGNATURE_BITS \
	(UINT64_MAX << 36) /* 16 KiB pages with two levels: the smallest address space of Linux */

void space_set_signature_bits(struct cairn_space *space, uint64_t bits)
{
	space->signature_bits = bits & SIGNATURE_BITS;
}

void space_set_made_code_rules(struct cairn_space *space, struct made_code_rules rules)
{
	if (space->made.free)
		space->made.free(space->made.context);
	space->made = rules;
}

void cairn_space_free(struct cairn_space *space)
{
	if (!space)
		return;
	cairn_space_reset(space);
	free(space->entries);
	free(space->rows);
	free(space->flow);
	free(space->path);
	free(space);
}

void space_begin_query(struct cairn_space *space)
{
	space->tick += !space->host_ticks;
	space->scanned -= space->scanned < SCAN_REFILL ? space->scanned : SCAN_REFILL;
}

void cairn_space_begin_query(struct cairn_space *space)
{
	space->host_ticks = true;
	space->tick++;
}

bool module_is_code(const struct module *module, uint64_t va)
{
	for (unsigned i = 0; i < module->segment_count; i++) {
		const struct module_segment *s = &module->segments[i];
		if ((s->flags & ELF_PF_EXECUTE) && va - s->va < s->size)
			return true;
	}
	return false;
}

struct cfi_memory module_cfi_memory(const struct cairn_space *space, const struct module *module)
{
	const struct arch *arch = arch_of(module->machine);

	return (struct cfi_memory){ &space->target, module->bias, module->big,
		                    arch ? arch->address : 8 };
}

bool module_code_range(const struct module *module, uint64_t *low, uint64_t *high)
{
	bool found = false;

	if (module->report && range_size(module->report->told.text) > 0) {
		*low = module->report->told.text.low;
		*high = module->report->told.text.high;
		return true;
	}
	for (unsigned i = 0; i < module->segment_count; i++) {
		const struct module_segment *s = &module->segments[i];
		if (!(s->flags & ELF_PF_EXECUTE))
			continue;
		*low = found && *low < s->va ? *low : s->va;
		*high = found && *high > s->va + s->size ? *high : s->va + s->size;
		found = true;
	}
	return found;
}

const struct host_module *module_find_host_module(const struct cairn_space *space,
                                                  const struct module *module)
{
	if (module->report)
		return module->report;
	return host_modules_find_within(&space->reports, module->low, module->high);
}

bool module_is_live(struct cairn_space *space, struct module *module)
{
	if (module->checked != space->tick && !image_unchanged(&space->target, module))
		return false;
	module->checked = space->tick;
	return true;
}

bool space_make_draft(struct cairn_space *space)
{
	if (space->count == MODULES_MAX && space->still &&
	    space->forgotten >= MODULES_FORGOTTEN_MAX)
		return false;
	if (space->count == MODULES_MAX)
		forget_found(space);
	if (!space->draft)
		space->draft = calloc(1, sizeof(*space->draft));
	return space->draft != NULL;
}

void space_drop_draft(struct cairn_space *space)
{
	module_free(space->draft);
	space->draft = NULL;
}

void space_drop_module(struct cairn_space *space, size_t index)
{
	space->last.valid = false;
	module_free(space->modules[index]);
	space->modules[index] = space->modules[--space->count];
	space->spans[index] = space->spans[space->count];
}

/*
 * Return true if a module has unmapped pages between segments. Segments out of address order count
 * as a gap.
 */
static bool has_gap(const struct module *module)
{
	for (unsigned i = 1; i < module->segment_count; i++) {
		const struct module_segment *before = &module->segments[i - 1];
		const uint64_t end = before->va + before->size, next = module->segments[i].va;
		if (next < before->va ||
		    (next > end && next / MODULE_PAGE > (end + MODULE_PAGE - 1) / MODULE_PAGE))
			return true;
	}
	return false;
}

struct module *space_publish_draft(struct cairn_space *space)
{
	struct module *module = space->draft;

	module->has_gap = has_gap(module);
	module->number = ++space->numbered;
	module->checked = space->tick;
	space->last.valid = false;
	space->spans[space->count] =
		(struct module_span){ module->low,
		                      module->report ? 0 : module->high - module->low };
	space->modules[space->count++] = module;
	space->draft = NULL;
	return module;
}

void cairn_space_begin_modules(struct cairn_space *space)
{
	for (size_t i = 0; i < space->reports.count; i++)
		space->reports.list[i]->seen = false;
}

/* Retry failed searches for tables of a module, because the new report may locate them. */
static void try_again(struct cairn_space *space, const struct host_module *report)
{
	for (size_t i = 0; i < space->count; i++) {
		struct module *m = space->modules[i];
		if (m->report || report->told.low - m->low >= m->high - m->low)
			continue;
		if (m->sframe == MODULE_SFRAME_NONE)
			m->sframe = MODULE_SFRAME_UNTRIED;
		if (m->cfi.state == CFI_NONE)
			m->cfi.state = CFI_UNTRIED;
	}
}

enum cairn_status cairn_space_add_module(struct cairn_space *space,
                                         const struct cairn_host_module *told)
{
	size_t before = space->reports.count;
	struct host_module *report;
	enum cairn_status status = host_modules_add(&space->reports, told, &report);

	space->last.valid = false;
	if (status == CAIRN_OK && space->reports.count > before)
		try_again(space, report);
	return status;
}

static void drop_made_of(struct cairn_space *space, const struct host_module *report)
{
	size_t kept = 0;

	space->last.valid = false;
	for (size_t i = 0; i < space->count; i++) {
		if (space->modules[i]->report == report) {
			module_free(space->modules[i]);
			continue;
		}
		space->modules[kept] = space->modules[i];
		space->spans[kept++] = space->spans[i];
	}
	space->count = kept;
}

void cairn_space_end_modules(struct cairn_space *space)
{
	struct host_module *report;

	while ((report = host_modules_remove_unseen(&space->reports))) {
		drop_made_of(space, report);
		free(report);
	}
}
