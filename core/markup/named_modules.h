/* SPDX-License-Identifier: MIT */
/*
 * Modules that are named by frames without markup, one for each name and build ID, and the build
 * IDs that earlier lines assigned to names. Memory is bounded: all modules are dropped above
 * NAMED_MODULES_BYTES, and a name replaces another name with the same slot.
 */
#ifndef CAIRN_MARKUP_NAMED_MODULES_H
#define CAIRN_MARKUP_NAMED_MODULES_H

#include "context.h"

enum {
	NAMED_MODULES_SLOTS = 1 << 10,
	NAMED_MODULES_BYTES = 1 << 20,
	NAMED_MODULES_NAME = 256,
	NAMED_MODULES_ID = 64,
};

struct markup_named_id {
	uint8_t name[NAMED_MODULES_NAME], digits[2 * NAMED_MODULES_ID];
	size_t name_size, digits_size;
};

struct markup_named_modules {
	struct markup_context context; /* owns the modules */
	const struct context_module *slot[NAMED_MODULES_SLOTS];
	bool after_signal;           /* the previous frame returned from a signal handler */
	struct markup_named_id *ids; /* NAMED_MODULES_SLOTS elements, allocated on first use */
};

void markup_named_modules_forget(struct markup_named_modules *modules);

/*
 * Set the build ID of a module as hexadecimal digits. Empty digits mean that it does not have one.
 */
void markup_named_modules_note(struct markup_named_modules *modules, struct cairn_bytes name,
                               struct cairn_bytes digits);

#endif
