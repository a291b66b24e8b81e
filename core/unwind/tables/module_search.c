/* SPDX-License-Identifier: MIT */
/*
 * Finds the module that contains a pc among the known modules, by a report of the host, or by
 * searching memory for an ELF header.
 */
#include "modules.h"

#include "image.h"
#include "linked_modules.h"
#include "reported_module.h"

#include "unwind/target/memory.h"

#include <string.h>

enum {
	SCAN_PAGE = 4096,
	SCAN_READS = 1 << 17, /* reads of consecutive unsuccessful searches: 512 MiB of pages */
	SCAN_NEAR = 8,        /* reads before the dynamic linker's list is consulted */
	SCAN_SHORT = 256,     /* reads granted to each search beyond SCAN_READS */
	SCAN_PROBE = 64,
	SCAN_DRAFT = 8, /* cost in reads of a page that merely looks like a module */
	SCAN_GAP = 512, /* consecutive unreadable pages; old linkers left holes of 2 MiB */
	/* unreadable pages in total: a hole of SCAN_GAP pages before each of four segments */
	SCAN_GAPS = 4 * SCAN_GAP,
	/* pages below a module's first section: 64 KiB for the largest page size */
	HOST_MODULE_PAGES = 17,
};

/* Return true if the pc is in a page of one of the module's segments. */
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
 * Return the known module at `pc`. A module whose bytes are gone is skipped but kept because it may
 * belong to another process. In a gap of a module, another module is preferred.
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

/* Read the image at this page into the draft. Return true if it contains `pc`. */
static bool draft_at(struct cairn_space *space, uint64_t page, uint64_t pc)
{
	struct module *draft = space->draft;

	return image_read(&space->target, page, draft) &&
	       pc - draft->low < draft->high - draft->low;
}

/*
 * Return true if page 0 can be read. Operating systems keep it unreadable, so a target that reads
 * it reads everything, and a search would not find a module that is not nearby.
 */
static bool reads_first_page(const struct cairn_space *space)
{
	uint8_t byte;

	return memory_read(&space->target, 0, &byte, 1);
}

/* A search from a pc downwards for the ELF header of its image. */
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
 * Search downwards until only `left` reads are left. Return true if a draft was found; otherwise
 * the search ended at search->page.
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

/*
 * Return true if the dynamic linker's list of a known module leads to an image that contains `pc`.
 */
static bool draft_linked(struct cairn_space *space, uint64_t pc)
{
	uint64_t bias;

	for (size_t i = 0; i < space->count; i++)
		if (module_is_live(space, space->modules[i]) &&
		    linked_modules_find(&space->target, space->modules[i], pc, &bias))
			return draft_at(space, bias, pc);
	return false;
}

/* Search near the pc, then in the dynamic linker's list, then everywhere below. */
static bool search_header(struct cairn_space *space, struct header_search *search)
{
	unsigned far = search->left > SCAN_NEAR ? search->left - SCAN_NEAR : 0;

	if (search_header_downwards(space, search, far))
		return true;
	if (search->left > far) /* ended early: nothing lies below */
		return false;
	if (draft_linked(space, search->pc))
		return true;
	return search_header_downwards(space, search, 0);
}

/*
 * Search memory for a module. The number of reads is limited because a target may answer every
 * read, and each search would then take long.
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
 * Return the module that the host reported at `pc`. It is built from its headers, or from the
 * report alone if they are unreadable. Return NULL if no report covers the pc, or if the headers
 * show another range.
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
 * Return the module in a gap between two segments of `around`, where the kernel may load one, such
 * as the vDSO on aarch64. Its header is nearby, above the preceding segment. Return `around` if no
 * module is found.
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
