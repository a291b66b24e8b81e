/* SPDX-License-Identifier: MIT */
/* Keeps the modules that frames without markup name. */
#include "named_modules.h"

#include "base/base_name.h"
#include "base/bytes_compare.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

void markup_named_modules_forget(struct markup_named_modules *m)
{
	markup_context_reset(&m->context);
	memset(m->slot, 0, sizeof(m->slot));
	free(m->ids);
	m->ids = NULL;
	m->after_signal = false;
}

void markup_named_modules_finish(struct markup_named_modules *m)
{
	markup_named_modules_forget(m);
	markup_context_sweep(&m->context);
}

static size_t choose_slot(struct cairn_bytes name, uint64_t more)
{
	return (size_t)((hash_bytes(name) + more) % NAMED_MODULES_SLOTS);
}

void markup_named_modules_note(struct markup_named_modules *m, struct cairn_bytes path,
                               struct cairn_bytes digits)
{
	const struct cairn_bytes name = base_name(path);

	if (name.size > NAMED_MODULES_NAME || digits.size > 2 * NAMED_MODULES_ID)
		return;
	if (!m->ids)
		m->ids = calloc(NAMED_MODULES_SLOTS, sizeof(*m->ids));
	m->context.no_memory = m->context.no_memory || !m->ids;
	if (!m->ids)
		return;
	struct markup_named_id *id = &m->ids[choose_slot(name, 0)];
	memcpy(id->name, name.data, name.size);
	memcpy(id->digits, digits.data, digits.size);
	id->name_size = name.size;
	id->digits_size = digits.size;
}

struct cairn_bytes markup_named_modules_id(const struct markup_named_modules *m,
                                           struct cairn_bytes path)
{
	const struct cairn_bytes name = base_name(path);
	const struct markup_named_id *id = m->ids ? &m->ids[choose_slot(name, 0)] : NULL;

	if (!id || name.size == 0 ||
	    !bytes_equal(name, (struct cairn_bytes){ id->name, id->name_size }))
		return (struct cairn_bytes){ path.data, 0 };
	return (struct cairn_bytes){ id->digits, id->digits_size };
}

const struct context_module *markup_named_modules_get(struct markup_named_modules *m,
                                                      struct cairn_bytes name,
                                                      struct cairn_bytes digits)
{
	const size_t slot = choose_slot(name, hash_bytes(digits));
	const struct context_module *known = m->slot[slot];
	struct markup_fault fault;

	if (digits.size > 2 * NAMED_MODULES_ID)
		digits.size = 0;
	if (known && bytes_equal(name, known->told.name) && markup_context_has_id(known, digits))
		return known;
	if (m->context.bytes > NAMED_MODULES_BYTES) {
		markup_context_reset(&m->context);
		memset(m->slot, 0, sizeof(m->slot));
	}
	const struct markup_module module = { m->context.modules.count, name, digits };
	if (markup_context_module(&m->context, &module, &known, &fault) == CONTEXT_REJECTED)
		return NULL;
	m->slot[slot] = known;
	return known;
}
