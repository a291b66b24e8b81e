/* SPDX-License-Identifier: MIT */
/* Finds the place of an address in a module, and what the host knows there. */
#include "resolver.h"

/* The host's module at the address, when the log has none. */
static const struct context_mapping *ask_module(struct markup_resolver *r, uint64_t address)
{
	struct cairn_markup_module module = { .id = r->lent.modules.count };
	struct cairn_range pcs;
	uint64_t va;

	if (!r->host->module || !markup_context_is_empty(&r->own) ||
	    !r->host->module(r->host->context, address, &module, &pcs, &va) ||
	    !resolver_add_host_module(r, &module, &pcs, va, MARKUP_READ | MARKUP_EXECUTE))
		return NULL;
	return markup_context_find(&r->lent, address);
}

struct markup_resolved_address markup_resolve_address(struct markup_resolver *r, uint64_t address)
{
	const struct context_mapping *mapping = markup_context_find(resolver_context(r), address);
	struct markup_resolved_address place = { .pc = address };

	if (!mapping)
		mapping = ask_module(r, address);
	if (mapping) {
		place.relative = address - mapping->start + mapping->relative;
		place.module = mapping->module;
		place.mode = mapping->mode;
	}
	return place;
}

const struct cached_answer *markup_look_up_code(struct markup_resolver *r,
                                                const struct markup_resolved_address *place)
{
	static const struct cached_answer nothing = { .count = 0 };
	uint64_t serial = place->module->serial;
	const struct cached_answer *known = markup_cache_find(&r->cache, serial, place->relative);
	struct cairn_markup_query question = { &place->module->told, place->pc, place->relative };
	struct cairn_markup_result answer = { .name = { (const uint8_t *)"", 0 } };

	if (known)
		return known;
	bool good = r->host->code && r->host->code(r->host->context, &question, &answer);
	known = markup_cache_add(&r->cache, serial, place->relative, good ? &answer : NULL);
	if (!known)
		r->no_memory = true;
	return known ? known : &nothing;
}

bool markup_look_up_data(struct markup_resolver *r, const struct markup_resolved_address *place,
                         struct cairn_location *location)
{
	struct cairn_markup_query question = { &place->module->told, place->pc, place->relative };

	*location = (struct cairn_location){ .function = { (const uint8_t *)"", 0 } };
	return r->host->data && r->host->data(r->host->context, &question, location);
}

void markup_resolver_finish(struct markup_resolver *r)
{
	markup_context_finish(&r->own);
	markup_context_finish(&r->lent);
	markup_named_modules_finish(&r->named);
	markup_cache_finish(&r->cache);
}
