/* SPDX-License-Identifier: MIT */
#include "modules.h"

#include "hunt.h"
#include "image.h"
#include "memory.h"
#include "rules.h"

#include <stdlib.h>
#include <string.h>

enum {
	SCAN_PAGE = 4096,
	SCAN_PAGES = 1 << 18, /* 1 GiB below the pc */
	SCAN_GAP = 512,       /* unreadable pages in a row: old linkers left holes of 2 MiB */
	SFRAME_MAX = 1 << 28, /* bytes of one .sframe that are read */
};

static void module_free(struct module *module)
{
	if (!module)
		return;
	cairn_rules_free(module->rules);
	free(module->sframe_bytes);
	cfi_finish(&module->cfi);
	free(module);
}

struct cairn_space *cairn_space_new(const struct cairn_target *target)
{
	struct cairn_space *space = calloc(1, sizeof(*space));

	if (space)
		space->target = *target;
	return space;
}

void cairn_space_forget(struct cairn_space *space)
{
	for (size_t i = 0; i < space->count; i++)
		module_free(space->modules[i]);
	module_free(space->draft);
	struct cairn_target target = space->target;
	*space = (struct cairn_space){ .target = target, .tick = space->tick };
}

void cairn_space_free(struct cairn_space *space)
{
	if (!space)
		return;
	cairn_space_forget(space);
	free(space);
}

void space_tick(struct cairn_space *space)
{
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

bool module_code_span(const struct module *module, uint64_t *low, uint64_t *high)
{
	bool found = false;

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

/* A known module at `pc`.  One whose bytes are gone may belong to another process: it is kept. */
static struct module *known(struct cairn_space *space, uint64_t pc)
{
	for (size_t i = 0; i < space->count; i++) {
		struct module *m = space->modules[i];
		if (pc - m->low >= m->high - m->low)
			continue;
		if (m->checked != space->tick) {
			if (!image_unchanged(&space->target, m))
				continue;
			m->checked = space->tick;
		}
		return m;
	}
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

/* Does an image that holds `pc` begin at this page?  If so it is the draft. */
static bool draft_at(struct cairn_space *space, uint64_t page, uint64_t pc)
{
	struct module *draft = space->draft;

	return image_read(&space->target, page, draft) &&
	       pc - draft->low < draft->high - draft->low;
}

/* Look for the ELF header from the pc's page downwards. */
static bool scan(struct cairn_space *space, uint64_t pc)
{
	static const uint8_t magic[4] = { 0x7f, 'E', 'L', 'F' };
	uint64_t page = pc - pc % SCAN_PAGE;
	uint8_t start[4];
	unsigned gap = 0;

	if (!memory_read(&space->target, pc, start, 1))
		return false;
	for (uint64_t i = 0; i < SCAN_PAGES && gap < SCAN_GAP; i++, page -= SCAN_PAGE) {
		bool readable = memory_read(&space->target, page, start, sizeof(start));
		gap = readable ? 0 : gap + 1;
		if (readable && memcmp(start, magic, sizeof(magic)) == 0 &&
		    draft_at(space, page, pc))
			return true;
		if (page < SCAN_PAGE)
			break;
	}
	add_hole(space, page, pc - pc % SCAN_PAGE + SCAN_PAGE);
	return false;
}

struct module *space_find(struct cairn_space *space, uint64_t pc)
{
	struct module *module = known(space, pc);

	if (module || in_hole(space, pc))
		return module;
	if (space->count == MODULES_MAX)
		cairn_space_forget(space);
	if (!space->draft)
		space->draft = calloc(1, sizeof(*space->draft));
	if (!space->draft || !scan(space, pc))
		return NULL;
	module = space->draft;
	module->checked = space->tick;
	space->modules[space->count++] = module;
	space->draft = NULL;
	return module;
}

/* Up to the end of the segment that holds it: linkers give PT_GNU_SFRAME too large a size. */
static uint64_t bytes_to_segment_end(const struct module *module, uint64_t va)
{
	for (unsigned i = 0; i < module->segment_count; i++) {
		const struct module_segment *s = &module->segments[i];
		if (va - s->va < s->size)
			return s->va + s->size - va;
	}
	return 0;
}

/* Copy the table out of the target; what cannot be read is cut off. */
static bool read_sframe(struct cairn_space *space, struct module *module)
{
	uint64_t size = module->sframe_size;

	if (size == 0 && !hunt_sframe(space, module, &module->sframe_va, &size))
		return false;
	uint64_t limit = bytes_to_segment_end(module, module->sframe_va);
	size = size < limit ? size : limit;
	size = size < SFRAME_MAX ? size : SFRAME_MAX;
	free(module->sframe_bytes);
	module->sframe_bytes = size ? malloc((size_t)size) : NULL;
	if (!module->sframe_bytes)
		return false;
	size_t got = memory_read_some(&space->target, module->sframe_va + module->bias,
	                              module->sframe_bytes, (size_t)size);
	struct cairn_bytes bytes = { module->sframe_bytes, got };
	module->rules = cairn_rules_new(bytes, module->sframe_va);
	return module->rules != NULL;
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
	if (module_code_span(module, &low, &high))
		rules_settle_base(module->rules, low, high);
	return module->rules;
}

/*
 * A file without section headers shows a debugger no .eh_frame, whatever memory holds.  Where
 * the search table cannot be used, .eh_frame itself is looked for.
 */
static void open_cfi(struct cairn_space *space, struct module *module, const struct cfi_view *view)
{
	struct cfi *cfi = &module->cfi;
	uint32_t size = cfi->header_size;

	if (!module->has_sections ||
	    (!(size && cfi_open_header(cfi, view, size)) && !hunt_frames(space, module)))
		cfi->state = CFI_NONE;
}

bool module_has_cfi(struct cairn_space *space, struct module *module, uint64_t va)
{
	struct cfi_view view = { &space->target, module->bias, module->big };

	if (module->cfi.state == CFI_UNTRIED)
		open_cfi(space, module, &view);
	return module->cfi.state != CFI_NONE && cfi_covers(&module->cfi, &view, va);
}

bool cairn_space_has_cfi(struct cairn_space *space, uint64_t pc)
{
	space_tick(space);
	struct module *module = space_find(space, pc);
	return module && module_has_cfi(space, module, pc - module->bias);
}

bool cairn_space_has_sframe(struct cairn_space *space, uint64_t pc)
{
	const struct cairn_rule *rule;

	space_tick(space);
	struct module *module = space_find(space, pc);
	struct cairn_rules *rules = module ? module_rules(space, module) : NULL;
	return rules && cairn_rules_find(rules, pc - module->bias, &rule, NULL) == CAIRN_OK;
}

enum cairn_status cairn_space_module(struct cairn_space *space, uint64_t pc,
                                     struct cairn_module *out)
{
	space_tick(space);
	struct module *m = space_find(space, pc);

	if (!m)
		return CAIRN_NOT_FOUND;
	*out = (struct cairn_module){ .low = m->low,
		                      .high = m->high,
		                      .bias = m->bias,
		                      .entry = m->entry,
		                      .machine = m->machine,
		                      .big_endian = m->big,
		                      .build_id = { m->id, m->id_size } };
	return CAIRN_OK;
}
