/* SPDX-License-Identifier: MIT */
/*
 * Finds the module that contains a pc by searching for its ELF header and manages the modules of a
 * space.
 */
#include "modules.h"

#include "image.h"
#include "linked_modules.h"
#include "reported_module.h"

#include "engine/target/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
	SCAN_PAGE = 4096,
	SCAN_READS = 1 << 17, /* of searches that found nothing, in a row: 512 MiB of pages */
	SCAN_NEAR = 8,        /* that are made before the dynamic linker's list is asked for */
	SCAN_SHORT = 256,     /* that each further one may take */
	SCAN_PROBE = 64,      /* that are made before the first page of all is asked for */
	SCAN_REFILL = 4,      /* forgiven at each question of the host */
	SCAN_DRAFT = 8,       /* what a page costs that only looks like a module */
	SCAN_GAP = 512,       /* unreadable pages in a row: old linkers left holes of 2 MiB */
	HOST_MODULE_PAGES =
		17, /* below a module's first section: 64 KiB when pages are that large */
};

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

/* All that was found; what the host reported stays. */
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
}

void cairn_space_reset(struct cairn_space *space)
{
	forget_found(space);
	host_modules_finish(&space->reports);
	space_traces_free(space->traces);
	space->traces = NULL;
}

void space_set_stack_cfi(struct cairn_space *space, struct stack_cfi_files files)
{
	space->breakpad = files;
}

void space_set_go(struct cairn_space *space, struct go_tables tables)
{
	space->go = tables;
}

void cairn_space_free(struct cairn_space *space)
{
	if (!space)
		return;
	cairn_space_reset(space);
	free(space->entries);
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

/* A module found at `pc`.  One whose bytes are gone may belong to another process: it is kept. */
static struct module *find_known_module(struct cairn_space *space, uint64_t pc)
{
	for (size_t i = 0; i < space->count; i++) {
		struct module *m = space->modules[i];
		if (!m->report && pc - m->low < m->high - m->low && module_is_live(space, m))
			return m;
	}
	return NULL;
}

/* The module that was made of this report alone. */
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

bool space_make_draft(struct cairn_space *space)
{
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
	module_free(space->modules[index]);
	space->modules[index] = space->modules[--space->count];
}

struct module *space_publish_draft(struct cairn_space *space)
{
	struct module *module = space->draft;

	module->checked = space->tick;
	space->modules[space->count++] = module;
	space->draft = NULL;
	return module;
}

/* Does an image that holds `pc` begin at this page?  If so it is the draft. */
static bool draft_at(struct cairn_space *space, uint64_t page, uint64_t pc)
{
	struct module *draft = space->draft;

	return image_read(&space->target, page, draft) &&
	       pc - draft->low < draft->high - draft->low;
}

/*
 * An operating system keeps the first page of a process unreadable.  Where it can be read, everything
 * can, and a module that is not near will not be found by a search.
 */
static bool reads_first_page(const struct cairn_space *space)
{
	uint8_t byte;

	return memory_read(&space->target, 0, &byte, 1);
}

/* A search for the ELF header of the image that holds `pc`, from its page downwards. */
struct header_search {
	uint64_t pc, page; /* where it goes on */
	unsigned left;     /* reads that it may take */
	unsigned gap, pages;
};

static struct header_search begin_header_search(uint64_t pc, unsigned reads)
{
	return (struct header_search){ .pc = pc, .page = pc - pc % SCAN_PAGE, .left = reads };
}

/* Go on until `left` reads are left: found, or where the search ended is in search->page. */
static bool search_header_downwards(struct cairn_space *space, struct header_search *search,
                                    unsigned left)
{
	static const uint8_t magic[4] = { 0x7f, 'E', 'L', 'F' };
	uint8_t start[4];

	for (; search->left > left && search->gap < SCAN_GAP;
	     --search->left, search->page -= SCAN_PAGE) {
		if (search->pages++ == SCAN_PROBE && reads_first_page(space))
			break;
		bool readable = memory_read(&space->target, search->page, start, sizeof(start));
		bool begins = readable && memcmp(start, magic, sizeof(magic)) == 0;
		search->gap = readable ? 0 : search->gap + 1;
		if (begins && draft_at(space, search->page, search->pc))
			return true;
		if (begins)
			search->left -= search->left > SCAN_DRAFT ? SCAN_DRAFT : search->left - 1;
		if (search->page < SCAN_PAGE)
			break;
	}
	return false;
}

/* Does the dynamic linker's list of a module that is known lead to an image that holds `pc`? */
static bool draft_linked(struct cairn_space *space, uint64_t pc)
{
	uint64_t bias;

	for (size_t i = 0; i < space->count; i++)
		if (module_is_live(space, space->modules[i]) &&
		    linked_modules_find(&space->target, space->modules[i], pc, &bias))
			return draft_at(space, bias, pc);
	return false;
}

/* Near the pc, then where the dynamic linker has a module, then everywhere below. */
static bool search_header(struct cairn_space *space, struct header_search *search)
{
	unsigned far = search->left > SCAN_NEAR ? search->left - SCAN_NEAR : 0;

	if (search_header_downwards(space, search, far))
		return true;
	if (search->left > far) /* it ended before: nothing is below */
		return false;
	if (draft_linked(space, search->pc))
		return true;
	return search_header_downwards(space, search, 0);
}

/* Targets may answer every read, so that a search would not end for a long time, at each address. */
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

static struct module *make_module_of_report(struct cairn_space *space,
                                            const struct host_module *report)
{
	reported_module_fill(space->draft, report, &space->target);
	return space_publish_draft(space);
}

/*
 * The module that the host reported at `pc`: by its headers, or of the report alone where they
 * cannot be read.  NULL when there is no report, or the headers give a range without the pc.
 */
static struct module *find_reported_module(struct cairn_space *space, uint64_t pc)
{
	const struct host_module *report = host_modules_find(&space->reports, pc);

	if (!report)
		return NULL;
	struct header_search search = begin_header_search(report->told.low, HOST_MODULE_PAGES);
	struct module *module = find_module_of_report(space, report);
	if (module || find_known_module(space, report->told.low) || !space_make_draft(space))
		return module;
	if (!search_header_downwards(space, &search, 0))
		return make_module_of_report(space, report);
	module = space_publish_draft(space);
	return pc - module->low < module->high - module->low ? module : NULL;
}

struct module *space_find(struct cairn_space *space, uint64_t pc)
{
	struct module *module = find_known_module(space, pc);

	if (!module)
		module = find_reported_module(space, pc);
	if (!module && !in_hole(space, pc))
		module = scan_for_module(space, pc);
	return module;
}

void cairn_space_begin_modules(struct cairn_space *space)
{
	host_modules_begin(&space->reports);
}

/* What was looked for in vain may be where the report says. */
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

	if (status == CAIRN_OK && space->reports.count > before)
		try_again(space, report);
	return status;
}

static void drop_made_of(struct cairn_space *space, const struct host_module *report)
{
	size_t kept = 0;

	for (size_t i = 0; i < space->count; i++)
		if (space->modules[i]->report == report)
			module_free(space->modules[i]);
		else
			space->modules[kept++] = space->modules[i];
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
