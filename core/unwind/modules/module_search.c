/* SPDX-License-Identifier: MIT */
/*
 * Finds the module that contains a pc: among those that are known, by what the host reported, or by
 * a search for its ELF header in memory.
 */
#include "modules.h"

#include "image.h"
#include "linked_modules.h"
#include "reported_module.h"

#include "unwind/target/memory.h"

#include <string.h>

enum {
	SCAN_PAGE = 4096,
	SCAN_READS = 1 << 17, /* of searches that found nothing, in a row: 512 MiB of pages */
	SCAN_NEAR = 8,        /* that are made before the dynamic linker's list is asked for */
	SCAN_SHORT = 256,     /* that each further one may take */
	SCAN_PROBE = 64,      /* probes that are made before the first page of all is asked for */
	SCAN_DRAFT = 8,       /* what a page costs that only looks like a module */
	SCAN_GAP = 512,       /* unreadable pages in a row: old linkers left holes of 2 MiB */
	SCAN_GAPS = 4 * SCAN_GAP, /* in all: such a hole before each of four segments */
	HOST_MODULE_PAGES =
		17, /* below a module's first section: 64 KiB when pages are that large */
};

/* Is the pc in a page of one of its segments? */
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
 * A module found at `pc`.  One whose bytes are gone may belong to another process: it is kept.  Of one with a gap there, where another may be, this other counts.
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
	uint64_t pc, page;  /* where it goes on */
	unsigned left;      /* reads that it may take */
	unsigned gap, gaps; /* pages that were unreadable, in a row and in all */
	unsigned pages;
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

/*
 * Returns the module that the host reported at `pc`.  It is built from its headers, or from the report
 * alone if they cannot be read.  NULL if no report covers the pc, or the range in the headers does not.
 */
static struct module *find_reported_module(struct cairn_space *space, uint64_t pc)
{
	const struct host_module *report = host_modules_find(&space->reports, pc);

	if (!report)
		return NULL;
	struct header_search search = begin_header_search(report->told.low, HOST_MODULE_PAGES);
	struct module *module = find_module_of_report(space, report);
	if (module || space_find_known(space, report->told.low) || !space_make_draft(space))
		return module;
	if (!search_header_downwards(space, &search, 0)) {
		reported_module_fill(space->draft, report, &space->target);
		return space_publish_draft(space);
	}
	module = space_publish_draft(space);
	return pc - module->low < module->high - module->low ? module : NULL;
}

/*
 * What lies between two segments of a module that the kernel has loaded, as the vDSO does on aarch64: its header is near, and above
 * the segment before.
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
