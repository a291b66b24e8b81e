/* SPDX-License-Identifier: MIT */
/* Adds a module that the host supplies to the markup filter's context. */
#include "resolver.h"

struct cairn_bytes resolver_id_digits(struct cairn_bytes id, uint8_t digits[2 * NAMED_MODULES_ID])
{
	size_t size = id.size < NAMED_MODULES_ID ? id.size : NAMED_MODULES_ID;

	for (size_t i = 0; i < size; i++) {
		digits[2 * i] = (uint8_t) "0123456789abcdef"[id.data[i] >> 4];
		digits[2 * i + 1] = (uint8_t) "0123456789abcdef"[id.data[i] & 15];
	}
	return (struct cairn_bytes){ digits, 2 * size };
}

bool resolver_add_host_module(struct markup_resolver *r, const struct cairn_markup_module *module,
                              const struct cairn_range *pcs, uint64_t va, unsigned mode)
{
	uint8_t digits[2 * NAMED_MODULES_ID];
	const struct markup_module told = { module->id, module->name,
		                            resolver_id_digits(module->build_id, digits) };
	const struct markup_mmap mmap = { .start = pcs->low,
		                          .size = pcs->high - pcs->low,
		                          .module = module->id,
		                          .relative = va,
		                          .mode = mode,
		                          .module_text = module->name };
	const struct context_module *known;
	const struct context_mapping *mapping;
	struct markup_fault fault;

	return markup_context_module(&r->lent, &told, &known, &fault) != CONTEXT_REJECTED &&
	       markup_context_mmap(&r->lent, &mmap, &mapping, &fault) != CONTEXT_REJECTED;
}
