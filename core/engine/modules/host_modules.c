/* SPDX-License-Identifier: MIT */
#include "host_modules.h"

#include "base/array_grow.h"

#include <stdlib.h>
#include <string.h>

void reports_begin(struct reports *reports)
{
	for (size_t i = 0; i < reports->count; i++)
		reports->list[i]->seen = false;
}

static bool same_range(struct cairn_range a, struct cairn_range b)
{
	return a.low == b.low && a.high == b.high;
}

static bool is_same_report(const struct cairn_report *a, const struct cairn_report *b)
{
	return a->low == b->low && a->high == b->high && a->machine == b->machine &&
	       a->big_endian == b->big_endian && same_range(a->text, b->text) &&
	       same_range(a->sframe, b->sframe) && same_range(a->eh_frame_hdr, b->eh_frame_hdr) &&
	       same_range(a->eh_frame, b->eh_frame) && a->name.size == b->name.size &&
	       memcmp(a->name.data, b->name.data, a->name.size) == 0;
}

static bool reserve_report(struct reports *reports)
{
	if (reports->count == CAIRN_REPORTS)
		return false;
	return room_for(&reports->list, &reports->room, reports->count + 1,
	                sizeof(struct report *));
}

static struct report *copy_report(const struct cairn_report *told)
{
	struct report *report = malloc(sizeof(*report) + told->name.size + 1);

	if (!report)
		return NULL;
	report->told = *told;
	report->told.name.data = (const uint8_t *)report->name;
	memcpy(report->name, told->name.data, told->name.size);
	report->name[told->name.size] = '\0';
	return report;
}

enum cairn_status reports_add(struct reports *reports, const struct cairn_report *told,
                              struct report **report)
{
	struct cairn_report cut = *told;
	struct report *found = NULL;

	if (told->low >= told->high)
		return CAIRN_MALFORMED;
	if (cut.name.size > CAIRN_REPORT_NAME)
		cut.name.size = CAIRN_REPORT_NAME;
	for (size_t i = 0; i < reports->count && !found; i++)
		if (is_same_report(&reports->list[i]->told, &cut))
			found = reports->list[i];
	if (!found) {
		if (!reserve_report(reports) || !(found = copy_report(&cut)))
			return CAIRN_NO_MEMORY;
		reports->list[reports->count++] = found;
	}
	found->seen = true;
	*report = found;
	return CAIRN_OK;
}

struct report *reports_take_unseen(struct reports *reports)
{
	for (size_t i = 0; i < reports->count; i++) {
		struct report *report = reports->list[i];
		if (report->seen)
			continue;
		reports->list[i] = reports->list[--reports->count];
		return report;
	}
	return NULL;
}

static unsigned rank_report(const struct cairn_report *told)
{
	bool cfi = range_size(told->eh_frame) > 0 || range_size(told->eh_frame_hdr) > 0;

	return range_size(told->sframe) > 0 ? 2 : cfi;
}

static const struct report *choose_better_report(const struct report *best,
                                                 const struct report *other)
{
	if (!best || rank_report(&other->told) > rank_report(&best->told))
		return other;
	bool narrower = other->told.high - other->told.low < best->told.high - best->told.low;
	return narrower && rank_report(&other->told) == rank_report(&best->told) ? other : best;
}

const struct report *reports_at(const struct reports *reports, uint64_t pc)
{
	const struct report *best = NULL;

	for (size_t i = 0; i < reports->count; i++) {
		const struct cairn_report *told = &reports->list[i]->told;
		if (pc - told->low < told->high - told->low)
			best = choose_better_report(best, reports->list[i]);
	}
	return best;
}

const struct report *reports_within(const struct reports *reports, uint64_t low, uint64_t high)
{
	const struct report *best = NULL;

	for (size_t i = 0; i < reports->count; i++)
		if (reports->list[i]->told.low - low < high - low)
			best = choose_better_report(best, reports->list[i]);
	return best;
}

void reports_finish(struct reports *reports)
{
	for (size_t i = 0; i < reports->count; i++)
		free(reports->list[i]);
	free(reports->list);
	*reports = (struct reports){ .list = NULL };
}
