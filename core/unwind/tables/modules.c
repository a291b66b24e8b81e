/* SPDX-License-Identifier: MIT */
/*
 * Creates, keeps and drops the modules of a space. Stores reports from the host and images that a
 * program has registered. Lists modules with their unwind tables.
 */
#include "modules.h"

#include "unwind_tables.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/target_memory.h"

#include <stdlib.h>
#include <string.h>

static bool same_range(struct cairn_range a, struct cairn_range b)
{
	return a.low == b.low && a.high == b.high;
}

static bool is_same_report(const struct cairn_host_module *a, const struct cairn_host_module *b)
{
	return a->low == b->low && a->high == b->high && a->machine == b->machine &&
	       a->big_endian == b->big_endian && same_range(a->text, b->text) &&
	       same_range(a->sframe, b->sframe) && same_range(a->eh_frame_hdr, b->eh_frame_hdr) &&
	       same_range(a->eh_frame, b->eh_frame) && bytes_equal(a->name, b->name);
}

static struct host_module *copy_report(const struct cairn_host_module *reported)
{
	struct host_module *report = malloc(sizeof(*report) + reported->name.size + 1);

	if (!report)
		return NULL;
	report->reported = *reported;
	report->reported.name.data = (const uint8_t *)report->name;
	memcpy(report->name, reported->name.data, reported->name.size);
	report->name[reported->name.size] = '\0';
	return report;
}

/* Add a report unless an equal report exists. Set *report to the existing or new one. */
static enum cairn_status host_modules_add(struct host_modules *reports,
                                          const struct cairn_host_module *reported,
                                          struct host_module **report)
{
	struct cairn_host_module cut = *reported;
	struct host_module *found = NULL;

	if (reported->low >= reported->high)
		return CAIRN_MALFORMED;
	if (cut.name.size > CAIRN_HOST_MODULE_NAME_MAX)
		cut.name.size = CAIRN_HOST_MODULE_NAME_MAX;
	for (size_t i = 0; i < reports->count && !found; i++)
		if (is_same_report(&reports->list[i]->reported, &cut))
			found = reports->list[i];
	if (!found) {
		if (reports->count == CAIRN_HOST_MODULES_MAX)
			return CAIRN_LIMIT;
		if (!(found = copy_report(&cut)))
			return CAIRN_NO_MEMORY;
		if (!ARRAY_APPEND(reports->list, reports->count, reports->capacity, found)) {
			free(found);
			return CAIRN_NO_MEMORY;
		}
	}
	found->seen = true;
	*report = found;
	return CAIRN_OK;
}

/*
 * Remove and return a report that the host has not repeated, for the caller to free. Return NULL if
 * the host has repeated all reports.
 */
static struct host_module *host_modules_remove_unseen(struct host_modules *reports)
{
	for (size_t i = 0; i < reports->count; i++) {
		struct host_module *report = reports->list[i];
		if (report->seen)
			continue;
		reports->list[i] = reports->list[--reports->count];
		return report;
	}
	return NULL;
}

static unsigned rank_report(const struct cairn_host_module *reported)
{
	return range_size(reported->sframe) > 0 ? 2 : reports_cfi(reported);
}

static const struct host_module *choose_better_report(const struct host_module *best,
                                                      const struct host_module *other)
{
	if (!best || rank_report(&other->reported) > rank_report(&best->reported))
		return other;
	bool narrower = other->reported.high - other->reported.low <
	                best->reported.high - best->reported.low;
	return narrower && rank_report(&other->reported) == rank_report(&best->reported) ? other
	                                                                                 : best;
}

const struct host_module *host_modules_find(const struct host_modules *reports, uint64_t pc)
{
	const struct host_module *best = NULL;

	for (size_t i = 0; i < reports->count; i++) {
		const struct cairn_host_module *reported = &reports->list[i]->reported;
		if (pc - reported->low < reported->high - reported->low)
			best = choose_better_report(best, reports->list[i]);
	}
	return best;
}

/*
 * Return NULL if no report begins in [low, high). Otherwise return the best one by the criteria of
 * host_modules_find().
 */
static const struct host_module *host_modules_find_within(const struct host_modules *reports,
                                                          uint64_t low, uint64_t high)
{
	const struct host_module *best = NULL;

	for (size_t i = 0; i < reports->count; i++)
		if (reports->list[i]->reported.low - low < high - low)
			best = choose_better_report(best, reports->list[i]);
	return best;
}

static void host_modules_finish(struct host_modules *reports)
{
	for (size_t i = 0; i < reports->count; i++)
		free(reports->list[i]);
	free(reports->list);
	*reports = (struct host_modules){ .list = NULL };
}

static size_t print_size_of(const struct registered_image *image)
{
	const uint64_t size = image->code.high - image->code.low;

	return size < REGISTERED_IMAGE_PRINT ? (size_t)size : REGISTERED_IMAGE_PRINT;
}

static void drop_image(struct registered_images *images, size_t index)
{
	images->count--;
	memmove(&images->image[index], &images->image[index + 1],
	        (images->count - index) * sizeof(images->image[0]));
}

void registered_images_add(struct registered_images *images, const struct cairn_target *target,
                           struct registered_image image)
{
	if (!memory_read(target, image.code.low, image.print, print_size_of(&image)))
		return;
	for (size_t i = images->count; i-- > 0;)
		if (images->image[i].code.low < image.code.high &&
		    image.code.low < images->image[i].code.high)
			drop_image(images, i);
	if (images->count == REGISTERED_IMAGES_MAX)
		drop_image(images, 0);
	(void)ARRAY_APPEND(images->image, images->count, images->capacity, image);
}

static bool registered_image_is_live(const struct registered_image *image,
                                     const struct cairn_target *target)
{
	uint8_t now[REGISTERED_IMAGE_PRINT];

	return memory_read(target, image->code.low, now, print_size_of(image)) &&
	       memcmp(now, image->print, print_size_of(image)) == 0;
}

static void registered_image_describe(const struct registered_image *image,
                                      struct cairn_module *module)
{
	static const uint8_t nothing[1];

	*module = (struct cairn_module){ .low = image->code.low,
		                         .high = image->code.high,
		                         .machine = image->machine,
		                         .big_endian = image->big,
		                         .build_id = { nothing, 0 },
		                         .headers = { nothing, 0 },
		                         .sframe = CAIRN_ABSENT,
		                         .registered = true };
}

void registered_images_free(struct registered_images *images)
{
	free(images->image);
	*images = (struct registered_images){ .image = NULL };
}

/*
 * number of reads that each query deducts from `scanned`, so that long searches become possible
 * again
 */
enum { SCAN_REFILL = 4 };

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

/* Forget all modules that cairn has found. Keep the reports from the host. */
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
		space_set_jit_code_rules(space, (struct jit_code_rules){ .find = NULL });
	forget_found(space);
	host_modules_finish(&space->reports);
	registered_images_free(&space->registered);
	space_traces_free(space->traces);
	space->traces = NULL;
}

#define SIGNATURE_BITS \
	(UINT64_MAX << 36) /* above Linux's smallest address space (2-level 16 KiB page tables) */

void space_set_signature_bits(struct cairn_space *space, uint64_t bits)
{
	space->signature_bits = bits & SIGNATURE_BITS;
}

void space_set_jit_code_rules(struct cairn_space *space, struct jit_code_rules rules)
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
	if (space->swift)
		space->free_swift(space->swift);
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

	if (module->report && range_size(module->report->reported.text) > 0) {
		*low = module->report->reported.text.low;
		*high = module->report->reported.text.high;
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
 * Return true if a module has unmapped pages between segments. Segments that are not in address
 * order count as a gap.
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

/*
 * Retry failed searches for a module's tables, because the new report may contain their location.
 */
static void try_again(struct cairn_space *space, const struct host_module *report)
{
	for (size_t i = 0; i < space->count; i++) {
		struct module *m = space->modules[i];
		if (m->report || report->reported.low - m->low >= m->high - m->low)
			continue;
		if (m->sframe == MODULE_SFRAME_NONE)
			m->sframe = MODULE_SFRAME_UNTRIED;
		if (m->cfi.state == CFI_NONE)
			m->cfi.state = CFI_UNTRIED;
	}
}

enum cairn_status cairn_space_add_module(struct cairn_space *space,
                                         const struct cairn_host_module *reported)
{
	size_t before = space->reports.count;
	struct host_module *report;
	enum cairn_status status = host_modules_add(&space->reports, reported, &report);

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

/* Lists modules for the host, with their unwind tables. */

/*
 * Return true if a debugger finds call frame information for `va`. Without section headers,
 * debuggers do not find .eh_frame even if it is in memory.
 */
static bool has_module_cfi(struct cairn_space *space, struct module *module, uint64_t va)
{
	return module->has_sections && module_find_cfi(space, module, va);
}

bool cairn_space_has_cfi(struct cairn_space *space, uint64_t pc)
{
	struct module *module = space_query(space, pc);
	return module && has_module_cfi(space, module, pc - module->bias);
}

bool cairn_space_has_sframe(struct cairn_space *space, uint64_t pc)
{
	const struct cairn_rule *rule;
	struct cairn_fault fault;

	struct module *module = space_query(space, pc);
	return module &&
	       module_find_rule(space, module, pc - module->bias, &rule, &fault) == CAIRN_OK;
}

static enum cairn_presence make_presence(bool there)
{
	return there ? CAIRN_PRESENT : CAIRN_ABSENT;
}

static enum cairn_presence sframe_presence(const struct module *m, const struct host_module *report)
{
	if (m->sframe != MODULE_SFRAME_UNTRIED)
		return make_presence(m->sframe == MODULE_SFRAME_READY);
	if (m->sframe_size > 0 || report)
		return make_presence(m->sframe_size > 0 || range_size(report->reported.sframe) > 0);
	return CAIRN_PRESENCE_UNKNOWN;
}

enum cairn_status cairn_space_coverage(struct cairn_space *space, uint64_t pc,
                                       struct cairn_coverage *coverage)
{
	const struct cairn_rule *rule;
	struct cairn_fault fault;

	struct module *m = space_query(space, pc);
	if (!m)
		return CAIRN_NOT_FOUND;
	uint64_t va = pc - m->bias;
	*coverage = (struct cairn_coverage){ .cfi = has_module_cfi(space, m, va) };
	bool reported = sframe_presence(m, module_find_host_module(space, m)) == CAIRN_PRESENT;
	coverage->table = (reported || !coverage->cfi) && module_rules(space, m);
	coverage->row =
		coverage->table && module_find_rule(space, m, va, &rule, &fault) == CAIRN_OK;
	if (coverage->row)
		coverage->rule = *rule;
	return CAIRN_OK;
}

static enum cairn_presence cfi_presence(const struct module *m, const struct host_module *report)
{
	if (m->cfi.state != CFI_UNTRIED)
		return make_presence(m->has_sections && m->cfi.state != CFI_NONE);
	if (!m->has_sections || report)
		return make_presence(m->has_sections && reports_cfi(&report->reported));
	return CAIRN_PRESENCE_UNKNOWN;
}

static void describe_module(const struct cairn_space *space, const struct module *m,
                            struct cairn_module *out)
{
	const struct host_module *report = module_find_host_module(space, m);

	*out = (struct cairn_module){ .low = m->low,
		                      .high = m->high,
		                      .bias = m->bias,
		                      .entry = m->entry,
		                      .machine = m->machine,
		                      .big_endian = m->big,
		                      .build_id = { m->id, m->id_size },
		                      .name = report ? report->name : NULL,
		                      .has_headers = !m->report,
		                      .headers = { m->print,
		                                   m->report || m->registered ? 0 : m->print_size },
		                      .sframe = sframe_presence(m, report),
		                      .cfi = cfi_presence(m, report),
		                      .fault = m->fault,
		                      .registered = m->registered };
}

static void describe_report(const struct host_module *report, struct cairn_module *out)
{
	static const uint8_t no_id[1];
	const struct cairn_host_module *reported = &report->reported;

	*out = (struct cairn_module){ .low = reported->low,
		                      .high = reported->high,
		                      .machine = reported->machine,
		                      .big_endian = reported->big_endian,
		                      .build_id = { no_id, 0 },
		                      .headers = { no_id, 0 },
		                      .name = report->name,
		                      .sframe = make_presence(range_size(reported->sframe) > 0),
		                      .cfi = make_presence(reports_cfi(reported)) };
}

enum cairn_status cairn_space_module(struct cairn_space *space, uint64_t pc,
                                     struct cairn_module *module)
{
	struct module *m = space_query(space, pc);

	if (!m)
		return CAIRN_NOT_FOUND;
	describe_module(space, m, module);
	return CAIRN_OK;
}

static bool is_represented(struct cairn_space *space, const struct host_module *report)
{
	for (size_t i = 0; i < space->count; i++) {
		struct module *m = space->modules[i];
		bool about = m->report ? m->report == report
		                       : report->reported.low - m->low < m->high - m->low;
		if (about && module_is_live(space, m))
			return true;
	}
	return false;
}

bool cairn_space_next_module(struct cairn_space *space, size_t *at, struct cairn_module *module)
{
	if (*at == 0)
		space_begin_query(space);
	while (*at < space->count) {
		struct module *m = space->modules[(*at)++];
		if (module_is_live(space, m)) {
			describe_module(space, m, module);
			return true;
		}
	}
	while (*at - space->count < space->reports.count) {
		const struct host_module *report = space->reports.list[(*at)++ - space->count];
		if (!is_represented(space, report)) {
			describe_report(report, module);
			return true;
		}
	}
	const size_t before = space->count + space->reports.count;
	while (*at - before < space->registered.count) {
		const struct registered_image *image = &space->registered.image[(*at)++ - before];
		if (registered_image_is_live(image, &space->target)) {
			registered_image_describe(image, module);
			return true;
		}
	}
	return false;
}
