/* SPDX-License-Identifier: MIT */
/* Looks up the names of a profile's locations, one mapping at a time in order of address. */
#include "ask.h"
#include "place.h"

#include <stdlib.h>

enum {
	BATCH = 8192, /* addresses per lookup */
};

struct wanted {
	uint32_t module, mapping, location;
	uint64_t address;
};

struct work {
	struct cairn_profile *profile;
	struct cairn_symbolizer *symbolizer;
	struct wanted *wanted;
	size_t count;
	struct profile_asked asked;
	struct profile_place place;
	unsigned missing; /* CAIRN_MISSING_* flags of the module */
	bool has_symbols;
	unsigned naming; /* CAIRN_PROFILE_* flags */
	uint64_t va[BATCH];
	struct profile_location *location[BATCH];
	struct cairn_symbol_answer answer[BATCH];
};

/*
 * Look up one address to find the module's files, then use the program or the debug file to convert
 * the mapping's addresses.
 */
static enum cairn_status find_place(struct work *work, const struct profile_mapping *mapping,
                                    uint64_t address)
{
	struct cairn_open_file file;
	enum cairn_status status = cairn_symbolizer_find(work->symbolizer, &work->asked.module,
	                                                 &address, 1, work->answer);

	if (status != CAIRN_OK)
		return status;
	work->missing = work->answer->missing;
	work->has_symbols = work->answer->source != NULL;
	work->place.kind = PLACE_UNKNOWN;
	if (place_is_linked(&mapping->stored))
		work->place.kind = PLACE_LINKED;
	else if (cairn_symbolizer_file(work->symbolizer, &work->asked.module, CAIRN_FILE_PROGRAM,
	                               &file))
		place_from_program(&work->place, file.bytes);
	else if (cairn_symbolizer_file(work->symbolizer, &work->asked.module, CAIRN_FILE_DEBUG,
	                               &file))
		place_from_debug_file(&work->place, file.bytes, &mapping->stored);
	return CAIRN_OK;
}

static enum cairn_profile_reason explain_module(const struct work *work)
{
	if (work->missing & CAIRN_MISSING_BUILD)
		return CAIRN_PROFILE_OTHER_BUILD;
	return work->has_symbols ? CAIRN_PROFILE_NO_HEADERS : CAIRN_PROFILE_NO_FILE;
}

static enum cairn_profile_reason explain_answer(const struct cairn_symbol_answer *answer)
{
	if (answer->missing & CAIRN_MISSING_BUILD)
		return CAIRN_PROFILE_OTHER_BUILD;
	if ((answer->missing & CAIRN_MISSING_PROGRAM) && (answer->missing & CAIRN_MISSING_DEBUG))
		return CAIRN_PROFILE_NO_FILE;
	return CAIRN_PROFILE_NO_SYMBOL;
}

/*
 * Store the names of one location. Without inlined calls only the last one is kept, the function
 * that contains the code.
 */
static enum cairn_status add_names(struct work *work, size_t index)
{
	struct cairn_symbol_answer *answer = &work->answer[index];
	const bool alone = (work->naming & CAIRN_PROFILE_FUNCTIONS) != 0;

	if (alone) {
		answer->locations += answer->count - 1;
		answer->count = 1;
	}
	return profile_add_names(work->profile, work->location[index], answer, !alone);
}

static enum cairn_status name_batch(struct work *work, size_t count)
{
	enum cairn_status status = cairn_symbolizer_find(work->symbolizer, &work->asked.module,
	                                                 work->va, count, work->answer);

	for (size_t i = 0; status == CAIRN_OK && i < count; i++) {
		work->location[i]->reason = (uint8_t)explain_answer(&work->answer[i]);
		if (work->answer[i].count > 0)
			status = add_names(work, i);
	}
	return status;
}

/*
 * Convert addresses from `at` on until the batch is full. Sets *next to the first one that was not
 * converted.
 */
static size_t fill_batch(struct work *work, const struct profile_mapping *mapping, size_t at,
                         size_t end, size_t *next)
{
	size_t count = 0;

	for (; at < end && count < BATCH; at++) {
		struct profile_location *location =
			&work->profile->locations[work->wanted[at].location];
		location->reason = CAIRN_PROFILE_OUTSIDE;
		if (!place_address(&work->place, &mapping->stored, location->address,
		                   &work->va[count]))
			continue;
		work->location[count++] = location;
	}
	*next = at;
	return count;
}

static void give_reason(struct work *work, size_t at, size_t end, enum cairn_profile_reason reason)
{
	for (; at < end; at++)
		work->profile->locations[work->wanted[at].location].reason = (uint8_t)reason;
}

static enum cairn_status name_mapping(struct work *work, const struct profile_mapping *mapping,
                                      size_t at, size_t end)
{
	enum cairn_status status = CAIRN_OK;

	profile_ask(&work->asked, mapping->path, mapping->build_id);
	if (profile_is_without_file(mapping->path, mapping->build_id, mapping->stored.start) ||
	    work->asked.other_id) {
		give_reason(work, at, end,
		            work->asked.other_id ? CAIRN_PROFILE_OTHER_ID : CAIRN_PROFILE_FILELESS);
		return CAIRN_OK;
	}
	status = find_place(work, mapping, work->wanted[at].address);
	if (status == CAIRN_OK && work->place.kind == PLACE_UNKNOWN) {
		give_reason(work, at, end, explain_module(work));
		return CAIRN_OK;
	}
	while (status == CAIRN_OK && at < end) {
		const size_t count = fill_batch(work, mapping, at, end, &at);
		if (count > 0)
			status = name_batch(work, count);
	}
	return status;
}

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->mapping != y->mapping)
		return x->mapping < y->mapping ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->location > y->location) - (x->location < y->location);
}

static bool list_wanted(struct work *work)
{
	struct cairn_profile *p = work->profile;

	work->wanted = calloc(p->location_count ? p->location_count : 1, sizeof(*work->wanted));
	if (!work->wanted)
		return false;
	for (size_t i = 0; i < p->location_count; i++) {
		struct profile_location *l = &p->locations[i];
		l->reason = l->frame == PROFILE_FRAME_OTHER    ? CAIRN_PROFILE_OTHER_CODE
		            : l->frame == PROFILE_FRAME_KERNEL ? CAIRN_PROFILE_FILELESS
		                                               : CAIRN_PROFILE_UNMAPPED;
		if (l->mapping == 0 || l->frame != PROFILE_FRAME_CODE ||
		    (l->named && !(work->naming & CAIRN_PROFILE_AGAIN)))
			continue;
		work->wanted[work->count++] =
			(struct wanted){ p->mappings[l->mapping - 1].module, l->mapping - 1,
			                 (uint32_t)i, l->address };
	}
	qsort(work->wanted, work->count, sizeof(*work->wanted), compare_wanted);
	return true;
}

static enum cairn_status name_all(struct work *work)
{
	enum cairn_status status = list_wanted(work) ? CAIRN_OK : CAIRN_NO_MEMORY;

	for (size_t at = 0, end; status == CAIRN_OK && at < work->count; at = end) {
		for (end = at;
		     end < work->count && work->wanted[end].mapping == work->wanted[at].mapping;)
			end++;
		status = name_mapping(work, &work->profile->mappings[work->wanted[at].mapping], at,
		                      end);
	}
	return status;
}

enum cairn_status cairn_profile_symbolize(struct cairn_profile *profile,
                                          struct cairn_symbolizer *symbolizer, unsigned naming)
{
	struct work *work = calloc(1, sizeof(*work));
	enum cairn_status status = CAIRN_NO_MEMORY;

	if (work) {
		work->profile = profile;
		work->symbolizer = symbolizer;
		work->naming = naming;
		status = name_all(work);
		free(work->wanted);
		free(work);
	}
	profile_recount(profile);
	return status;
}
