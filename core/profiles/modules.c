/* SPDX-License-Identifier: MIT */
/* Modules of a profile, and statistics about their locations. */
#include "profile.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/text_table.h"

size_t profile_most_lines(const struct cairn_profile *p)
{
	size_t most = 0;

	for (size_t i = 0; i < p->location_count; i++)
		if (p->locations[i].line_count > most)
			most = p->locations[i].line_count;
	return most;
}

/*
 * Search only the latest modules. A profile has at most one mapping per segment, and the mappings
 * of one module are close together.
 */
enum { NEIGHBOURS = 64 };

enum cairn_status profile_add_module(struct cairn_profile *p, struct profile_mapping *mapping)
{
	size_t first = p->module_count > NEIGHBOURS ? p->module_count - NEIGHBOURS : 0;

	while (first < p->module_count &&
	       !(bytes_equal(p->modules[first].path, mapping->path) &&
	         bytes_equal(p->modules[first].build_id, mapping->build_id)))
		first++;
	mapping->module = (uint32_t)first;
	if (first < p->module_count)
		return CAIRN_OK;
	if (!ARRAY_APPEND(p->modules, p->module_count, p->module_room,
	                  (struct cairn_profiled_module){ .size = sizeof(*p->modules),
	                                                  .path = mapping->path,
	                                                  .build_id = mapping->build_id }))
		return CAIRN_NO_MEMORY;
	return CAIRN_OK;
}

const char *cairn_profile_reason_text(enum cairn_profile_reason reason)
{
	static const char texts[][TEXT_ROOM] = {
		[CAIRN_PROFILE_UNMAPPED] = "they belong to no mapping",
		[CAIRN_PROFILE_FILELESS] = "the kernel, the vDSO or memory without a file",
		[CAIRN_PROFILE_OUTSIDE] =
			"their addresses are not in the mapping, or not in the file",
		[CAIRN_PROFILE_NO_FILE] = "no file of it was found",
		[CAIRN_PROFILE_OTHER_BUILD] = "the file that was found is of another build",
		[CAIRN_PROFILE_OTHER_ID] = "files cannot be compared by this build ID",
		[CAIRN_PROFILE_NO_HEADERS] =
			"symbols were found, but no program that tells where it is loaded",
		[CAIRN_PROFILE_NO_SYMBOL] = "no symbol covers the address",
		[CAIRN_PROFILE_NOT_ASKED] = "names were not asked for",
		[CAIRN_PROFILE_OTHER_CODE] = "code of an interpreter, or made by a run-time",
		[CAIRN_PROFILE_TOO_MANY] = "the names are more than the profile is worth",
	};

	return TEXT_AT(texts, reason, "");
}

static void count_locations(struct cairn_profile *p)
{
	for (size_t i = 0; i < p->location_count; i++) {
		const struct profile_location *l = &p->locations[i];
		if (l->ignored)
			continue;
		struct profile_mapping *mapping = l->mapping ? &p->mappings[l->mapping - 1] : NULL;
		struct cairn_profiled_module *module =
			mapping ? &p->modules[mapping->module] : &p->unmapped;
		if (mapping) {
			mapping->has &= l->has;
			mapping->used = true;
		}
		if (l->line_count > 0)
			module->named++;
		else if (l->named)
			module->named_before++;
		else
			module->unnamed[l->reason]++;
	}
}

static void reset_counts(struct cairn_profiled_module *module)
{
	*module = (struct cairn_profiled_module){ .size = sizeof(*module),
		                                  .path = module->path,
		                                  .build_id = module->build_id };
}

void profile_recount(struct cairn_profile *p)
{
	for (size_t i = 0; i < p->mapping_count; i++)
		p->mappings[i].has = PPROF_HAS_ALL;
	for (size_t i = 0; i < p->module_count; i++)
		reset_counts(&p->modules[i]);
	p->unmapped = (struct cairn_profiled_module){ .path = { (const uint8_t *)"", 0 },
		                                      .build_id = { (const uint8_t *)"", 0 } };
	reset_counts(&p->unmapped);
	count_locations(p);
}

/* Index module_count is the pseudo-module of locations without a mapping. */
bool cairn_profile_module(const struct cairn_profile *p, size_t index,
                          struct cairn_profiled_module *module)
{
	if (index > p->module_count)
		return false;
	const struct cairn_profiled_module *found =
		index == p->module_count ? &p->unmapped : &p->modules[index];
	const size_t size = module->size < sizeof(*found) ? module->size : sizeof(*found);
	memcpy(module, found, size);
	module->size = size;
	return true;
}
