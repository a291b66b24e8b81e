/* SPDX-License-Identifier: MIT */
/* Collects the addresses of a query and gives access to its answers. */
#include "query.h"

#include "base/memory.h"

#include <stdlib.h>

bool query_add_module(struct query *query, const struct query_module *module)
{
	if (query->module_count >= QUERY_MODULES_MAX ||
	    !array_grow(&query->modules, &query->module_room, query->module_count + 1,
	                sizeof(*query->modules)))
		return false;
	struct query_module *added = &query->modules[query->module_count++];
	*added = *module;
	added->address = query->address_count;
	added->address_count = 0;
	added->is_answered = false;
	added->missing = 0;
	return true;
}

bool query_add_address(struct query *query, uint64_t address)
{
	if (query->module_count == 0 || query->address_count >= QUERY_ADDRESSES_MAX ||
	    !ARRAY_APPEND(query->addresses, query->address_count, query->address_room, address))
		return false;
	query->modules[query->module_count - 1].address_count++;
	return true;
}

bool query_begin(struct query *query)
{
	query->found = calloc(query->address_count + 1, sizeof(*query->found));
	return query->found != NULL;
}

void query_finish(struct query *query)
{
	for (size_t i = 0; i < query->part_count; i++)
		free(query->part[i].memory);
	free(query->modules);
	free(query->addresses);
	free(query->found);
	*query = (struct query){ .raw_names = false };
}

const struct query_call *query_calls(const struct query *query, const struct query_found *found)
{
	return query->part[found->part].calls + found->call;
}

struct cairn_bytes query_text(const struct query *query, const struct query_found *found,
                              uint32_t number)
{
	const struct query_part *part = &query->part[found->part];
	const uint32_t begin = number > 0 ? part->text_ends[number - 1] : 0;

	return (struct cairn_bytes){ part->texts + begin, part->text_ends[number] - begin };
}

struct cairn_location query_location(const struct query *query, const struct query_found *found,
                                     const struct query_call *call)
{
	return (struct cairn_location){ .function = query_text(query, found, call->function),
		                        .directory = query_text(query, found, call->directory),
		                        .file = query_text(query, found, call->file),
		                        .start = call->start,
		                        .offset = call->offset,
		                        .line = call->line,
		                        .inlined = call->inlined != 0,
		                        .column = call->column };
}

struct cairn_bytes query_path(const struct query *query, const struct query_found *found,
                              const struct query_call *call, char *path, size_t size)
{
	const struct cairn_location location = query_location(query, found, call);
	const size_t length = cairn_location_path(&location, path, size);

	return (struct cairn_bytes){ (const uint8_t *)path, length < size ? length : size - 1 };
}
