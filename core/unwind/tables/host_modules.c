/* SPDX-License-Identifier: MIT */
/* Stores the host's module reports and selects the best report for a pc. */
#include "host_modules.h"

#include "base/bytes.h"
#include "base/memory.h"

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

static struct host_module *copy_report(const struct cairn_host_module *told)
{
	struct host_module *report = malloc(sizeof(*report) + told->name.size + 1);

	if (!report)
		return NULL;
	report->told = *told;
	report->told.name.data = (const uint8_t *)report->name;
	memcpy(report->name, told->name.data, told->name.size);
	report->name[told->name.size] = '\0';
	return report;
}

enum cairn_status host_modules_add(struct host_modules *reports,
                                   const struct cairn_host_module *told,
                                   struct host_module **report)
{
	struct cairn_host_module cut = *told;
	struct host_module *found = NULL;

	if (told->low >= told->high)
		return CAIRN_MALFORMED;
	if (cut.name.size > CAIRN_HOST_MODULE_NAME_MAX)
		cut.name.size = CAIRN_HOST_MODULE_NAME_MAX;
	for (size_t i = 0; i < reports->count && !found; i++)
		if (is_same_report(&reports->list[i]->told, &cut))
			found = reports->list[i];
	if (!found) {
		if (reports->count == CAIRN_HOST_MODULES_MAX || !(found = copy_report(&cut)))
			return CAIRN_NO_MEMORY;
		if (!ARRAY_APPEND(reports->list, reports->count, reports->room, found)) {
			free(found);
			return CAIRN_NO_MEMORY;
		}
	}
	found->seen = true;
	*report = found;
	return CAIRN_OK;
}

struct host_module *host_modules_remove_unseen(struct host_modules *reports)
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

static unsigned rank_report(const struct cairn_host_module *told)
{
	return range_size(told->sframe) > 0 ? 2 : reports_cfi(told);
}

static const struct host_module *choose_better_report(const struct host_module *best,
                                                      const struct host_module *other)
{
	if (!best || rank_report(&other->told) > rank_report(&best->told))
		return other;
	bool narrower = other->told.high - other->told.low < best->told.high - best->told.low;
	return narrower && rank_report(&other->told) == rank_report(&best->told) ? other : best;
}

const struct host_module *host_modules_find(const struct host_modules *reports, uint64_t pc)
{
	const struct host_module *best = NULL;

	for (size_t i = 0; i < reports->count; i++) {
		const struct cairn_host_module *told = &reports->list[i]->told;
		if (pc - told->low < told->high - told->low)
			best = choose_better_report(best, reports->list[i]);
	}
	return best;
}

const struct host_module *host_modules_find_within(const struct host_modules *reports, uint64_t low,
                                                   uint64_t high)
{
	const struct host_module *best = NULL;

	for (size_t i = 0; i < reports->count; i++)
		if (reports->list[i]->told.low - low < high - low)
			best = choose_better_report(best, reports->list[i]);
	return best;
}

void host_modules_finish(struct host_modules *reports)
{
	for (size_t i = 0; i < reports->count; i++)
		free(reports->list[i]);
	free(reports->list);
	*reports = (struct host_modules){ .list = NULL };
}
