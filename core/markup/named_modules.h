/* SPDX-License-Identifier: MIT */
/*
 * The modules that frames without markup name: a module for each name and build ID, and the build IDs that lines
 * before the frames give to names.  Memory is bounded: above NAMED_MODULES_BYTES all are forgotten, and of two names with
 * one slot the later one stays.
 */
#ifndef CAIRN_MARKUP_NAMED_MODULES_H
#define CAIRN_MARKUP_NAMED_MODULES_H

#include "markup/context.h"

enum {
	NAMED_MODULES_SLOTS = 1 << 10,
	NAMED_MODULES_BYTES = 1 << 20,
	NAMED_MODULES_NAME = 256, /* bytes of a name that has a build ID in a line of its own */
	NAMED_MODULES_ID = 64,    /* bytes of a build ID */
};

struct markup_named_id {
	uint8_t name[NAMED_MODULES_NAME], digits[2 * NAMED_MODULES_ID];
	size_t name_size, digits_size;
};

struct markup_named_modules {
	struct markup_context context; /* owns the modules */
	const struct context_module *slot[NAMED_MODULES_SLOTS];
	bool after_signal;           /* the frame before was the return from a signal handler */
	struct markup_named_id *ids; /* NAMED_MODULES_SLOTS of them, when one is noted */
};

void markup_named_modules_forget(struct markup_named_modules *modules);

/* The build ID of a module, as digits, holds from now on; empty digits: it has none. */
void markup_named_modules_note(struct markup_named_modules *modules, struct cairn_bytes name,
                               struct cairn_bytes digits);

#endif
