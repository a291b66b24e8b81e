/* SPDX-License-Identifier: MIT */
/* Lists modules for the host, and tells which tables describe their code. */
#include "unwind_tables.h"

/*
 * Return true if a debugger finds call frame information for `va`. In a file without section
 * headers a debugger does not find .eh_frame, even if it is in memory.
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
		return make_presence(m->sframe_size > 0 || range_size(report->told.sframe) > 0);
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
	bool told = sframe_presence(m, module_find_host_module(space, m)) == CAIRN_PRESENT;
	coverage->table = (told || !coverage->cfi) && module_rules(space, m);
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
		return make_presence(m->has_sections && reports_cfi(&report->told));
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
	const struct cairn_host_module *told = &report->told;

	*out = (struct cairn_module){ .low = told->low,
		                      .high = told->high,
		                      .machine = told->machine,
		                      .big_endian = told->big_endian,
		                      .build_id = { no_id, 0 },
		                      .headers = { no_id, 0 },
		                      .name = report->name,
		                      .sframe = make_presence(range_size(told->sframe) > 0),
		                      .cfi = make_presence(reports_cfi(told)) };
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
		                       : report->told.low - m->low < m->high - m->low;
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
